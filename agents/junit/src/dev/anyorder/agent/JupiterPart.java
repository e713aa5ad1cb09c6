package dev.anyorder.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;

/** A class of Jupiter with a slot for its tests, or one of these tests: whatever Jupiter makes of one method. */
final class JupiterPart implements Part {
    private static final List<String> CLASSES = Arrays.asList("ClassTestDescriptor", "NestedClassTestDescriptor");

    private final TestDescriptor descriptor;
    private final JupiterSlot outer;
    private final List<JupiterPart> parts = new ArrayList<JupiterPart>();
    private String key;

    /** With no slot around it, it can be looked at but not be run. */
    JupiterPart(TestDescriptor descriptor, JupiterSlot outer, final Stay stay) {
        this.descriptor = descriptor;
        this.outer = outer;
        if (isTest()) {
            key = type().getName() + "#*"; // a class that only runs whole; a method is named by its class
            return;
        }
        JupiterSlot slot = new JupiterSlot(descriptor, new Runnable() {
            @Override
            public void run() {
                stay.live(parts);
            }
        });
        for (TestDescriptor child : new ArrayList<TestDescriptor>(descriptor.getChildren())) {
            descriptor.removeChild(child);
            child.setParent(descriptor);
            parts.add(new JupiterPart(child, slot, stay));
        }
        descriptor.addChild(slot);
        nameMethods();
    }

    private void nameMethods() {
        Map<String, Integer> times = new HashMap<String, Integer>();
        for (JupiterPart part : parts) {
            Integer before = times.get(part.method());
            times.put(part.method(), before == null ? 1 : before + 1);
        }
        for (JupiterPart part : parts) {
            if (part.method() != null) {
                String types = times.get(part.method()) > 1 ? "(" + part.parameterTypes() + ")" : "";
                part.key = type().getName() + "#" + part.method() + types;
            }
        }
    }

    TestDescriptor descriptor() {
        return descriptor;
    }

    String key() {
        return key;
    }

    List<JupiterPart> leaves() {
        List<JupiterPart> leaves = new ArrayList<JupiterPart>();
        if (isTest()) {
            leaves.add(this);
        }
        for (JupiterPart part : parts) {
            leaves.addAll(part.leaves());
        }
        return leaves;
    }

    /** The class that it is, or is a method of. */
    Class<?> type() {
        TestSource source = descriptor.getSource().get();
        if (source instanceof ClassSource) {
            return ((ClassSource) source).getJavaClass();
        }
        return ((ClassSource) descriptor.getParent().get().getSource().get()).getJavaClass();
    }

    /** Null for a class. */
    String method() {
        TestSource source = descriptor.getSource().get();
        return source instanceof MethodSource ? ((MethodSource) source).getMethodName() : null;
    }

    private String parameterTypes() {
        StringBuilder types = new StringBuilder();
        String full = ((MethodSource) descriptor.getSource().get()).getMethodParameterTypes();
        for (String type : full.isEmpty() ? new String[0] : full.split(", *")) {
            types.append(types.length() == 0 ? "" : ", ").append(type.substring(type.lastIndexOf('.') + 1));
        }
        return types.toString();
    }

    @Override
    public boolean isTest() {
        return !CLASSES.contains(descriptor.getClass().getSimpleName());
    }

    @Override
    public boolean holds(Test test) {
        if (isTest()) {
            return test.key.equals(key);
        }
        for (JupiterPart part : parts) {
            if (part.holds(test)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void run() {
        outer.run(descriptor);
    }
}
