package dev.anyorder.agent;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Lists the tests of given classes. Whoever does this has loaded and initialised them, and should run nothing
 * afterwards.
 */
final class Inventory {
    private static final List<?> USUAL_SOURCES =
            Arrays.asList("src/test/java", "src/test/kotlin", "src/test/groovy", "src/test", "test");

    private final List<Backend> backends;
    private final String root;
    private final List<?> sources;
    private final List<Object> tests = new ArrayList<Object>();
    private final List<Object> errors = new ArrayList<Object>();
    private final Set<String> ids = new HashSet<String>();
    private final Map<Class<?>, ClassFile> classFiles = new HashMap<Class<?>, ClassFile>();

    Inventory(List<Backend> backends, String root, List<?> sources) {
        this.backends = backends;
        this.root = root;
        this.sources = sources == null ? USUAL_SOURCES : sources;
    }

    Map<String, Object> of(List<?> classes) {
        for (Object name : classes) {
            try {
                add((String) name);
            } catch (Throwable error) {
                addError((String) name, error.toString());
            }
        }
        Map<String, Object> all = new LinkedHashMap<String, Object>();
        all.put("framework", framework());
        all.put("tests", tests);
        all.put("errors", errors);
        return all;
    }

    private String framework() {
        StringBuilder names = new StringBuilder();
        for (Backend backend : backends) {
            // JUnit 4's jar holds JUnit 3 as well.
            if (names.indexOf(backend.framework()) < 0) {
                names.append(names.length() == 0 ? "" : ", ").append(backend.framework());
            }
        }
        return names.toString();
    }

    private void add(String group) throws Throwable {
        Class<?> type = Class.forName(group, false, Main.class.getClassLoader());
        List<Backend.Found> before = new ArrayList<Backend.Found>();
        for (Backend backend : backends) {
            if (!before.isEmpty() && backend.isSecondChoice()) {
                continue;
            }
            List<Backend.Found> found = backend.find(type);
            if (!before.isEmpty() && isOnlyAnError(found)) {
                continue; // a class of one framework looks like a mistake to the other
            }
            for (Backend.Found each : found) {
                add(group, backend, each);
            }
            before.addAll(found);
        }
        if (before.isEmpty()) {
            addError(group, "no test of JUnit 3, 4 or Jupiter in it");
        }
    }

    private static boolean isOnlyAnError(List<Backend.Found> found) {
        return found.size() == 1 && found.get(0).key.endsWith("#initializationError");
    }

    private void add(String group, Backend backend, Backend.Found found) {
        ClassFile classFile = classFiles.get(found.type);
        if (classFile == null) {
            classFile = ClassFile.of(found.type);
            classFiles.put(found.type, classFile);
        }
        String id = ids.add(found.key) ? found.key : found.key + " (in " + group + ")";
        tests.add(new Test(id, found.key, group, file(found.type, classFile.source()),
                classFile.line(found.method), found.markers, backend.name()).toJson());
    }

    private String file(Class<?> type, String source) {
        String name = type.getName();
        String directory = name.substring(0, name.lastIndexOf('.') + 1).replace('.', '/');
        String path = source == null ? name.replace('.', '/') + ".java" : directory + source;
        for (Object tree : sources) {
            if (root != null && new File(new File(root, (String) tree), path).isFile()) {
                return tree + "/" + path;
            }
        }
        return path;
    }

    private void addError(String at, String message) {
        Map<String, Object> error = new LinkedHashMap<String, Object>();
        error.put("at", at);
        error.put("message", message);
        errors.add(error);
    }
}
