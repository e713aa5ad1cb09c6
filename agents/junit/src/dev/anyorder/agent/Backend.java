package dev.anyorder.agent;

import java.util.List;

/** A framework, as the agent sees it. */
interface Backend {
    /** The word for it in {@code tests.json}. */
    String name();

    /** Framework and version. */
    String framework();

    /** The tests of a class in the framework's own order; none if it is not for this framework. */
    List<Found> find(Class<?> group) throws Throwable;

    /** Whether it is only asked for classes that no other back end has found tests in. */
    default boolean isSecondChoice() {
        return false;
    }

    /** Whether running a test of the agent's own runs nothing of the user's. */
    boolean canRehearse();

    /** Whether stays can begin now, or only inside {@link #open}. */
    boolean isOpen();

    /** Runs {@code stays} with everything around it that the framework has around all classes. */
    void open(Runnable stays) throws Throwable;

    /** The class, made anew, so that a stay in it can begin. */
    Part enter(String group, Stay stay) throws Throwable;

    /** A test that {@link #find} has found. */
    final class Found {
        /** Unique in its group. */
        final String key;
        /** Where its code is; the method may be null. */
        final Class<?> type;
        final String method;
        final List<String> markers;

        Found(String key, Class<?> type, String method) {
            this(key, type, method, Markers.of(type, method));
        }

        Found(String key, Class<?> type, String method, List<String> markers) {
            this.key = key;
            this.type = type;
            this.method = method;
            this.markers = markers;
        }
    }
}
