package dev.anyorder.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a test of the agent's own some times, as if an engine had asked for it, so that JUnit and the agent are loaded and
 * compiled before the first fork.
 */
final class Rehearsal implements Wire {
    /** The compiler takes a method at its 200th call. What it does not compile here it would compile in every child. */
    private static final int ROUNDS = 300;
    private static final long MOST_NANOSECONDS = 3000000000L;

    private Rehearsal() {}

    /** A back end without a test for this, or one that the user has set up in a way of his own, is not rehearsed. */
    static void of(Backend backend) {
        if (!backend.canRehearse()) {
            return;
        }
        try {
            Class<?> type = Class.forName(backend.getClass().getName() + "Rehearsal");
            String name = type.getName();
            String key = backend.find(type).get(0).key;
            Test test = new Test(name + "#runs", key, name, "", 1, new ArrayList<String>(), backend.name());
            Turns turns = new Turns(new Rehearsal(), Collections.singletonList(test), new Output(), null, null);
            Live live = new Live(turns, Collections.singletonList(backend));
            long begun = System.nanoTime();
            for (int round = 0; round < ROUNDS && System.nanoTime() - begun < MOST_NANOSECONDS; round++) {
                live.run();
                turns.close();
            }
        } catch (Throwable failed) {
            // Then the first tests are a little slower.
            return;
        }
    }

    @Override
    public void say(Map<String, Object> message) {
        Json.encode(message);
    }

    @Override
    public void trouble(Throwable error) {
        throw new IllegalStateException(error);
    }

    @Override
    public Map<String, Object> receive() {
        Map<String, Object> request = new LinkedHashMap<String, Object>();
        request.put("verb", "run");
        request.put("tests", Collections.singletonList(0L));
        request.put("finish", true);
        request.put("output", false);
        return request;
    }
}
