package dev.anyorder.agent;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** Memory that a fork would share with its parent, instead of getting a copy: what one of them writes, the other sees. */
final class SharedMemory {
    private static final int PERMISSIONS = 1;
    private static final int NAME = 5;

    private SharedMemory() {}

    /** What is behind each part of it that can be written to, as the kernel calls it. */
    static List<String> names() throws IOException {
        byte[] maps = Files.readAllBytes(Paths.get("/proc/self/maps"));
        List<String> names = new ArrayList<String>();
        for (String line : new String(maps, Charset.forName("UTF-8")).split("\n")) {
            String[] fields = line.split(" +", NAME + 1);
            // The counters of a JVM that was asked to publish them; nobody reads them here.
            if (isSharedAndWritable(fields[PERMISSIONS]) && !line.contains("hsperfdata")) {
                names.add(fields.length > NAME ? fields[NAME].trim() : "");
            }
        }
        return names;
    }

    private static boolean isSharedAndWritable(String permissions) {
        return permissions.charAt(1) == 'w' && permissions.charAt(3) == 's';
    }
}
