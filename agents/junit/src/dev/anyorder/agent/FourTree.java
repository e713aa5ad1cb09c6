package dev.anyorder.agent;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.runner.Description;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.Filterable;
import org.junit.runner.notification.RunNotifier;
import org.junit.runners.ParentRunner;
import org.junit.runners.model.RunnerScheduler;

/**
 * A JUnit 4 runner, driven from inside: its scheduler only remembers what it is given, and when all is given runs
 * whatever is next. So class-level set-up and tear-down happen where the runner has them, once per stay.
 */
final class FourTree implements Part, RunnerScheduler {
    /** How many objects lie between a runner and the {@code ParentRunner} that it wraps, at most. */
    private static final int DEEPEST_WRAPPING = 4;

    private final Runner runner;
    private final Stay stay;
    private final RunNotifier notifier;
    private final List<Child> children = new ArrayList<Child>();
    private int scheduled;

    private FourTree(Runner runner, Stay stay, RunNotifier notifier) {
        this.runner = runner;
        this.stay = stay;
        this.notifier = notifier;
    }

    /** Null if this runner, or one in it, cannot be driven from inside. */
    static FourTree of(Runner runner, Class<?> group, Stay stay) throws Exception {
        Iterator<FourLeaf> leaves = FourLeaf.allIn(runner.getDescription(), group).iterator();
        return of(runner, stay, FourListener.notifier(stay), leaves);
    }

    private static FourTree of(Runner runner, Stay stay, RunNotifier notifier, Iterator<FourLeaf> leaves)
            throws Exception {
        ParentRunner<?> parent = parentIn(runner, DEEPEST_WRAPPING);
        if (parent == null) {
            return null;
        }
        if (parent != runner && runner instanceof Filterable) {
            ((Filterable) runner).filter(Filter.ALL); // Mockito's then knows that not all tests will run
        }
        FourTree tree = new FourTree(runner, stay, notifier);
        if (!tree.addChildren(parent, leaves)) {
            return null;
        }
        parent.setScheduler(tree);
        return tree;
    }

    /** Schedulers are given children in the order in which descriptions have them. */
    private boolean addChildren(ParentRunner<?> parent, Iterator<FourLeaf> leaves) throws Exception {
        List<?> objects = childrenOf(parent);
        List<Description> descriptions = parent.getDescription().getChildren();
        if (objects.size() != descriptions.size() || objects.isEmpty()) {
            return false;
        }
        for (int i = 0; i < objects.size(); i++) {
            boolean isTest = descriptions.get(i).getChildren().isEmpty();
            FourTree inner = null;
            if (!isTest && objects.get(i) instanceof Runner) {
                inner = of((Runner) objects.get(i), stay, notifier, leaves);
            }
            if (!isTest && inner == null) {
                return false;
            }
            children.add(new Child(isTest ? leaves.next().key : null, inner));
        }
        return true;
    }

    private static List<?> childrenOf(ParentRunner<?> parent) throws Exception {
        for (Class<?> type = parent.getClass();; type = type.getSuperclass()) {
            try {
                Method method = type.getDeclaredMethod("getChildren");
                method.setAccessible(true);
                return (List<?>) method.invoke(parent);
            } catch (NoSuchMethodException inherited) {
                continue; // ParentRunner itself declares it
            }
        }
    }

    /** The runner itself, or the one that it wraps in its fields. */
    private static ParentRunner<?> parentIn(Object object, int depth) throws IllegalAccessException {
        if (object instanceof ParentRunner) {
            return (ParentRunner<?>) object;
        }
        if (object == null || depth == 0 || object.getClass().getName().startsWith("java.")) {
            return null;
        }
        for (Class<?> type = object.getClass(); type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                    field.setAccessible(true);
                    ParentRunner<?> parent = parentIn(field.get(object), depth - 1);
                    if (parent != null) {
                        return parent;
                    }
                }
            }
        }
        return null;
    }

    @Override
    public boolean isTest() {
        return false;
    }

    @Override
    public boolean holds(Test test) {
        for (Child child : children) {
            if (child.holds(test)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void run() {
        runner.run(notifier);
    }

    @Override
    public void schedule(Runnable child) {
        children.get(scheduled++).runnable = child;
    }

    @Override
    public void finished() {
        scheduled = 0;
        stay.live(children);
    }

    /** A test, or a runner inside this one. */
    private static final class Child implements Part {
        private final String key;
        private final FourTree inner;
        private Runnable runnable;

        Child(String key, FourTree inner) {
            this.key = key;
            this.inner = inner;
        }

        @Override
        public boolean isTest() {
            return inner == null;
        }

        @Override
        public boolean holds(Test test) {
            return inner == null ? test.key.equals(key) : inner.holds(test);
        }

        @Override
        public void run() {
            runnable.run();
        }
    }
}
