package dev.anyorder.agent;

import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;

/** A thread that blocks all signals: there is no fork as long as it does, and nobody is harmed by the attempt. */
final class Refused {
    private static final int RT_SIGPROCMASK = 14;
    private static final int SET = 2;

    /** For the thread that asks. */
    static void block(long signals) {
        Script script = new Script();
        byte[] mask = ByteBuffer.allocate(8).putLong(signals).array();
        script.need(RT_SIGPROCMASK, SET, mask, null, 8);
        Children.must(Fork.here(script));
    }

    public static void main(String[] arguments) throws Exception {
        Children.prepare();
        CountDownLatch isBlocked = new CountDownLatch(1);
        CountDownLatch mayUnblock = new CountDownLatch(1);
        CountDownLatch isUnblocked = new CountDownLatch(1);
        Thread thread = new Thread(() -> {
            try {
                block(-1);
                isBlocked.countDown();
                mayUnblock.await();
                block(0);
                isUnblocked.countDown();
            } catch (InterruptedException never) {
                throw new IllegalStateException(never);
            }
        }, "stubborn");
        thread.start();
        isBlocked.await();
        String first = Children.end(Fork.child(new Script()), 1);
        String again = Children.end(Fork.child(new Script()), 1);
        System.gc();
        mayUnblock.countDown();
        isUnblocked.await();
        String later = Children.end(Children.start(System::gc), 20);
        System.out.println(first + "; " + again + "; then " + later);
        boolean isRefused = first.contains("(stubborn) does not stop") && again.equals(first);
        Fork.exit(isRefused && later.equals("well") ? 0 : 1);
    }
}
