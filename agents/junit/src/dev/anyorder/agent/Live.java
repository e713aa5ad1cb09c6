package dev.anyorder.agent;

import java.util.Collections;
import java.util.List;

/** Runs whatever the turns ask for, each stay by its back end. */
final class Live implements Runnable {
    private final Turns turns;
    private final List<Backend> backends;

    Live(Turns turns, List<Backend> backends) {
        this.turns = turns;
        this.backends = backends;
    }

    /** Returns when everything is to be torn down. */
    @Override
    public void run() {
        for (Test test = turns.next(); test != null; test = turns.next()) {
            Backend backend = backendOf(test);
            if (backend.isOpen()) {
                Stay stay = new Stay(turns, test);
                stay.live(Collections.singletonList(new Group(backend, test.group, stay)));
            } else {
                open(backend, test);
            }
        }
    }

    /**
     * Stays of every back end go on inside, so that what this one has around all of its classes comes down only at
     * the end.
     */
    private void open(Backend backend, Test first) {
        turns.starting();
        int before = turns.count();
        Seen seen = new Seen();
        try {
            backend.open(this);
        } catch (Throwable error) {
            seen.failed(error);
        }
        if (turns.count() == before) {
            turns.ended(Outcome.ofSetUp(seen, first));
        } else if (seen.failure != null) {
            turns.tearDownFailed(seen.failure);
        }
    }

    private Backend backendOf(Test test) {
        for (Backend backend : backends) {
            if (backend.name().equals(test.backend)) {
                return backend;
            }
        }
        throw new IllegalStateException("no back end for " + test.id);
    }

    /** A class, which is loaded when a stay in it begins. */
    private static final class Group extends Whole {
        private final Backend backend;
        private final String group;
        private final Stay stay;

        Group(Backend backend, String group, Stay stay) {
            this.backend = backend;
            this.group = group;
            this.stay = stay;
        }

        @Override
        public void run() throws Throwable {
            backend.enter(group, stay).run();
        }
    }
}
