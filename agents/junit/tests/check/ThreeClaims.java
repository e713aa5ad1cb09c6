package dev.anyorder.agent;

import static dev.anyorder.agent.Check.equal;

import java.util.List;

/** JUnit 3. */
record ThreeClaims(Check check) {
    private static final String ONE = "sample.three.CaseTest#testOne";
    private static final String TWO = "sample.three.CaseTest#testTwo";
    private static final String IN_SUITE = " (in sample.three.DecoratedTest)";

    void all() {
        check.claim("test cases run in the order asked for, again and again", () -> {
            try (Session session = check.open()) {
                equal(List.of("failed call AssertionFailedError: two is wrong", "passed", "passed"),
                        session.run(true, TWO, ONE, ONE));
                equal(List.of("setUp", "two", "tearDown", "setUp", "one", "tearDown", "setUp", "one", "tearDown"),
                        session.events());
            }
        });
        check.claim("a decorator's set-up runs once per stay", () -> {
            try (Session session = check.open()) {
                equal(List.of("passed", "failed call AssertionFailedError: two is wrong", "passed", "passed"),
                        session.run(true, ONE + IN_SUITE, TWO + IN_SUITE, ONE, ONE + IN_SUITE));
                equal(List.of("up", "setUp", "one", "tearDown", "setUp", "two", "tearDown", "down", "setUp", "one",
                        "tearDown",
                        "up", "setUp", "one", "tearDown", "down"), session.events());
            }
        });
        check.claim("source files and lines are told", () -> {
            equal("three/sample/three/CaseTest.java", check.test(TWO).get("file"));
            equal(22L, check.test(TWO).get("line"));
        });
    }
}
