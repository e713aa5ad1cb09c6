package dev.anyorder.agent;

import static dev.anyorder.agent.Children.must;

import java.lang.management.ManagementFactory;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Everything that a JVM does behind the scenes, each in a child of its own. Says which do not work there. */
final class Probes {
    private static final int SECONDS = 20;

    static volatile Object sink;
    static Object strong = new Object();
    static final WeakReference<Object> OLD_WEAK = new WeakReference<>(strong);
    static final Object LOCKED_BEFORE = new Object();
    static ExecutorService oldPool;

    static final class Lazy {
        static final List<String> LIST = new ArrayList<>(List.of("a", "b"));
    }

    abstract static class Base {
        abstract int apply(int x);
    }

    static final class Known extends Base {
        @Override
        int apply(int x) {
            return x + 1;
        }
    }

    static final class Unknown extends Base {
        @Override
        int apply(int x) {
            return x * 3;
        }
    }

    static int sum(Base base, int count) {
        int sum = 0;
        for (int i = 0; i < count; i++) {
            sum += base.apply(i);
        }
        return sum;
    }

    static int twice(int x) {
        return 2 * x;
    }

    static int deeper(int x) {
        return deeper(x + 1) + 1;
    }

    static Map<String, Children.Task> probes() {
        Map<String, Children.Task> probes = new LinkedHashMap<>();
        language(probes);
        threads(probes);
        world(probes);
        memory(probes);
        ends(probes);
        return probes;
    }

    static void language(Map<String, Children.Task> probes) {
        probes.put("nothing", () -> {});
        probes.put("class initialisation", () -> must(Lazy.LIST.size() == 2));
        probes.put("exceptions", () -> {
            try {
                ((Object) null).hashCode();
            } catch (NullPointerException expected) {
                must(expected.getStackTrace().length > 0);
            }
        });
        probes.put("stack overflow", () -> {
            try {
                deeper(0);
            } catch (StackOverflowError expected) {
                return;
            }
            must(false);
        });
        probes.put("lambda", () -> {
            int number = (int) System.nanoTime();
            java.util.function.IntSupplier next = () -> number + 1;
            must(next.getAsInt() == number + 1);
        });
        probes.put("concatenation", () -> must(("a" + System.nanoTime() + 'c' + 1.5 + sink).length() > 5));
        probes.put("reflection", () -> {
            Method method = Probes.class.getDeclaredMethod("twice", int.class);
            for (int i = 0; i < 40; i++) {
                must((Integer) method.invoke(null, i) == 2 * i);
            }
        });
        probes.put("proxy", () -> {
            Runnable proxy = (Runnable) Proxy.newProxyInstance(
                    Probes.class.getClassLoader(), new Class<?>[] {Runnable.class}, (self, method, arguments) -> {
                        sink = method.getName();
                        return null;
                    });
            proxy.run();
            must(sink.equals("run"));
        });
        probes.put("compilation", () -> {
            int sum = 0;
            for (int i = 0; i < 100; i++) {
                Map<Integer, String> map = new HashMap<>();
                for (int j = 0; j < 1000; j++) {
                    map.put(i * j, "v" + j);
                }
                sum += map.size() + sum(new Known(), 10000);
            }
            sink = sum;
        });
        probes.put("a new subclass", () -> {
            sink = sum(new Known(), 100000);
            Class<?> type = Class.forName("dev.anyorder.agent.Probes$Unknown");
            sink = sum((Base) type.getDeclaredConstructor().newInstance(), 100000);
        });
    }

