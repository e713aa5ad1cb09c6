package dev.anyorder.agent;

import java.io.File;
import java.io.FileInputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Descriptors with the numbers that threads have, as it happens in a container, where numbers of processes are small: all
 * threads come along.
 */
final class Numbers {
    private static final String THREADS = "/proc/self/task";

    static int threads() {
        return new File(THREADS).list().length;
    }

    public static void main(String[] arguments) throws Exception {
        Children.prepare();
        int largest = 0;
        for (String thread : new File(THREADS).list()) {
            largest = Math.max(largest, Integer.parseInt(thread));
        }
        Children.must(largest < 1000);
        int all = threads();
        List<FileInputStream> open = new ArrayList<>();
        int bad = 0;
        for (int number = 0; number <= largest; number++) {
            open.add(new FileInputStream("/dev/null"));
            String end = Children.end(Children.start(() -> Children.must(threads() == all)), 20);
            bad += end.equals("well") ? 0 : 1;
        }
        System.out.println(bad + " of " + open.size() + " bad");
        Fork.exit(bad == 0 ? 0 : 1);
    }
}
