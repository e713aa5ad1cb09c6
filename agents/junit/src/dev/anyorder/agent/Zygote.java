package dev.anyorder.agent;

import java.io.File;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes a JVM that is going to be forked as warm as can be without running anything of the project: its classes are loaded
 * and linked, but not initialised, so that each child initialises them when a fresh JVM would.
 */
final class Zygote implements Runnable {
    private static final long MOST_NANOSECONDS = 5000000000L;
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
        long deadline = System.nanoTime() + MOST_NANOSECONDS;
        for (String name : classes()) {
            if (System.nanoTime() > deadline) {
                break;
            }
            link(name);
        }
        System.gc(); // what survives is old by now, so that a child's own collections leave it alone
    }

    /** A class that does not link will not do so in a test either, and says it there. */
    private static void link(String name) {
        try {
            Class<?> type = Class.forName(name, false, Main.class.getClassLoader());
            type.getDeclaredConstructors(); // links
            type.getDeclaredMethods();
            type.getDeclaredFields();
        } catch (Throwable broken) {
            return;
        }
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
