package dev.anyorder.agent;

import java.util.ArrayList;
import java.util.List;
import org.junit.runner.Request;
import org.junit.runner.Runner;

/**
 * A class whose runner cannot be driven from inside: each test is a filtered run of its own, with all that is around
 * it.
 */
final class FourSingles extends Whole {
    private final Runner runner;
    private final Class<?> group;
    private final Stay stay;
    private final List<Part> parts = new ArrayList<Part>();

    FourSingles(Runner runner, Class<?> group, Stay stay) {
        this.runner = runner;
        this.group = group;
        this.stay = stay;
        for (FourLeaf leaf : FourLeaf.allIn(runner.getDescription(), group)) {
            parts.add(new Single(leaf));
        }
    }

    /** A test that is not there any more: its class could not be set up, and the runner can say why. */
    @Override
    public void run() {
        if (!stay.live(parts)) {
            runner.run(FourListener.notifier(stay));
        }
    }

    private final class Single implements Part {
        private final FourLeaf leaf;

        Single(FourLeaf leaf) {
            this.leaf = leaf;
        }

        @Override
        public boolean isTest() {
            return true;
        }

        @Override
        public boolean holds(Test test) {
            return test.key.equals(leaf.key);
        }

        @Override
        public void run() {
            Request.aClass(group).filterWith(leaf.description).getRunner().run(FourListener.notifier(stay));
        }
    }
}
