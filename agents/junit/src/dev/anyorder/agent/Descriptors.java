package dev.anyorder.agent;

import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What this process has open, as the kernel tells it. */
final class Descriptors {
    private static final String PLACE = "/proc/self/fd";
    private static final int ACCESS = 3;
    private static final int CREATING = 0100 | 0200 | 01000 | 020000000;

    private Descriptors() {}

    /** Sockets, and epoll objects, whose registrations a fork shares. */
    static Set<Integer> connections() {
        Set<Integer> found = new TreeSet<Integer>();
        for (String name : names()) {
            String target = target(name);
            if (target.startsWith("socket:") || target.equals("anon_inode:[eventpoll]")) {
                found.add(Integer.valueOf(name));
            }
        }
        return found;
    }

    private static String[] names() {
        String[] names = new File(PLACE).list();
        return names == null ? new String[0] : names;
    }

    private static String target(String name) {
        try {
            return Files.readSymbolicLink(Paths.get(PLACE, name)).toString();
        } catch (IOException gone) {
            return "";
        }
    }

    /** Has a child open those files that are written to by their paths, which lead to its own disk. */
    static void openAnew(Script script, Layers layers) {
        for (String name : names()) {
            Path path = Paths.get(target(name));
            if (Integer.parseInt(name) > 2 && path.isAbsolute() && layers.covers(path) && Files.isRegularFile(path)) {
                openAnew(script, name, path);
            }
        }
    }

    private static void openAnew(Script script, String name, Path path) {
        List<String> fields = new ArrayList<String>();
        try {
            byte[] told = Files.readAllBytes(Paths.get("/proc/self/fdinfo", name));
            for (String line : new String(told, Charset.forName("US-ASCII")).split("\n")) {
                fields.add(line.substring(line.indexOf(':') + 1).trim());
            }
        } catch (IOException gone) {
            return;
        }
        int flags = Integer.parseInt(fields.get(1), 8);
        if ((flags & ACCESS) != 0) {
            Script.Result anew = script.attempt(Script.OPEN, path.toString(), flags & ~CREATING);
            script.attempt(Script.LSEEK, anew, Long.valueOf(fields.get(0)), 0);
            script.attempt(Script.DUP3, anew, Integer.valueOf(name), flags & Script.O_CLOEXEC);
            script.attempt(Script.CLOSE, anew);
        }
    }
}
