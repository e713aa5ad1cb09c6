package dev.anyorder.agent;

import org.junit.jupiter.engine.execution.JupiterEngineExecutionContext;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.engine.support.hierarchical.Node;

/** Stands where the children of the engine or of a class would be, and runs whatever is next. */
final class JupiterSlot extends AbstractTestDescriptor implements Node<JupiterEngineExecutionContext> {
    private static long made;

    private final Runnable body;
    private DynamicTestExecutor executor;

    /** The engine of Jupiter 5.0 runs nothing twice that has the same id. */
    JupiterSlot(TestDescriptor parent, Runnable body) {
        super(parent.getUniqueId().append("anyorder", String.valueOf(made++)), "anyorder");
        this.body = body;
    }

    @Override
    public Type getType() {
        return Type.CONTAINER;
    }

    @Override
    public boolean mayRegisterTests() {
        return true;
    }

    @Override
    public JupiterEngineExecutionContext execute(JupiterEngineExecutionContext context, DynamicTestExecutor executor) {
        this.executor = executor;
        body.run();
        return context;
    }

    /** Runs something as a child of what this slot is in; only while the slot itself is run. */
    void run(TestDescriptor child) {
        executor.execute(child);
    }
}
