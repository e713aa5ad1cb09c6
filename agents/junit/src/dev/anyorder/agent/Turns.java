package dev.anyorder.agent;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Whose turn it is: the engine's requests as a row of tests, and their outcomes as messages.
 *
 * <p>An outcome is held until the next test starts, so that the tear-down of a class that nobody needs any more still
 * belongs to the last test in it. When a request ends before it is known who comes next, the outcome is told first,
 * and such a failure is told late.
 */
final class Turns {
    private final Wire link;
    private final List<Test> tests;
    private final Output output;
    private final ClassLog classes;
    /** Null where this process cannot be forked. */
    private final Family family;

    private List<?> row = new ArrayList<Object>();
    private int at;
    private boolean isRunning;
    private boolean withOutput;
    private boolean isLast;
    /** Nothing more will run; what stands is coming down. */
    private boolean isOver;
    /** Something may stand. */
    private boolean isStanding;
    private boolean hasToldLate;

    private int count;
    private Outcome held;
    private int heldAt;
    private boolean isBegun;
    private long begun;
    private Test last;

    Turns(Wire link, List<Test> tests, Output output, ClassLog classes, Family family) {
        this.link = link;
        this.tests = tests;
        this.output = output;
        this.classes = classes;
        this.family = family;
    }

    /** The test that has to run next; null when everything is to be torn down. Waits for the engine if need be. */
    Test next() {
        while (at == row.size() && !isOver) {
            if (isRunning && isLast) {
                isOver = true;
            } else {
                endRun(true);
                obey(link.receive());
            }
        }
        return isOver ? null : tests.get(((Long) row.get(at)).intValue());
    }

    /** How many tests have ended. */
    int count() {
        return count;
    }

    /** Something begins that belongs to the next test. */
    void starting() {
        if (!isBegun) {
            tellHeld();
            output.begin(withOutput);
            isBegun = true;
            begun = System.nanoTime();
        }
        isStanding = true;
    }

    /** The next test has ended. */
    void ended(Outcome outcome) {
        held = outcome;
        heldAt = at++;
        last = outcome.test;
        isBegun = false;
        count++;
    }

    /** What stood around the last test has failed to come down. */
    void tearDownFailed(Throwable error) {
        if (held != null) {
            held = held.withTearDown(error);
        } else if (!hasToldLate && last != null) {
            Map<String, Object> message = message("late");
            message.put("signature", Signature.of(error, last));
            link.say(message);
            hasToldLate = true;
        }
    }

    /** Everything has come down. */
    void close() {
        isStanding = false;
        if (isRunning) {
            endRun(false);
        } else {
            link.say(message("finished"));
        }
        isOver = false;
    }

    private void endRun(boolean isStanding) {
        if (isRunning) {
            tellHeld();
            Map<String, Object> ran = message("ran");
            if (isStanding) {
                ran.put("gained", gained());
            }
            link.say(ran);
            isRunning = false;
        }
    }

    /** Null if that cannot be told; then this state is not forked. */
    private Map<String, Object> gained() {
        try {
            return family == null ? new LinkedHashMap<String, Object>() : family.gained();
        } catch (IOException unreadable) {
            return null;
        }
    }

    private void tellHeld() {
        if (held == null) {
            return;
        }
        Map<String, Object> message = held.toMessage(heldAt, (System.nanoTime() - begun) / 1e9);
        if (withOutput) {
            message.put("output", output.end(held.thrown));
        }
        if (classes != null) {
            message.put("classes", classes.initialised());
        }
        if (family != null && family.isOrphan()) {
            message.put("orphaned", true);
        }
        held = null;
        link.say(message);
    }

    private void obey(Map<String, Object> request) {
        Object verb = request.get("verb");
        hasToldLate = false;
        if (verb.equals("collect")) {
            collect();
        } else if (verb.equals("run")) {
            row = (List<?>) request.get("tests");
            at = 0;
            isLast = (Boolean) request.get("finish");
            withOutput = Boolean.TRUE.equals(request.get("output"));
            isRunning = true;
        } else if (verb.equals("finish")) {
            isOver = true;
        } else if (verb.equals("exit")) {
            leave((List<?>) request.get("reap"));
        } else if (verb.equals("fork") && family != null) {
            fork((Long) request.get("node"), (List<?>) request.get("reap"));
        } else if (verb.equals("wait") && family != null) {
            Map<String, Object> waited = message("waited");
            waited.put("status", Fork.waitFor(((Long) request.get("pid")).intValue(), true));
            link.say(waited);
        } else {
            link.trouble(new IllegalStateException("this agent does not know how to " + verb));
        }
    }

    /** The child goes on from here, too, with its own next request. */
    private void fork(long node, List<?> reap) {
        Map<String, Object> message;
        try {
            family.reap(reap, false);
            if (count == 0) {
                family.warmUp();
            }
            int child = family.fork();
            if (child == 0) {
                message = message("hello");
                message.put("node", node);
            } else if (child > 0) {
                message = message("forked");
                message.put("pid", child);
            } else {
                message = message("trouble");
                message.put("text", Fork.reason(child));
            }
        } catch (IOException error) {
            message = message("trouble");
            message.put("text", error.toString());
        }
        link.say(message);
    }

    private void leave(List<?> reap) {
        if (family != null) {
            family.reap(reap, true);
            if (family.isChild()) {
                Fork.exit(0);
            }
        }
        Main.leave(isStanding);
    }

    private void collect() {
        List<Object> told = new ArrayList<Object>();
        for (Test test : tests) {
            told.add(test.toJson());
        }
        Map<String, Object> message = message("collected");
        message.put("tests", told);
        link.say(message);
    }

    private static Map<String, Object> message(String word) {
        Map<String, Object> message = new LinkedHashMap<String, Object>();
        message.put("say", word);
        return message;
    }
}
