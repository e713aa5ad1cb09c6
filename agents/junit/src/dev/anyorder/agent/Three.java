package dev.anyorder.agent;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import junit.framework.TestCase;
import junit.framework.TestSuite;
import junit.runner.Version;

/** JUnit 3: subclasses of {@code TestCase}, and classes with a static {@code suite()}. */
final class Three implements Backend {
    @Override
    public String name() {
        return "three";
    }

    @Override
    public String framework() {
        return "JUnit " + Version.id();
    }

    @Override
    public boolean isSecondChoice() {
        return true;
    }

    @Override
    public List<Found> find(Class<?> group) throws Throwable {
        List<Found> found = new ArrayList<Found>();
        if (suiteMethod(group) != null || TestCase.class.isAssignableFrom(group)) {
            for (ThreeTree.Leaf leaf : new ThreeTree(suite(group), group, null).leaves()) {
                found.add(new Found(leaf.key, leaf.type, leaf.method, Markers.of(leaf.type, leaf.method)));
            }
        }
        return found;
    }

    @Override
    public boolean canRehearse() {
        return false;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void open(Runnable stays) {
        stays.run();
    }

    @Override
    public Part enter(String name, Stay stay) throws Throwable {
        Class<?> group = Class.forName(name, true, Main.class.getClassLoader());
        return new ThreeTree(suite(group), group, stay).top();
    }

    private static junit.framework.Test suite(Class<?> group) throws Throwable {
        Method method = suiteMethod(group);
        if (method != null) {
            return (junit.framework.Test) method.invoke(null);
        }
        return new TestSuite(group);
    }

    private static Method suiteMethod(Class<?> group) {
        try {
            Method method = group.getMethod("suite");
            return Modifier.isStatic(method.getModifiers()) ? method : null;
        } catch (NoSuchMethodException none) {
            return null;
        }
    }
}
