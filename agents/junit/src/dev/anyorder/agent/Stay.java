package dev.anyorder.agent;

import java.util.HashSet;
import java.util.Set;

/**
 * Tests of one group that follow each other: class-level set-up before the first, class-level tear-down after the last.
 *
 * <p>Knows which part of a class runs when, and whom a failure belongs to; does not know any framework.
 */
final class Stay {
    private final Turns turns;
    private final String group;
    private final String backend;
    private final Set<Test> ran = new HashSet<Test>();
    private Seen seen = new Seen();

    /** A stay in the group of this test. */
    Stay(Turns turns, Test first) {
        this.turns = turns;
        this.group = first.group;
        this.backend = first.backend;
    }

    /** Whether this test has its turn in this stay, rather than in another one. */
    boolean takes(Test test) {
        return test.group.equals(group) && test.backend.equals(backend) && !ran.contains(test);
    }

    /** What is known of the test or class that runs now. */
    Seen seen() {
        return seen;
    }

    /**
     * Runs what is next, as long as one of these parts has it. Frameworks call this where they would run all children.
     *
     * @return whether anything ran
     */
    boolean live(Iterable<? extends Part> parts) {
        int before = turns.count();
        while (true) {
            Test test = turns.next();
            Part part = test == null || !takes(test) ? null : find(parts, test);
            if (part == null) {
                return turns.count() != before;
            }
            if (part.isTest()) {
                runTest(test, part);
            } else {
                enter(test, part);
            }
        }
    }

    /** Runs one part; what it has told afterwards belongs to that part alone. */
    private Seen run(Part part) {
        Seen outer = seen;
        Seen inner = new Seen();
        seen = inner;
        try {
            part.run();
        } catch (Throwable error) {
            inner.failed(error);
        } finally {
            seen = outer;
        }
        return inner;
    }

    private void runTest(Test test, Part part) {
        turns.starting();
        ran.add(test);
        Seen inner = run(part);
        turns.ended(Outcome.of(inner, test));
    }

    /** Class-level set-up that fails or skips does so once for all tests of the stay, as in an ordinary run. */
    private void enter(Test first, Part part) {
        turns.starting();
        int before = turns.count();
        Seen inner = run(part);
        if (turns.count() != before) {
            if (inner.failure != null) {
                turns.tearDownFailed(inner.failure);
            }
            return;
        }
        for (Test test = first; test != null && takes(test) && part.holds(test); test = turns.next()) {
            ran.add(test);
            turns.starting();
            turns.ended(Outcome.ofSetUp(inner, test));
        }
    }

    private static Part find(Iterable<? extends Part> parts, Test test) {
        for (Part part : parts) {
            if (part.holds(test)) {
                return part;
            }
        }
        return null;
    }
}
