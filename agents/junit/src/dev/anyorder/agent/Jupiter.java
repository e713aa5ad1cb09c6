package dev.anyorder.agent;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.engine.JupiterTestEngine;
import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestTag;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.reporting.ReportEntry;

/**
 * JUnit Jupiter, driven through its engine. One execution holds all stays: the engine's only child is a slot that
 * runs classes as they are asked for, and the only child of each class is a slot that runs its tests in the same
 * manner.
 */
final class Jupiter implements Backend {
    private final JupiterTestEngine engine = new JupiterTestEngine();
    private JupiterSlot slot;
    private Stay stay;
    private Throwable failure;

    @Override
    public String name() {
        return "jupiter";
    }

    @Override
    public String framework() {
        return "JUnit Jupiter " + engine.getVersion().orElse("of an unknown version");
    }

    @Override
    public List<Found> find(Class<?> group) {
        List<Found> found = new ArrayList<Found>();
        for (TestDescriptor child : discover(group).getChildren()) {
            for (JupiterPart leaf : new JupiterPart(child, null, null).leaves()) {
                List<String> markers = Markers.of(leaf.type(), leaf.method());
                for (TestTag tag : leaf.descriptor().getTags()) {
                    markers.add("tag:" + tag.getName());
                }
                if (!leaf.descriptor().isTest()) {
                    markers.add("expands");
                }
                found.add(new Found(leaf.key(), leaf.type(), leaf.method(), markers));
            }
        }
        return found;
    }

    private TestDescriptor discover(Class<?> group) {
        return engine.discover(JupiterRequests.discovery(group), UniqueId.forEngine(engine.getId()));
    }

    @Override
    public boolean canRehearse() {
        return JupiterRequests.areParametersOurs();
    }

    @Override
    public boolean isOpen() {
        return slot != null;
    }

    @Override
    public void open(Runnable stays) throws Throwable {
        TestDescriptor root = discover(null);
        slot = new JupiterSlot(root, stays);
        root.addChild(slot);
        failure = null;
        try {
            JupiterRequests.execute(engine, root, new Listener());
        } finally {
            slot = null;
            stay = null;
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public Part enter(String name, Stay stay) throws Throwable {
        this.stay = stay;
        Class<?> group = Class.forName(name, false, Main.class.getClassLoader());
        TestDescriptor root = discover(group);
        List<TestDescriptor> classes = new ArrayList<TestDescriptor>(root.getChildren());
        if (classes.size() != 1) {
            throw new IllegalStateException("Jupiter finds no test in " + name + " any more");
        }
        TestDescriptor top = classes.get(0);
        root.removeChild(top);
        top.setParent(slot.getParent().get());
        return new JupiterPart(top, slot, stay);
    }

    /** What happens outside of all stays belongs to the engine itself. */
    private final class Listener implements EngineExecutionListener {
        @Override
        public void executionSkipped(TestDescriptor descriptor, String reason) {
            stay.seen().skipped(reason);
        }

        @Override
        public void executionFinished(TestDescriptor descriptor, TestExecutionResult result) {
            Throwable thrown = result.getThrowable().orElse(null);
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                if (descriptor == slot || descriptor.isRoot()) {
                    failure = thrown;
                } else {
                    stay.seen().failed(thrown);
                }
            } else if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
                stay.seen().skipped(thrown);
            } else if (descriptor.isTest()) {
                stay.seen().passed();
            }
        }

        @Override
        public void dynamicTestRegistered(TestDescriptor descriptor) {}

        @Override
        public void executionStarted(TestDescriptor descriptor) {}

        @Override
        public void reportingEntryPublished(TestDescriptor descriptor, ReportEntry entry) {}
    }
}
