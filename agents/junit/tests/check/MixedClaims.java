package dev.anyorder.agent;

import static dev.anyorder.agent.Check.equal;

import java.util.List;

/** JUnit 4 beside Jupiter. */
record MixedClaims(Check check) {
    void all() {
        check.claim("stays of both may follow each other in any order", () -> {
            try (Session session = check.open()) {
                session.run(true, "sample.four.WrappedTest#one", "sample.five.PlainTest#one",
                        "sample.four.WrappedTest#two", "sample.three.CaseTest#testOne", "sample.five.PlainTest#two");
                equal(List.of("wrapped up", "one", "open", "up", "before", "one", "after", "down", "wrapped up", "two",
                        "setUp", "one", "tearDown", "up", "before", "two", "after", "down", "close"), session.events());
            }
        });
        check.claim("a class of one framework is no mistake to the other", () -> equal(
                List.of("jupiter"),
                check.idsOf("sample.five.NestedTest").stream().map(id -> backend(id)).distinct().toList()));
    }

    private String backend(String id) {
        try {
            return (String) check.test(id).get("backend");
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }
}
