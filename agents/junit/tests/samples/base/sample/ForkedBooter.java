package sample;

/** Looks like Surefire's worker from outside: sets a property, then loads a class from a directory. */
public final class ForkedBooter {
    private ForkedBooter() {}

    public static void main(String[] arguments) {
        System.setProperty("set.by.worker", "yes");
        System.clearProperty("removed.by.worker");
        Log.add("options " + System.getenv("JAVA_TOOL_OPTIONS"));
    }
}
