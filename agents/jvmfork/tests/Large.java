package dev.anyorder.agent;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * What a fork costs in a JVM with many threads and much in its heap.
 *
 * <p>{@code Large MEBIBYTES THREADS COUNT}: CPU of parent and child for a fork whose child ends at once, and how much memory
 * a child has to itself. Ends with 0 if a fork takes less than 50 ms of CPU.
 */
final class Large {
    private static final double MOST_MILLIS = 50;
    private static final double MILLIS_PER_TICK = 10;

    /** This process and the children that it has waited for. */
    static double cpuMillis() throws Exception {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        long ticks = 0;
        for (int field = 11; field < 15; field++) {
            ticks += Long.parseLong(fields[field]);
        }
        return ticks * MILLIS_PER_TICK;
    }

    static long ownKibibytes(int process) throws Exception {
        long own = 0;
        for (String line : Files.readString(Path.of("/proc/" + process + "/smaps_rollup")).split("\n")) {
            if (line.startsWith("Private_Dirty:")) {
                own += Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return own;
    }

    public static void main(String[] arguments) throws Exception {
        int mebibytes = Integer.parseInt(arguments[0]);
        int threads = Integer.parseInt(arguments[1]);
        int count = Integer.parseInt(arguments[2]);
        Children.prepare();
        List<byte[]> live = new ArrayList<>();
        for (int i = 0; i < mebibytes; i++) {
            byte[] block = new byte[1 << 20];
            for (int at = 0; at < block.length; at += 1024) {
                block[at] = 1;
            }
            live.add(block);
        }
        Semaphore never = new Semaphore(0);
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(never::acquireUninterruptibly);
            thread.setDaemon(true);
            thread.start();
        }
        System.gc();
        Thread.sleep(500);
        int idle = Children.start(() -> Thread.sleep(500));
        Thread.sleep(200);
        long own = ownKibibytes(idle);
        Children.end(idle, 20);
        double before = cpuMillis();
        for (int i = 0; i < count; i++) {
            Children.must(Fork.waitFor(Children.start(() -> {}), true) == 0);
        }
        double each = (cpuMillis() - before) / count;
        System.out.printf("%d MiB in %d blocks, %d threads: %.1f ms of CPU per fork, %.1f MiB of its own per child%n",
                mebibytes, live.size(), threads, each, own / 1024.0);
        Fork.exit(each < MOST_MILLIS ? 0 : 1);
    }
}
