package dev.anyorder.agent;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.List;

/**
 * Forks this JVM with all of its threads, by the library in {@code agents/jvmfork}; {@code docs/jvm-fork.md} tells how.
 *
 * <p>Knows what can be forked at all. Does not know what children are for.
 */
final class Fork {
    // As the library says it, in refusal.rs.
    private static final int NO_LIBC = -10000;
    private static final int NOT_PARKED = -10001;
    private static final int BUSY = -10002;
    private static final int TOO_LONG = -10003;
    private static final int TOO_MANY = -10004;
    private static final int NO_SIGNAL = -10005;
    private static final int NO_THREADS = -10006;
    /** How long a child that does nothing may take. */
    private static final long TRIAL_MILLIS = 10000;
    private static final int KILLED = 9;

    private static final Charset UTF_8 = Charset.forName("UTF-8");

    private static Method handleOf;
    private static Object ownHandle;

    private Fork() {}

    /** The library's words: 0 in the child, the child's number in the parent, or a negative reason why there is none. */
    private static native int fork(byte[] script, int length, int steps);

    /** The thread because of which there was no fork. */
    private static native int unparked();

    private static native int carryOut(byte[] script, int length, int steps);

    /** How a child ended, as {@code waitpid} has it; -1 if it has not, -2 if there is no such child. */
    static native int waitFor(int child, boolean isPatient);

    /** Whether any child of this process has not been waited for. */
    static native boolean hasChildren();

    /** Ends this process at once: no hook runs, and no thread is waited for. */
    static native void exit(int status);

    static native int process();

    static native int parent();

    private static native void rename(Object own, Object other);

    /**
     * Loads the library and tries it.
     *
     * @return null if this JVM can be forked, else why not
     */
    static String prepare(String library) {
        try {
            String hindrance = hindrance();
            if (hindrance != null) {
                return hindrance;
            }
            System.load(library);
            Class<?> handle = Class.forName("java.lang.ProcessHandle"); // JDK 9
            handleOf = handle.getMethod("of", long.class);
            ownHandle = handle.getMethod("current").invoke(null);
            correctHandle(); // changes nothing here; what reflection makes at its first use, each child would make again
            return trial();
        } catch (Exception refused) {
            return refused.toString();
        } catch (LinkageError refused) {
            return refused.toString();
        }
    }

    /** What can be seen from here. */
    private static String hindrance() throws IOException {
        String processor = System.getProperty("os.arch");
        if (!processor.equals("amd64")) {
            return "this JVM is made for " + processor + ", and only those for x86-64 are forked";
        }
        if (new String(Files.readAllBytes(Paths.get("/proc/self/maps")), UTF_8).contains("/ld-musl-")) {
            return "this JVM uses musl, and only those that use glibc are forked";
        }
        List<String> shared = SharedMemory.names();
        if (shared.isEmpty()) {
            return null;
        }
        return shared.get(0).contains("java_heap")
                ? "ZGC keeps the heap of this JVM in shared memory"
                : "this JVM keeps data in shared memory: " + shared.get(0);
    }

    private static String trial() throws InterruptedException {
        int child = child(new Script());
        if (child == 0) {
            exit(0);
        }
        if (child < 0) {
            return reason(child);
        }
        long deadline = System.nanoTime() + TRIAL_MILLIS * 1000000;
        int status = waitFor(child, false);
        while (status == -1 && System.nanoTime() < deadline) {
            Thread.sleep(1);
            status = waitFor(child, false);
        }
        if (status == -1) {
            Script end = new Script();
            end.attempt(Script.KILL, child, KILLED);
            here(end);
            waitFor(child, true);
        }
        return status == 0 ? null : "a fork of this JVM did not end as it should: " + status;
    }

    /**
     * A copy of this process that has carried out the script.
     *
     * @return 0 in the child; in the parent the child's number, or a negative number that {@link #reason} explains
     */
    static int child(Script script) {
        byte[] bytes = script.bytes();
        int child = fork(bytes, bytes.length, script.steps());
        if (child == 0) {
            correctHandle();
        }
        return child;
    }

    /** Whether this script can be carried out, tried in a child. */
    static boolean isPossible(Script script) {
        script.need(Script.EXIT_GROUP, 0);
        byte[] bytes = script.bytes();
        int child = fork(bytes, bytes.length, script.steps());
        return child > 0 && waitFor(child, true) == 0;
    }

    /** Carries a script out here, for the thread that asks. */
    static boolean here(Script script) {
        byte[] bytes = script.bytes();
        return carryOut(bytes, bytes.length, script.steps()) == 1;
    }

    static String reason(int refusal) {
        switch (refusal) {
            case NO_LIBC:
                return "this libc is not a glibc as anyorder knows it";
            case NOT_PARKED:
                return "the thread " + described(unparked()) + " does not stop when it is sent a signal";
            case BUSY:
                return "another thread is forking this JVM";
            case TOO_LONG:
                return "a child would have more to do than there is room for: too many files or layers of disk";
            case TOO_MANY:
                return "this JVM has too many threads or open files";
            case NO_SIGNAL:
                return "no signal is free to stop threads with";
            case NO_THREADS:
                return "/proc does not tell which threads there are";
            default:
                return "the system does not copy this process: error " + -refusal;
        }
    }

    /** By its number and, while it lives, the name that the system has for it. */
    private static String described(int thread) {
        try {
            byte[] name = Files.readAllBytes(Paths.get("/proc/self/task/" + thread + "/comm"));
            return thread + " (" + new String(name, UTF_8).trim() + ")";
        } catch (IOException gone) {
            return String.valueOf(thread);
        }
    }

    /** Java asks for its own number once, and keeps the answer. */
    private static void correctHandle() {
        try {
            Object real = handleOf.invoke(null, (long) process());
            rename(ownHandle, real.getClass().getMethod("get").invoke(real));
        } catch (ReflectiveOperationException unlikely) {
            throw new IllegalStateException(unlikely);
        }
    }
}
