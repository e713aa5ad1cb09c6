package dev.anyorder.agent;

import java.util.ArrayList;
import java.util.List;
import org.junit.runner.Description;

/** One test in the tree of descriptions that a JUnit 4 runner gives. */
final class FourLeaf {
    final String key;
    final Class<?> type;
    /** The name of the method, without a parameter's number. */
    final String method;
    final Description description;

    private FourLeaf(Description description, Class<?> group, Keys keys) {
        this.description = description;
        this.type = description.getTestClass() == null ? group : description.getTestClass();
        String name = description.getMethodName();
        if (name == null) { // a class that is ignored as a whole, or a test that is no method
            String shown = description.getDisplayName();
            name = shown.equals(type.getName()) ? "*" : shown;
        }
        int parameter = name.indexOf('[');
        this.method = parameter < 0 ? name : name.substring(0, parameter);
        this.key = keys.of(type.getName(), name);
    }

    /** All tests, depth first. */
    static List<FourLeaf> allIn(Description top, Class<?> group) {
        List<FourLeaf> leaves = new ArrayList<FourLeaf>();
        addAll(top, group, new Keys(), leaves);
        return leaves;
    }

    private static void addAll(Description at, Class<?> group, Keys keys, List<FourLeaf> leaves) {
        if (at.getChildren().isEmpty()) {
            leaves.add(new FourLeaf(at, group, keys));
        }
        for (Description child : at.getChildren()) {
            addAll(child, group, keys, leaves);
        }
    }
}
