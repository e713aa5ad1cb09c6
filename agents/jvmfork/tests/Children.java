package dev.anyorder.agent;

/** What the programs here have in common: children that do something, and end with 0 if it went well. */
final class Children {
    /** What a child does. */
    interface Task {
        void run() throws Throwable;
    }

    private static final int HAS_FAILED = 3;

    private Children() {}

    static void prepare() {
        String refusal = Fork.prepare(System.getProperty("library"));
        if (refusal != null) {
            System.out.println("refused: " + refusal);
            Runtime.getRuntime().halt(2);
        }
    }

    /** Starts a child; it never returns from here. */
    static int start(Task task) {
        int child = Fork.child(new Script());
        if (child == 0) {
            int status = 0;
            try {
                task.run();
            } catch (Throwable failure) {
                failure.printStackTrace();
                status = HAS_FAILED;
            }
            Fork.exit(status);
        }
        return child;
    }

    /** How a child ended, in words; one that takes too long is ended. */
    static String end(int child, int seconds) throws Exception {
        if (child < 0) {
            return Fork.reason(child);
        }
        long deadline = System.nanoTime() + seconds * 1000000000L;
        int status = Fork.waitFor(child, false);
        while (status == -1 && System.nanoTime() < deadline) {
            Thread.sleep(1);
            status = Fork.waitFor(child, false);
        }
        if (status == -1) {
            new ProcessBuilder("kill", "-9", String.valueOf(child)).start().waitFor();
            Fork.waitFor(child, true);
            return "hangs";
        }
        int signal = status & 127;
        return status == 0 ? "well" : signal != 0 ? "signal " + signal : "status " + (status >> 8);
    }

    static void must(boolean isSo) {
        if (!isSo) {
            throw new AssertionError();
        }
    }
}
