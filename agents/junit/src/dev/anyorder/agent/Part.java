package dev.anyorder.agent;

/** Something that a framework can run: one test, or a class with what stands around its tests. */
interface Part {
    /** Whether it is one test, rather than something around tests. */
    boolean isTest();

    /** Whether this test is it, or is in it. */
    boolean holds(Test test);

    /** Runs it; failures are told to the {@link Stay} by the framework's listener, or thrown. */
    void run() throws Throwable;
}
