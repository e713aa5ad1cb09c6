package dev.anyorder.agent;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import junit.extensions.TestDecorator;
import junit.framework.AssertionFailedError;
import junit.framework.TestCase;
import junit.framework.TestListener;
import junit.framework.TestResult;
import junit.framework.TestSuite;

/**
 * The tests of one JUnit 3 suite as parts. What a decorator wraps is replaced by a slot that runs whatever is next,
 * so that {@code TestSetup} happens once per stay.
 */
final class ThreeTree {
    private final Class<?> group;
    private final Stay stay;
    private final Keys keys = new Keys();
    private final TestResult result = new TestResult();
    private final List<Leaf> leaves = new ArrayList<Leaf>();
    private final List<Part> parts = new ArrayList<Part>();

    ThreeTree(junit.framework.Test suite, Class<?> group, Stay stay) throws Exception {
        this.group = group;
        this.stay = stay;
        result.addListener(new Listener());
        addParts(suite, parts);
    }

    List<Leaf> leaves() {
        return leaves;
    }

    Part top() {
        return new Around(parts, new Slot(parts));
    }

    private void addParts(junit.framework.Test test, List<Part> parts) throws Exception {
        if (test instanceof TestSuite) {
            TestSuite suite = (TestSuite) test;
            for (int i = 0; i < suite.testCount(); i++) {
                addParts(suite.testAt(i), parts);
            }
        } else if (test instanceof TestDecorator) {
            List<Part> inner = new ArrayList<Part>();
            Field wrapped = TestDecorator.class.getDeclaredField("fTest");
            wrapped.setAccessible(true);
            addParts((junit.framework.Test) wrapped.get(test), inner);
            wrapped.set(test, new Slot(inner));
            parts.add(new Around(inner, test));
        } else {
            Leaf leaf = new Leaf(test);
            leaves.add(leaf);
            parts.add(leaf);
        }
    }

    /** One test. */
    final class Leaf implements Part {
        final String key;
        final Class<?> type;
        final String method;
        private final junit.framework.Test test;

        Leaf(junit.framework.Test test) {
            boolean isOfProject = test instanceof TestCase && !test.getClass().getName().startsWith("junit.framework.");
            this.test = test;
            this.type = isOfProject ? test.getClass() : group;
            this.method = test instanceof TestCase ? ((TestCase) test).getName() : test.toString();
            this.key = keys.of(type.getName(), String.valueOf(method));
        }

        @Override
        public boolean isTest() {
            return true;
        }

        @Override
        public boolean holds(Test other) {
            return other.key.equals(key);
        }

        @Override
        public void run() {
            test.run(result);
        }
    }

    /** A suite or a decorator. */
    private final class Around implements Part {
        private final List<Part> inner;
        private final junit.framework.Test test;

        Around(List<Part> inner, junit.framework.Test test) {
            this.inner = inner;
            this.test = test;
        }

        @Override
        public boolean isTest() {
            return false;
        }

        @Override
        public boolean holds(Test other) {
            for (Part part : inner) {
                if (part.holds(other)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public void run() {
            test.run(result);
        }
    }

    /** Stands where a suite would be. */
    private final class Slot implements junit.framework.Test {
        private final List<Part> parts;

        Slot(List<Part> parts) {
            this.parts = parts;
        }

        @Override
        public int countTestCases() {
            return parts.size();
        }

        @Override
        public void run(TestResult result) {
            stay.live(parts);
        }
    }

    private final class Listener implements TestListener {
        @Override
        public void addError(junit.framework.Test test, Throwable error) {
            stay.seen().failed(error);
        }

        @Override
        public void addFailure(junit.framework.Test test, AssertionFailedError failure) {
            stay.seen().failed(failure);
        }

        @Override
        public void startTest(junit.framework.Test test) {}

        @Override
        public void endTest(junit.framework.Test test) {}
    }
}
