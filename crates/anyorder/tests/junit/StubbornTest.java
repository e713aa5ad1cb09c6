package acme;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.Test;

/** Leaves a thread behind that blocks all signals, so that it cannot be stopped. */
public class StubbornTest {
    private static final int SET = 2;

    @Test
    public void blocksAllSignals() throws Exception {
        CountDownLatch isBlocked = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            block();
            isBlocked.countDown();
            LockSupport.park();
        });
        thread.setDaemon(true);
        thread.start();
        isBlocked.await();
    }

    private static void block() {
        Linker linker = Linker.nativeLinker();
        MethodHandle mask = linker.downcallHandle(
                linker.defaultLookup().find("pthread_sigmask").get(),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment signals = arena.allocate(128);
            signals.fill((byte) 0xff);
            int ignored = (int) mask.invokeExact(SET, signals, MemorySegment.NULL);
        } catch (Throwable failure) {
            throw new AssertionError(failure);
        }
    }
}
