package dev.anyorder.agent;

import static dev.anyorder.agent.Check.equal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** What holds without any framework. */
record CoreClaims(Check check) {
    void all() {
        check.claim("JSON comes back as it went", () -> {
            for (Object value : Arrays.asList("", "ü\u2028\"\\\n\ud83d\ude00", 12L, -1.5, true, null, List.of(),
                    Map.of(),
                    Map.of("a", List.of(1L, Map.of("b", "c"))))) {
                equal(String.valueOf(value), String.valueOf(Json.decode(Json.encode(value))));
            }
        });
        check.claim("golden messages of the wire are read", () -> {
            Path wire = Path.of(System.getProperty("samples"), "../../../../fixtures/wire");
            for (String file : List.of("messages.jsonl", "requests.jsonl")) {
                for (String line : Files.readAllLines(wire.resolve(file))) {
                    Object read = Json.decode(line);
                    equal(read, Json.decode(Json.encode(read)));
                }
            }
        });
        check.claim("half a surrogate pair becomes a question mark", () -> equal("\"?a?\"",
                Json.encode("\ud83da\ude00")));
        check.claim("what is no JSON is refused", () -> {
            for (String text : List.of("", "{", "[1,]", "{\"a\"}", "\"a", "1 2", "nul", "[".repeat(1000),
                    "\"\\u12\"")) {
                try {
                    throw new AssertionError(text + " was read as " + Json.decode(text));
                } catch (IllegalArgumentException refused) {
                    continue;
                }
            }
        });
        check.claim("argument files are split as the launcher splits them", () -> equal(
                List.of("-cp", "/a b/c\\d:e", "-Dx=y z", "", "Main"),
                CommandLine.split("-cp \"/a b/c\\\\d:e\" # a comment\n-Dx='y z' ''\r\nMain")));
        check.claim("only the JVMs that run tests are workers", () -> {
            equal("surefire", Capture.worker("/p q/target/surefire/surefirebooter123.jar /p q/tmp"));
            equal("surefire", Capture.worker("org.apache.maven.surefire.booter.ForkedBooter /p/x"));
            equal("gradle",
                    Capture.worker("worker.org.gradle.process.internal.worker.GradleWorkerMain 1"));
            equal("null", String.valueOf(Capture.worker("org.codehaus.plexus.classworlds.launcher.Launcher test")));
        });
        check.claim("the process introduces itself", () -> {
            try (Session session = check.open()) {
                equal(1L, session.hello.get("wire"));
                equal(7L, session.hello.get("node"));
                equal("/r", session.hello.get("root"));
                equal(false, session.ready.get("can_fork"));
                equal(List.of(), session.ready.get("errors"));
                equal(0, session.exit());
            }
        });
    }
}
