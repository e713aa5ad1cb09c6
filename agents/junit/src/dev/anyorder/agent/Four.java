package dev.anyorder.agent;

import java.util.ArrayList;
import java.util.List;
import org.junit.internal.runners.JUnit38ClassRunner;
import org.junit.runner.Request;
import org.junit.runner.Runner;

/** JUnit 4, and whatever it runs through its runners; JUnit 3 is left to {@link Three}. */
final class Four extends ThreeOrFour {
    @Override
    public String name() {
        return "four";
    }

    @Override
    public List<Found> find(Class<?> group) {
        List<Found> found = new ArrayList<Found>();
        Runner runner = Request.aClass(group).getRunner();
        if (!(runner instanceof JUnit38ClassRunner)) {
            for (FourLeaf leaf : FourLeaf.allIn(runner.getDescription(), group)) {
                found.add(new Found(leaf.key, leaf.type, leaf.method));
            }
        }
        return found;
    }

    @Override
    public boolean canRehearse() {
        return true;
    }

    @Override
    Part enter(Class<?> group, Stay stay) throws Throwable {
        Runner runner = Request.aClass(group).getRunner();
        FourTree tree = FourTree.of(runner, group, stay);
        return tree != null ? tree : new FourSingles(runner, group, stay);
    }
}
