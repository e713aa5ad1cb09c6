package dev.anyorder.agent;

/** What a framework has told of one test or of one class, folded into one outcome. */
final class Seen {
    Throwable failure;
    /** Why it was skipped: an exception or a text. */
    Object skipped;
    private boolean hasPassed;

    void failed(Throwable error) {
        if (failure == null) {
            failure = error;
        }
    }

    void skipped(Object reason) {
        if (skipped == null) {
            skipped = reason == null ? "" : reason;
        }
    }

    void passed() {
        hasPassed = true;
    }

    /** A test that was several invocations is skipped if all of them were. */
    boolean isSkipped() {
        return failure == null && skipped != null && !hasPassed;
    }
}
