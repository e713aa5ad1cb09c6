package dev.anyorder.agent;

import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes a JVM that is going to be forked as warm as can be without running anything of the project: its classes, and those of
 * libraries that they use, are loaded and linked, but not initialised, so that each child initialises them when a fresh JVM
 * would.
 */
final class Zygote implements Runnable {
    private static final long MOST_NANOSECONDS = 5000000000L;
    /** How many steps from the project a class of a library may be. */
    private static final int FARTHEST = 2;
    private static final String ENDING = ".class";

    private final List<Backend> backends;
    private final List<Test> tests;

    Zygote(List<Backend> backends, List<Test> tests) {
        this.backends = backends;
        this.tests = tests;
    }

    @Override
    public void run() {
        for (Backend backend : backends) {
            for (Test test : tests) {
                if (test.backend.equals(backend.name())) {
                    Rehearsal.of(backend);
                    break;
                }
            }
        }
        linkAll();
        System.gc(); // what survives is old by now, so that a child's own collections leave it alone
    }

    /** The project's own classes, then the classes of libraries that they name, then those that these name. */
    private static void linkAll() {
        long deadline = System.nanoTime() + MOST_NANOSECONDS;
        Set<String> seen = new HashSet<String>();
        List<String> names = classes();
        for (int distance = 0; distance <= FARTHEST; distance++) {
            List<String> next = new ArrayList<String>();
            for (String name : names) {
                if (System.nanoTime() > deadline) {
                    return;
                }
                if (seen.add(name)) {
                    next.addAll(link(name));
                }
            }
            names = next;
        }
    }

    /**
     * A class that does not link will not do so in a test either, and says it there.
     *
     * @return the classes that it names, unless it is one of Java's own
     */
    private static List<String> link(String name) {
        ClassLoader loader = Main.class.getClassLoader();
        try {
            Class<?> type = Class.forName(name, false, loader);
            type.getDeclaredConstructors(); // links
            if (type.getClassLoader() == loader) {
                type.getDeclaredMethods();
                type.getDeclaredFields();
                return ClassFile.of(type).classes();
            }
        } catch (Throwable broken) {
            // Left to the test.
        }
        return Collections.emptyList();
    }

    /** Those of the project itself. */
    private static List<String> classes() {
        List<String> names = new ArrayList<String>();
        for (File directory : Classpath.directories()) {
            collect(directory, "", names);
        }
        return names;
    }

    private static void collect(File directory, String prefix, List<String> names) {
        File[] files = directory.listFiles();
        if (files == null) {
            return;
        }
        for (File file : files) {
            String name = file.getName();
            if (name.endsWith(ENDING) && !name.equals("module-info.class")) {
                names.add(prefix + name.substring(0, name.length() - ENDING.length()));
            } else if (file.isDirectory()) {
                collect(file, prefix + name + ".", names);
            }
        }
    }
}
