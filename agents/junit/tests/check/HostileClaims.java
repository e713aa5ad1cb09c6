package dev.anyorder.agent;

import static dev.anyorder.agent.Check.equal;

import java.util.List;
import java.util.Map;

/** Tests that would break the agent if they could. */
record HostileClaims(Check check) {
    private static final String HOSTILE = "sample.four.HostileTest#";
    private static final String SANE = HOSTILE + "sane";
    private static final String OTHER = "sample.four.BrokenDownTest#one";

    void all() {
        for (String name : List.of("takesTheStreamsAway", "changesDefaults", "interruptsItself", "leavesAThread")) {
            check.claim(name + " harms nobody else", () -> {
                try (Session session = check.open()) {
                    equal(List.of("passed", "passed"), session.run(false, HOSTILE + name, SANE));
                    String down = "error teardown IllegalStateException: down is broken";
                    equal(List.of(down, "passed"), session.run(true, OTHER, SANE));
                    equal(0, session.exit());
                }
            });
        }
        check.claim("a test that forbids everything harms nobody else", () -> {
            try (Session session = check.open()) {
                String said = session.run(false, HOSTILE + "forbidsEverything").get(0);
                equal("passed", said.startsWith("failed call UnsupportedOperationException") ? "passed" : said);
                equal(List.of("passed"), session.run(true, SANE));
            }
        });
        check.claim("a thread that was left interrupted is left so, except by JUnit itself since 4.13", () -> {
            boolean isLeft = check.version.equals("4.8.2") || check.version.equals("4.11");
            try (Session session = check.open()) {
                equal(List.of("passed"), session.run(false, HOSTILE + "interruptsItself"));
                equal(List.of(isLeft ? "passed" : "failed call AssertionError: "), session.run(true, HOSTILE
                        + "isInterrupted"));
            }
        });
        check.claim("an interruption between runs does not lose the connection", () -> {
            try (Session session = check.open()) {
                equal(List.of("passed"), session.run(false, HOSTILE + "interruptsLater"));
                Thread.sleep(600);
                equal(List.of("passed"), session.run(true, HOSTILE + "isInterrupted"));
            }
        });
        check.claim("overflows, full heaps and mute exceptions are failures like others", () -> {
            try (Session session = check.open()) {
                List<String> said = session.run(true, HOSTILE + "overflows", HOSTILE + "eatsMemory", HOSTILE
                        + "throwsAMuteException", SANE);
                equal(List.of("failed call StackOverflowError: ", "failed call OutOfMemoryError: Java heap space",
                        "failed call HostileTest$Mute: ", "passed"), said);
            }
        });
        check.claim("a test that ends the JVM ends it, and nothing is said of it", () -> {
            for (Map.Entry<String, Integer> each : Map.of("exits", 3, "halts", 4).entrySet()) {
                try (Session session = check.open()) {
                    equal(List.of("passed"), session.run(true, SANE, HOSTILE + each.getKey(), OTHER));
                    equal(each.getValue(), session.status());
                }
            }
        });
        check.claim("the end of what is printed is kept, and only if it is wanted", () -> {
            try (Session session = check.open()) {
                String output = (String) session.asked(false, true, HOSTILE + "printsALot").get(0).get("output");
                equal(true, output.length() <= 64 * 1024 && output.endsWith("line 199999\n"));
                equal(null + "", session.asked(true, false, HOSTILE + "printsALot").get(0).get("output") + "");
            }
        });
    }
}
