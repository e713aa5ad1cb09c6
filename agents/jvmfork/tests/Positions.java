package dev.anyorder.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Files that were opened in every usual way before the fork: a child goes on where its parent was, and does not move it. Nor does
 * the parent move the child: threads that are reading when it forks read on in both.
 */
final class Positions {
    private static final long BEFORE = 3;
    private static final int READ = 2;
    private static final int LENGTH = 100;
    private static final int FORKS = 60;
    private static final int MISREAD = 5;

    static final OpenOption[][] WAYS = {
        {StandardOpenOption.READ},
        {StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS},
        {StandardOpenOption.READ, StandardOpenOption.WRITE},
        {StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.SYNC},
    };

    public static void main(String[] arguments) throws Exception {
        Children.prepare();
        List<String> bad = new ArrayList<>();
        for (OpenOption[] way : WAYS) {
            Path file = Files.createTempFile("positions", "");
            Files.write(file, new byte[] {0, 1, 2, 3, 4, 5, 6});
            FileChannel channel = FileChannel.open(file, way).position(BEFORE);
            Files.delete(file);
            String end = Children.end(Children.start(() -> {
                ByteBuffer bytes = ByteBuffer.allocate(READ);
                Children.must(channel.read(bytes) == READ && bytes.get(0) == BEFORE);
            }), 20);
            if (!end.equals("well") || channel.position() != BEFORE) {
                bad.add(Arrays.toString(way) + ": " + end + ", at " + channel.position());
            }
        }
        bad.addAll(badForksWhileReading());
        System.out.println("bad: " + bad);
        Fork.exit(bad.isEmpty() ? 0 : 1);
    }

    private static List<String> badForksWhileReading() throws Exception {
        AtomicLong rounds = new AtomicLong();
        readForEver(rounds);
        List<String> bad = new ArrayList<>();
        for (int fork = 0; fork < FORKS; fork++) {
            String end = Children.end(Children.start(() -> {
                long enough = rounds.get() + 2;
                while (rounds.get() < enough) {
                    Thread.sleep(0, 100000);
                }
            }), 20);
            if (!end.equals("well")) {
                bad.add("fork " + fork + " while a thread reads: " + end);
            }
        }
        return bad;
    }

    /** Reads a file from its start to its end over and over, a byte at a time, in a thread that ends the process if one is missing. */
    private static void readForEver(AtomicLong rounds) throws IOException {
        Path file = Files.createTempFile("positions", "");
        Files.write(file, new byte[LENGTH]);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        Files.delete(file);
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    channel.position(0);
                    for (int at = 0; at < LENGTH; at++) {
                        Children.must(channel.read(ByteBuffer.allocate(1)) == 1);
                    }
                    Children.must(channel.read(ByteBuffer.allocate(1)) == -1);
                    rounds.incrementAndGet();
                }
            } catch (Throwable failure) {
                Fork.exit(MISREAD);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
