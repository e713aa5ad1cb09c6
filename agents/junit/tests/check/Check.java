package dev.anyorder.agent;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Claims about the agent, each checked with real JVMs. Started by {@code run}, once per JUnit and JDK. */
final class Check {
    /** Something that should hold. */
    interface Claim {
        void check() throws Exception;
    }

    private final Session.Jvm jvm;
    final String version;
    private final Path tests;
    private int failed;

    private Check(Session.Jvm jvm, String version) {
        this.jvm = jvm;
        this.version = version;
        this.tests = jvm.directory().resolve("tests.json");
    }

    /** {@code JAVA CLASS_PATH DIRECTORY VERSION KINDS CLASS...} */
    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createDirectories(Path.of(arguments[2]).toAbsolutePath());
        Check check = new Check(new Session.Jvm(arguments[0], arguments[1], directory), arguments[3]);
        List<String> kinds = List.of(arguments[4].split(","));
        check.list(List.of(arguments).subList(5, arguments.length));
        new CoreClaims(check).all();
        Path built = Path.of(System.getProperty("built")).toAbsolutePath();
        new CaptureClaims(check, check.jvm, built.resolve("samples"), built.resolve("agent.jar")).all();
        if (kinds.contains("three")) {
            new ThreeClaims(check).all();
        }
        if (kinds.contains("four")) {
            new FourClaims(check).all();
            new HostileClaims(check).all();
        }
        if (kinds.contains("mockito")) {
            new MockitoClaims(check).all();
        }
        if (kinds.contains("five")) {
            new FiveClaims(check).all();
        }
        if (kinds.contains("four") && kinds.contains("five")) {
            new MixedClaims(check).all();
        }
        new PlainClaims(check, kinds).all();
        System.exit(check.failed == 0 ? 0 : 1);
    }

    private void list(List<String> classes) throws Exception {
        Map<String, Object> orders = Map.of("mode", "list", "tests", tests.toString(), "classes", classes,
                "properties", Map.of("sample.log", jvm.directory().resolve("list-events").toString()),
                "root", System.getProperty("samples"), "sources", List.of("three", "four", "five"));
        Process process = jvm.start(orders, jvm.directory());
        if (process.waitFor() != 0) {
            throw new IllegalStateException(Files.readString(jvm.directory().resolve("output")));
        }
    }

    Map<?, ?> listed() throws Exception {
        return (Map<?, ?>) Json.decode(Files.readString(tests));
    }

    /** The listed test with this id. */
    Map<?, ?> test(String id) throws Exception {
        for (Object test : (List<?>) listed().get("tests")) {
            if (((Map<?, ?>) test).get("id").equals(id)) {
                return (Map<?, ?>) test;
            }
        }
        throw new IllegalArgumentException("not listed: " + id);
    }

    /** The ids of one group. */
    List<String> idsOf(String group) throws Exception {
        List<String> ids = new ArrayList<>();
        for (Object test : (List<?>) listed().get("tests")) {
            if (((Map<?, ?>) test).get("group").equals(group)) {
                ids.add((String) ((Map<?, ?>) test).get("id"));
            }
        }
        return ids;
    }

    /** The lines that a plain runner writes for this order. */
    List<String> runPlain(String runner, List<String> order) throws Exception {
        Path file = Files.write(jvm.directory().resolve("plain order"), order);
        Path results = jvm.directory().resolve("plain results");
        Path output = jvm.directory().resolve("plain output");
        Files.deleteIfExists(results);
        new ProcessBuilder(jvm.java(), "-Danyorder.results=" + results, "-Dsample.log="
                + jvm.directory().resolve("plain events"),
                "-cp", jvm.classPath(), System.getProperty("samples") + "/../../plain/" + runner
                        + "/AnyorderOrder.java", file.toString())
                .redirectErrorStream(true).redirectOutput(output.toFile()).start().waitFor();
        if (!Files.exists(results)) {
            throw new IllegalStateException(Files.readString(output));
        }
        return Files.readAllLines(results);
    }

    Session open() throws Exception {
        return open(Map.of());
    }

    Session open(Map<String, Object> properties) throws Exception {
        return new Session(jvm, tests, properties);
    }

    void claim(String name, Claim claim) {
        try {
            claim.check();
        } catch (Exception | AssertionError error) {
            failed++;
            System.out.println("FAILED  " + name + "\n        " + error.getMessage());
            if (!(error instanceof AssertionError)) {
                error.printStackTrace(System.out);
            }
        }
    }

    static void equal(Object expected, Object seen) {
        if (!expected.equals(seen)) {
            throw new AssertionError("expected " + expected + "\n        but saw  " + seen);
        }
    }
}
