package dev.anyorder.agent;

import static dev.anyorder.agent.Check.equal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Jupiter. */
record FiveClaims(Check check) {
    private static final String PLAIN = "sample.five.PlainTest#";
    private static final String NESTED = "sample.five.NestedTest";
    private static final String MANY = "sample.five.ManyTest#";
    private static final String BROKEN = "sample.five.BrokenTest";

    void all() {
        check.claim("stays have set-up and tear-down, and what is in the root store closes at the very end", () -> {
            try (Session session = check.open()) {
                equal(List.of("passed", "passed", "passed", "passed", "passed"),
                        session.run(false, PLAIN + "two", PLAIN + "one", NESTED + "#one", PLAIN + "one", PLAIN
                                + "one"));
                equal(List.of("open", "up", "before", "two", "after", "before", "one", "after", "down",
                        "outer up", "outer before", "outer one", "outer down",
                        "up", "before", "one", "after", "down", "up", "before", "one", "after"), session.events());
                equal(List.of(), session.finish());
                equal(closing("down"), session.events());
                session.run(true, PLAIN + "one");
                equal(closing("open", "up", "before", "one", "after", "down"), session.events());
                equal(0, session.exit());
            }
        });
        check.claim("nested classes stand inside their outer ones", () -> {
            try (Session session = check.open()) {
                session.run(true, NESTED + "$Inner#two", NESTED + "$Inner#one", NESTED + "#one", NESTED + "$Inner#one");
                equal(List.of("outer up", "inner up", "outer before", "inner two", "outer before", "inner one",
                        "inner down 2",
                        "outer before", "outer one", "outer down",
                        "outer up", "inner up", "outer before", "inner one", "inner down 1", "outer down"),
                                session.events());
            }
            equal(List.of(NESTED + "#one", NESTED + "$Inner#one", NESTED + "$Inner#two"),
                    check.idsOf(NESTED).stream().sorted().toList());
        });
        check.claim("methods of many invocations are one test, and the worst of them counts", () -> {
            try (Session session = check.open()) {
                List<String> said = session.run(true, MANY + "made", MANY + "repeated", MANY + "parametrised", MANY
                        + "partlyWrong", MANY + "allAssumed");
                equal(List.of("passed", "passed", "passed"), said.subList(0, 3));
                equal("failed call AssertionFailedError", said.get(3).substring(0, 32));
                equal("skipped TestAbortedException", said.get(4).substring(0, 28));
                equal(List.of("made x", "made y", "again", "again", "value 1", "value 2"), session.events());
            }
            equal(List.of("expands"), check.test(MANY + "made").get("markers"));
        });
        check.claim("outcomes are told in the words of the wire", () -> {
            try (Session session = check.open()) {
                List<Map<?, ?>> said = session.asked(true, true, PLAIN + "wrong", PLAIN + "one", PLAIN + "assumed",
                        PLAIN + "disabled", PLAIN + "eatsMemory", PLAIN + "two");
                equal(List.of("failed", "passed", "skipped", "skipped", "failed", "passed"),
                        said.stream().map(each -> each.get("outcome")).toList());
                Map<?, ?> signature = (Map<?, ?>) said.get(0).get("signature");
                equal("org.opentest4j.AssertionFailedError", signature.get("kind"));
                equal("five/sample/five/PlainTest.java:62", signature.get("at"));
                equal(true, ((String) said.get(0).get("output")).contains("expected: <1> but was: <2>"));
                equal("java.lang.OutOfMemoryError", ((Map<?, ?>) said.get(4).get("signature")).get("kind"));
            }
        });
        check.claim("overloads are told apart by their types", () -> {
            try (Session session = check.open()) {
                session.run(true, PLAIN + "overloaded(TestInfo)", PLAIN + "overloaded()");
                equal(closing("open", "up", "before", "overloaded overloaded(TestInfo)", "after", "before",
                        "overloaded", "after", "down"), session.events());
            }
        });
        check.claim("failures around tests belong to the right ones", () -> {
            try (Session session = check.open()) {
                String up = "error setup IllegalStateException: up is broken";
                String down = "IllegalStateException: down is broken";
                List<String> said = session.run(false, BROKEN + "$BrokenUp#one", BROKEN + "$BrokenUp#two", BROKEN
                        + "#one", BROKEN + "$Off#one", PLAIN + "one", BROKEN + "#one");
                equal(List.of(up, up, "passed", "error teardown " + down, "passed", "passed"), said);
                equal(1L, session.events().stream().filter("broken up"::equals).count());
                equal(List.of("late " + down, "passed"), session.run(true, PLAIN + "one"));
            }
        });
        check.claim("what fails at the very end belongs to the last test", () -> {
            try (Session session = check.open(Map.of("sample.broken", "true"))) {
                String last = session.run(true, PLAIN + "two", PLAIN + "one").get(1);
                equal(closes() ? "error teardown" : "passed", last.replaceAll(" [A-Za-z]*Exception: .*", ""));
            }
        });
        check.claim("tags and switched-off tests are marked", () -> {
            equal(List.of("tag:quick"), check.test(PLAIN + "one").get("markers"));
            equal(List.of("disabled"), check.test(PLAIN + "disabled").get("markers"));
        });
    }

    private boolean closes() {
        return !check.version.equals("5.0");
    }

    /** These events, and then the end of what is in the root store. */
    private List<String> closing(String... events) {
        List<String> all = new ArrayList<>(List.of(events));
        if (closes()) {
            all.add("close");
        }
        return all;
    }
}
