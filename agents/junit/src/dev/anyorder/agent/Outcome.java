package dev.anyorder.agent;

import java.util.LinkedHashMap;
import java.util.Map;

/** What became of one test, in the words of the wire. */
final class Outcome {
    private final String word;
    private final String phase;
    private final Map<String, Object> signature;
    /** The test that it is of. */
    final Test test;
    /** What was thrown, for those who asked for the output. */
    final Throwable thrown;

    private Outcome(Test test, String word, String phase, Throwable thrown, Map<String, Object> signature) {
        this.test = test;
        this.word = word;
        this.phase = phase;
        this.thrown = thrown;
        this.signature = signature;
    }

    /** Of a test that ran. */
    static Outcome of(Seen seen, Test test) {
        if (seen.failure != null) {
            return new Outcome(test, "failed", "call", seen.failure, Signature.of(seen.failure, test));
        }
        return seen.isSkipped() ? skipped(seen, test) : new Outcome(test, "passed", null, null, null);
    }

    /** Of a test that its class did not let run. */
    static Outcome ofSetUp(Seen seen, Test test) {
        if (seen.failure != null) {
            return new Outcome(test, "error", "setup", seen.failure, Signature.of(seen.failure, test));
        }
        if (seen.isSkipped()) {
            return skipped(seen, test);
        }
        return new Outcome(test, "error", "setup", null, Signature.bare("", "its class no longer has this test"));
    }

    private static Outcome skipped(Seen seen, Test test) {
        Map<String, Object> signature = seen.skipped instanceof Throwable
                ? Signature.of((Throwable) seen.skipped, test)
                : Signature.bare("", String.valueOf(seen.skipped));
        return new Outcome(test, "skipped", null, null, signature);
    }

    /** The same, if it failed by itself; otherwise the failure of what was torn down after it. */
    Outcome withTearDown(Throwable error) {
        boolean hasFailed = word.equals("failed") || word.equals("error");
        return hasFailed ? this : new Outcome(test, "error", "teardown", error, Signature.of(error, test));
    }

    Map<String, Object> toMessage(int at, double seconds) {
        Map<String, Object> message = new LinkedHashMap<String, Object>();
        message.put("say", "outcome");
        message.put("at", at);
        message.put("outcome", word);
        message.put("seconds", seconds);
        if (phase != null) {
            message.put("phase", phase);
        }
        if (signature != null) {
            message.put("signature", signature);
        }
        return message;
    }
}
