package dev.anyorder.agent;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import junit.framework.TestCase;
import junit.framework.TestSuite;

/** JUnit 3: subclasses of {@code TestCase}, and classes with a static {@code suite()}. */
final class Three extends ThreeOrFour {
    @Override
    public String name() {
        return "three";
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
                found.add(new Found(leaf.key, leaf.type, leaf.method));
            }
        }
        return found;
    }

    @Override
    public boolean canRehearse() {
        return false;
    }

    @Override
    Part enter(Class<?> group, Stay stay) throws Throwable {
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
