package dev.anyorder.agent;

import static dev.anyorder.agent.Check.equal;

import java.util.List;

/** Mockito's runner, which wraps the one that can be driven. */
record MockitoClaims(Check check) {
    void all() {
        check.claim("Mockito's tests run in one stay, and stubs that only other tests use are no failure", () -> {
            try (Session session = check.open()) {
                equal(List.of("passed", "passed"), session.run(true, "sample.mockito.StrictTest#leavesAlone",
                        "sample.mockito.StrictTest#uses"));
                equal(List.of("up", "leaves alone", "uses"), session.events());
                equal(List.of("passed"), session.run(true, "sample.mockito.StrictTest#leavesAlone"));
            }
        });
    }
}
