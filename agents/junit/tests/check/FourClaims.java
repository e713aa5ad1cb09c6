package dev.anyorder.agent;

import static dev.anyorder.agent.Check.equal;

import java.util.List;
import java.util.Map;

/** JUnit 4. */
record FourClaims(Check check) {
    private static final String PLAIN = "sample.four.PlainTest#";
    private static final String PARAMETER = "sample.four.ParameterTest#";
    private static final String ENCLOSED = "sample.four.EnclosedTest$";

    void all() {
        check.claim("class-level set-up runs once per stay, and a repeat begins a new one", () -> {
            try (Session session = check.open()) {
                session.run(true, PLAIN + "two", PLAIN + "one", PARAMETER + "one[1]", PLAIN + "one", PLAIN + "one");
                equal(List.of("up", "rule", "before", "two", "after", "rule", "before", "one", "after", "down",
                        "up", "one b", "down",
                        "up", "rule", "before", "one", "after", "down", "up", "rule", "before", "one", "after", "down"),
                        session.events());
            }
        });
        check.claim("outcomes are told in the words of the wire", () -> {
            try (Session session = check.open()) {
                List<Map<?, ?>> said = session.asked(true, false, PLAIN + "wrong", PLAIN + "one", PLAIN + "assumed",
                        PLAIN + "ignored");
                equal(List.of("failed", "passed", "skipped", "skipped"),
                        said.stream().map(each -> each.get("outcome")).toList());
                Map<?, ?> signature = (Map<?, ?>) said.get(0).get("signature");
                equal("java.lang.AssertionError", signature.get("kind"));
                equal("expected:<1> but was:<2>", signature.get("message"));
                equal("four/sample/four/PlainTest.java:57", signature.get("at"));
                equal("not now", ((Map<?, ?>) said.get(3).get("signature")).get("message"));
            }
        });
        check.claim("a class stands between runs until it is known that another comes", () -> {
            try (Session session = check.open()) {
                session.run(false, PLAIN + "one");
                equal(List.of("up", "rule", "before", "one", "after"), session.events());
                session.run(false, PLAIN + "two");
                equal(List.of("rule", "before", "two", "after"), session.events());
                session.run(false, PARAMETER + "two[0]");
                equal(List.of("down", "up", "two a"), session.events());
                equal(List.of(), session.finish());
                equal(List.of("down"), session.events());
                session.run(true, PLAIN + "one");
                equal(List.of("up", "rule", "before", "one", "after", "down"), session.events());
                equal(0, session.exit());
            }
        });
        check.claim("parameters are tests of their own and may be interleaved", () -> {
            equal(List.of("one[0]", "two[0]", "one[1]", "two[1]").stream().map(name -> PARAMETER
                    + name).sorted().toList(),
                    check.idsOf("sample.four.ParameterTest").stream().sorted().toList());
            try (Session session = check.open()) {
                session.run(true, PARAMETER + "one[1]", PARAMETER + "two[0]", PARAMETER + "two[1]");
                equal(List.of("up", "one b", "two a", "two b", "down"), session.events());
            }
        });
        check.claim("enclosed classes have their own names and stays", () -> {
            try (Session session = check.open()) {
                equal(List.of("passed", "passed", "skipped : "), session.run(true, ENCLOSED + "Second#one", ENCLOSED
                        + "First#one", ENCLOSED + "Third#*"));
                equal(List.of("second one", "first up", "first one", "first down"), session.events());
            }
        });
        check.claim("set-up that fails does so once for all tests of the stay", () -> {
            try (Session session = check.open()) {
                String error = "error setup IllegalStateException: up is broken";
                equal(List.of(error, error, "passed", error),
                        session.run(true, "sample.four.BrokenTest#one", "sample.four.BrokenTest#two", PLAIN + "one",
                                "sample.four.BrokenTest#one"));
                equal(2L, session.events().stream().filter("broken up"::equals).count());
            }
        });
        check.claim("tear-down that fails belongs to the last test, or comes late", () -> {
            try (Session session = check.open()) {
                String down = "IllegalStateException: down is broken";
                equal(List.of("error teardown " + down, "passed"), session.run(false,
                        "sample.four.BrokenDownTest#one", PLAIN + "one"));
                equal(List.of("passed"), session.run(false, "sample.four.BrokenDownTest#one"));
                equal(List.of("late " + down), session.finish());
                equal(List.of("error teardown " + down), session.run(true, "sample.four.BrokenDownTest#one"));
            }
        });
        check.claim("classes that are ignored or assumed away are skipped", () -> {
            try (Session session = check.open()) {
                List<String> said = session.run(true, "sample.four.IgnoredTest#*", "sample.four.AssumedTest#one");
                equal("skipped : ", said.get(0));
                equal("skipped", said.get(1).substring(0, 7));
            }
        });
        check.claim("a runner that cannot be driven runs each test by itself", () -> {
            try (Session session = check.open()) {
                equal(List.of("passed", "passed", "passed"), session.run(true, "sample.four.OwnRunnerTest#y",
                        "sample.four.OwnRunnerTest#x", "sample.four.OwnRunnerTest#x"));
                equal(List.of("own up", "y", "own up", "x", "own up", "x"), session.events());
            }
        });
        check.claim("a runner inside another is driven", () -> {
            try (Session session = check.open()) {
                session.run(true, "sample.four.WrappedTest#two", "sample.four.WrappedTest#one");
                equal(List.of("wrapped up", "two", "one"), session.events());
            }
        });
        check.claim("a class that can no longer be set up says why", () -> {
            try (Session session = check.open()) {
                equal(List.of("passed", "error setup IllegalStateException: no parameters today",
                        "error setup IllegalStateException: no parameters today", "passed"),
                        session.run(true, "sample.four.HostileTest#breaksTheParameters", PARAMETER + "one[1]",
                                PARAMETER + "one[0]", PLAIN + "one"));
            }
        });
        check.claim("the classes that a test initialises are told", () -> {
            try (Session session = check.open()) {
                List<Map<?, ?>> said = session.asked(true, false, "sample.four.HostileTest#breaksTheParameters",
                        "sample.four.HostileTest#sane");
                List<?> classes = (List<?>) said.get(0).get("classes");
                equal(true, classes.contains("sample.four.HostileTest")
                        && classes.contains("sample.four.ParameterTest"));
                equal(List.of(), said.get(1).get("classes"));
            }
        });
        check.claim("ignored tests are marked", () -> equal(List.of("disabled"), check.test(PLAIN
                + "ignored").get("markers")));
    }
}
