package dev.anyorder.agent;

import static dev.anyorder.agent.Check.equal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** The agent that writes down how a test JVM was started. */
record CaptureClaims(Check check, Session.Jvm jvm, Path samples, Path agent) {
    void all() {
        check.claim("what a worker was started with and has set is captured", () -> {
            Map<?, ?> captured = capture("-Dusers.own=1 ");
            equal("surefire", captured.get("worker"));
            equal(List.of(booter().toString(), samples.toString()), captured.get("class_path"));
            Map<?, ?> properties = (Map<?, ?>) captured.get("properties");
            equal("yes", properties.get("set.by.worker"));
            equal("null", properties.get("removed.by.worker") + "");
            equal(List.of("removed.by.worker"), captured.get("removed_properties"));
            equal("-Dusers.own=1", ((Map<?, ?>) captured.get("environment")).get("JAVA_TOOL_OPTIONS"));
            List<?> command = (List<?>) captured.get("command");
            equal(true, command.contains("-Dgiven=a b") && command.contains("-Dremoved.by.worker=1"));
            equal(samples.toRealPath().toString(), captured.get("directory"));
        });
        check.claim("tests do not see the variable that brought the agent in", () -> {
            capture("");
            equal(List.of("options null"), Files.readAllLines(events()));
        });
    }

    private Map<?, ?> capture(String usersOptions) throws Exception {
        Path directory = Files.createTempDirectory(jvm.directory(), "capture");
        Path manifestOnly = jar("surefirebooter1.jar", "sample-booter.jar " + samples.toUri());
        Path argumentFile = Files.writeString(jvm.directory().resolve("arguments"), "\"-Dgiven=a b\"\n-cp '"
                + manifestOnly + "'");
        Files.deleteIfExists(events());
        ProcessBuilder builder = new ProcessBuilder(jvm.java(), "-Dsample.log=" + events(), "-Dremoved.by.worker=1",
                "@" + argumentFile, "sample.ForkedBooter")
                .directory(samples.toFile()).inheritIO();
        builder.environment().put("JAVA_TOOL_OPTIONS", usersOptions + "-javaagent:" + agent + "=capture:" + directory);
        builder.redirectError(jvm.directory().resolve("capture output").toFile());
        booter();
        equal(0, builder.start().waitFor());
        List<Path> files = new ArrayList<>();
        try (var listed = Files.list(directory)) {
            listed.forEach(files::add);
        }
        equal(1, files.size());
        return (Map<?, ?>) Json.decode(Files.readString(files.get(0)));
    }

    private Path events() {
        return jvm.directory().resolve("capture events");
    }

    private Path booter() throws IOException {
        return jar("sample-booter.jar", null);
    }

    /** With a class path and nothing else, or with the worker's main class. */
    private Path jar(String name, String classPath) throws IOException {
        Path file = jvm.directory().resolve(name);
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        if (classPath != null) {
            manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath);
        }
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(file), manifest)) {
            if (classPath == null) {
                out.putNextEntry(new JarEntry("sample/ForkedBooter.class"));
                Files.copy(samples.resolve("sample/ForkedBooter.class"), out);
            }
        }
        return file;
    }
}
