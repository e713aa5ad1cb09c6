package dev.anyorder.agent;

import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that wait in every usual way at the moment of the fork. None may notice it, and each can be woken afterwards: in
 * the child, and then in the parent.
 */
final class Blocked {
    private static final long TIMED_MILLIS = 1500;
    private static final long PATIENCE_NANOSECONDS = 20000000000L;

    static final Map<String, String> STATES = new ConcurrentHashMap<>();
    static final Object MONITOR = new Object();
    static final Object HELD_MONITOR = new Object();
    static final Semaphore SEMAPHORE = new Semaphore(0);
    static final Semaphore NEVER = new Semaphore(0);
    static final SynchronousQueue<Integer> QUEUE = new SynchronousQueue<>();
    static final ReentrantLock HELD = new ReentrantLock();
    static volatile boolean mayGo;

    static Thread begin(String name, Children.Task task) {
        STATES.put(name, "waits");
        Thread thread = new Thread(() -> {
            try {
                task.run();
                STATES.put(name, "woken");
            } catch (Throwable failure) {
                STATES.put(name, failure.toString());
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static Map<String, String> others(String than) {
        Map<String, String> others = new TreeMap<>(STATES);
        others.values().removeIf(than::equals);
        others.keySet().removeIf(name -> than.equals("waits") && name.startsWith("timed"));
        return others;
    }

    public static void main(String[] arguments) throws Exception {
        Children.prepare();
        ServerSocket server = new ServerSocket(0);
        ServerSocketChannel channel = ServerSocketChannel.open().bind(null);
        Selector selector = Selector.open();
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_ACCEPT);
        Pipe pipe = Pipe.open();
        ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
        HELD.lock();
        Thread parked = begin("park", () -> {
            while (!mayGo) {
                LockSupport.park();
            }
        });
        // Whatever comes here comes to one of the two processes.
        begin("shared accept", server::accept);
        begin("shared select", selector::select);
        begin("shared pipe", () -> pipe.source().read(ByteBuffer.allocate(1)));
        begin("semaphore", SEMAPHORE::acquire);
        begin("queue", QUEUE::take);
        begin("lock", HELD::lock);
        begin("monitor", () -> {
            synchronized (MONITOR) {
                while (!mayGo) {
                    MONITOR.wait();
                }
            }
        });
        begin("timed sleep", () -> Thread.sleep(TIMED_MILLIS));
        begin("timed select", () -> Selector.open().select(TIMED_MILLIS));
        begin("timed semaphore", () -> NEVER.tryAcquire(TIMED_MILLIS, TimeUnit.MILLISECONDS));
        STATES.put("timed schedule", "waits");
        scheduler.schedule(() -> STATES.put("timed schedule", "woken"), TIMED_MILLIS, TimeUnit.MILLISECONDS);
        int child;
        synchronized (HELD_MONITOR) {
            begin("held monitor", () -> {
                synchronized (HELD_MONITOR) {
                    Children.must(true);
                }
            });
            Thread.sleep(300);
            child = Fork.child(new Script());
            Thread.sleep(200);
        }
        String end = child == 0 ? "" : Children.end(child, 60);
        Map<String, String> disturbed = others("waits");
        disturbed.remove("held monitor");
        synchronized (MONITOR) {
            mayGo = true;
            MONITOR.notifyAll();
        }
        LockSupport.unpark(parked);
        HELD.unlock();
        SEMAPHORE.release();
        QUEUE.offer(1, 10, TimeUnit.SECONDS);
        if (child == 0) {
            STATES.keySet().removeIf(name -> name.startsWith("shared"));
        } else {
            new Socket("localhost", server.getLocalPort()).close();
            new Socket("localhost", channel.socket().getLocalPort()).close();
            pipe.sink().write(ByteBuffer.allocate(1));
        }
        long deadline = System.nanoTime() + PATIENCE_NANOSECONDS;
        while (!others("woken").isEmpty() && System.nanoTime() < deadline) {
            Thread.sleep(10);
        }
        boolean isWell = disturbed.isEmpty() && others("woken").isEmpty() && (child == 0 || end.equals("well"));
        System.out.println((child == 0 ? "child" : "parent, whose child ended " + end) + ": disturbed " + disturbed
                + ", not woken " + others("woken"));
        Fork.exit(isWell ? 0 : 1);
    }
}
