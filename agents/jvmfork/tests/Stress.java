package dev.anyorder.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.Deflater;

/**
 * Forks at random moments while threads allocate, lock, wait, compress, define classes and start threads. In every child
 * every thread has to go on.
 *
 * <p>{@code Stress COUNT}: ends with 0 if at most 1 in 1,000 children does not end well, and none gets lost.
 */
final class Stress {
    private static final int CHILD_SECONDS = 30;
    private static final int PROGRESS_SECONDS = 20;

    static final AtomicLongArray PROGRESS = new AtomicLongArray(6);
    static final Object LOCK = new Object();
    /** Fair: on a busy machine whoever wants another kind may wait for longer than a child has, fork or no fork. */
    static final ReentrantLock OTHER_LOCK = new ReentrantLock(true);
    static volatile Object sink;

    static final class Loader extends ClassLoader {
        private final byte[] bytes;

        Loader(byte[] bytes) {
            super(null);
            this.bytes = bytes;
        }

        Object make() throws ReflectiveOperationException {
            return defineClass(null, bytes, 0, bytes.length).getDeclaredConstructor().newInstance();
        }
    }

    /** Defined again and again. */
    public static final class Empty {
        public Empty() {}
    }

    static List<Children.Task> tasks() throws Exception {
        Random random = new Random(1);
        byte[] data = new byte[20000];
        byte[] type = Stress.class.getResourceAsStream("Stress$Empty.class").readAllBytes();
        List<Children.Task> tasks = new ArrayList<>();
        tasks.add(() -> {
            List<Object> list = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                list.add(new byte[random.nextInt(300)]);
            }
            sink = list;
        });
        tasks.add(() -> {
            synchronized (LOCK) {
                LOCK.notifyAll();
                LOCK.wait(1);
            }
        });
        tasks.add(() -> {
            Deflater deflater = new Deflater();
            deflater.setInput(data);
            deflater.finish();
            deflater.deflate(new byte[30000]);
            deflater.end();
        });
        tasks.add(() -> {
            OTHER_LOCK.lock();
            try {
                Thread.sleep(0, 100000);
                Integer.parseInt("no number");
            } catch (NumberFormatException expected) {
                sink = expected;
            } finally {
                OTHER_LOCK.unlock();
            }
        });
        tasks.add(() -> sink = new Loader(type).make());
        tasks.add(() -> {
            Thread thread = new Thread(() -> {
                OTHER_LOCK.lock();
                OTHER_LOCK.unlock();
            });
            thread.start();
            thread.join();
        });
        return tasks;
    }

    static void begin(int number, Children.Task task) {
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    task.run();
                    PROGRESS.incrementAndGet(number);
                }
            } catch (Throwable failure) {
                failure.printStackTrace();
                Fork.exit(4);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    static void goOn(int number) throws InterruptedException {
        long[] before = new long[PROGRESS.length()];
        for (int i = 0; i < before.length; i++) {
            before[i] = PROGRESS.get(i);
        }
        if (number % 3 == 0) {
            System.gc();
        }
        if (number % 5 == 0) {
            Thread.getAllStackTraces();
        }
        long deadline = System.nanoTime() + PROGRESS_SECONDS * 1000000000L;
        for (int i = 0; i < before.length; i++) {
            while (PROGRESS.get(i) < before[i] + 2) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError("thread " + i + " does not go on");
                }
                Thread.sleep(1);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);
        Children.prepare();
        List<Children.Task> tasks = tasks();
        for (int i = 0; i < tasks.size(); i++) {
            begin(i, tasks.get(i));
        }
        Random random = new Random(count);
        int bad = 0;
        for (int i = 0; i < count; i++) {
            int number = i;
            Thread.sleep(random.nextInt(4));
            String end = Children.end(Children.start(() -> goOn(number)), CHILD_SECONDS);
            if (!end.equals("well")) {
                System.out.println("fork " + i + ": " + end);
                bad++;
            }
        }
        System.out.println(bad + " of " + count + " bad");
        Fork.exit(bad * 1000 <= count ? 0 : 1);
    }
}
