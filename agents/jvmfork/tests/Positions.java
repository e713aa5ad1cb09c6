package dev.anyorder.agent;

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

/** Files that were opened in every usual way before the fork: a child goes on where its parent was, and does not move it. */
final class Positions {
    private static final long BEFORE = 3;
    private static final int READ = 2;

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
        System.out.println("bad: " + bad);
        Fork.exit(bad.isEmpty() ? 0 : 1);
    }
}