    static void threads(Map<String, Children.Task> probes) {
        probes.put("thread", () -> {
            Thread thread = new Thread(() -> sink = "x");
            thread.start();
            thread.join();
            must("x".equals(sink));
        });
        probes.put("wait and notify", () -> {
            Object lock = new Object();
            boolean[] isDone = {false};
            Thread thread = new Thread(() -> {
                synchronized (lock) {
                    isDone[0] = true;
                    lock.notifyAll();
                }
            });
            synchronized (lock) {
                thread.start();
                while (!isDone[0]) {
                    lock.wait();
                }
            }
        });
        probes.put("new pool", () -> {
            ExecutorService pool = Executors.newFixedThreadPool(4);
            List<Future<Integer>> futures = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                int number = i;
                futures.add(pool.submit(() -> number));
            }
            int sum = 0;
            for (Future<Integer> future : futures) {
                sum += future.get();
            }
            must(sum == 1225);
            pool.shutdown();
            must(pool.awaitTermination(5, TimeUnit.SECONDS));
        });
        probes.put("old pool", () -> must(oldPool.submit(() -> 5).get() == 5));
        probes.put("parallel stream", () ->
                must(IntStream.range(0, 100000).parallel().filter(x -> x % 3 == 0).count() == 33334));
        probes.put("sleep", () -> Thread.sleep(20));
        probes.put("a lock held before", () -> {
            Thread thread = new Thread(() -> {
                synchronized (LOCKED_BEFORE) {
                    sink = LOCKED_BEFORE;
                }
            });
            thread.start();
            thread.join();
        });
        probes.put("stack traces", () -> must(Thread.getAllStackTraces().size() > 1));
        probes.put("thread beans", () ->
                must(ManagementFactory.getThreadMXBean().dumpAllThreads(true, true).length > 1));
        probes.put("thread times", () -> {
            for (long id : ManagementFactory.getThreadMXBean().getAllThreadIds()) {
                must(ManagementFactory.getThreadMXBean().getThreadCpuTime(id) >= 0);
            }
        });
    }

    static void world(Map<String, Children.Task> probes) {
        probes.put("files", () -> {
            Path path = Files.createTempFile("probe", ".txt");
            Files.writeString(path, "hello");
            must(Files.readString(path).equals("hello"));
            Files.delete(path);
        });
        probes.put("process", () -> {
            Process process = new ProcessBuilder("/bin/echo", "hi").start();
            must(new String(process.getInputStream().readAllBytes()).startsWith("hi"));
            must(process.waitFor() == 0);
        });
        probes.put("socket", () -> {
            try (ServerSocket server = new ServerSocket(0);
                    Socket there = new Socket("localhost", server.getLocalPort());
                    Socket here = server.accept()) {
                there.getOutputStream().write(7);
                must(here.getInputStream().read() == 7);
            }
        });
        probes.put("own process", () -> {
            must(ProcessHandle.current().pid() == Fork.process());
            must(ProcessHandle.current().isAlive());
            must(ManagementFactory.getRuntimeMXBean().getPid() == Fork.process());
        });
        probes.put("thread names", () -> {
            List<String> names = new ArrayList<>();
            for (Path task : Files.newDirectoryStream(Path.of("/proc/self/task"))) {
                if (Files.exists(task)) { // compiler threads come and go
                    names.add(Files.readString(task.resolve("comm")).trim());
                }
            }
            must(names.contains("VM Thread") && names.contains("Finalizer"));
        });
    }

    static void memory(Map<String, Children.Task> probes) {
        probes.put("collection", System::gc);
        probes.put("much garbage", () -> {
            for (int i = 0; i < 400000; i++) {
                sink = new byte[1000];
            }
        });
        probes.put("cleaner", () -> {
            CountDownLatch isCleaned = new CountDownLatch(1);
            Cleaner.create().register(new byte[10], isCleaned::countDown);
            for (int i = 0; i < 100 && isCleaned.getCount() > 0; i++) {
                System.gc();
                isCleaned.await(20, TimeUnit.MILLISECONDS);
            }
            must(isCleaned.getCount() == 0);
        });
        probes.put("old weak reference", () -> {
            strong = null;
            for (int i = 0; i < 20 && OLD_WEAK.get() != null; i++) {
                System.gc();
            }
            must(OLD_WEAK.get() == null);
        });
    }

    static void ends(Map<String, Children.Task> probes) {
        probes.put("fork in a fork", () -> {
            int child = Children.start(() -> Children.must(
                    Children.end(Children.start(System::gc), SECONDS).equals("well")));
            must(Children.end(child, SECONDS).equals("well"));
        });
        probes.put("many forks", () -> {
            for (int i = 0; i < 10; i++) {
                must(Children.end(Children.start(() -> {}), SECONDS).equals("well"));
            }
        });
        probes.put("halt", () -> Runtime.getRuntime().halt(0));
        probes.put("exit", () -> {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> sink = 1));
            System.exit(0);
        });
    }

    public static void main(String[] arguments) throws Exception {
        Children.prepare();
        oldPool = Executors.newFixedThreadPool(2);
        oldPool.submit(() -> 1).get();
        for (int i = 0; i < 50; i++) {
            sum(new Known(), 20000);
        }
        synchronized (LOCKED_BEFORE) {
            sink = LOCKED_BEFORE;
        }
        int bad = 0;
        for (Map.Entry<String, Children.Task> probe : probes().entrySet()) {
            String end = Children.end(Children.start(probe.getValue()), SECONDS);
            if (!end.equals("well")) {
                System.out.println(probe.getKey() + ": " + end);
                bad++;
            }
        }
        System.out.println(bad + " of " + probes().size() + " bad");
        Fork.exit(bad == 0 ? 0 : 1);
    }
}
