package sample.four;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;
import org.junit.Test;

public class HostileTest {
    static class Mute extends RuntimeException {
        @Override
        public String getMessage() {
            throw new IllegalStateException("I do not talk");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new IllegalStateException("nor do I say whence I come");
        }
    }

    @Test
    public void sane() {}

    @Test
    public void breaksTheParameters() {
        ParameterTest.isBroken = true;
    }

    @Test
    public void exits() {
        System.exit(3);
    }

    @Test
    public void halts() {
        Runtime.getRuntime().halt(4);
    }

    @Test
    public void interruptsItself() {
        Thread.currentThread().interrupt();
    }

    @Test
    public void isInterrupted() {
        org.junit.Assert.assertTrue(Thread.interrupted());
    }

    @Test
    public void interruptsLater() {
        final Thread main = Thread.currentThread();
        new Thread() {
            @Override
            public void run() {
                try {
                    Thread.sleep(300);
                } catch (InterruptedException never) {
                    return;
                }
                main.interrupt();
            }
        }.start();
    }

    @Test
    public void takesTheStreamsAway() {
        System.setOut(null);
        System.setErr(null);
    }

    @Test
    public void changesDefaults() {
        Locale.setDefault(new Locale("tr", "TR"));
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
        System.setProperties(new Properties());
        Thread.currentThread().setContextClassLoader(null);
        Thread.currentThread().setName("nobody");
    }

    @Test
    @SuppressWarnings({"removal", "deprecation"})
    public void forbidsEverything() {
        System.setSecurityManager(new SecurityManager() {
            @Override
            public void checkPermission(java.security.Permission permission) {
                throw new SecurityException("no");
            }
        });
    }

    @Test
    public void overflows() {
        overflows();
    }

    @Test
    public void eatsMemory() {
        List<byte[]> eaten = new ArrayList<byte[]>();
        while (true) {
            eaten.add(new byte[1 << 24]);
        }
    }

    @Test
    public void printsALot() {
        for (int i = 0; i < 200000; i++) {
            System.out.println("line " + i);
        }
    }

    @Test
    public void leavesAThread() {
        new Thread() {
            @Override
            public void run() {
                while (true) {
                    try {
                        Thread.sleep(100000);
                    } catch (InterruptedException never) {
                        continue;
                    }
                }
            }
        }.start();
    }

    @Test
    public void throwsAMuteException() {
        throw new Mute();
    }
}
