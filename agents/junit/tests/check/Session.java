package dev.anyorder.agent;

import java.io.File;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The engine's end of the wire, for one JVM with an agent in it. */
final class Session implements AutoCloseable {
    private static int opened;

    private final Process process;
    private final SocketChannel channel;
    private final List<String> ids = new ArrayList<>();
    private final Path log;
    final Map<?, ?> hello;
    final Map<?, ?> ready;

    Session(Jvm jvm, Path tests, Map<String, Object> properties) throws Exception {
        Path directory = Files.createDirectories(jvm.directory().resolve("session-" + opened++));
        log = directory.resolve("events");
        Files.deleteIfExists(log);
        Path socket = Files.createTempDirectory("anyorder").resolve("socket");
        Map<String, Object> all = new LinkedHashMap<>(properties);
        all.put("sample.log", log.toString());
        Path classLog = directory.resolve("classes");
        Map<String, Object> orders = Map.of("mode", "serve", "tests", tests.toString(), "socket", socket.toString(),
                "node", 7, "properties", all, "class_log", classLog.toString(), "hello", Map.of("root", "/r"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            process = jvm.start(orders, directory, "-Xlog:class+init=info:file=" + classLog + ":none");
            channel = accepted(server, directory);
        }
        Files.delete(socket);
        Files.delete(socket.getParent());
        hello = receive();
        ready = receive();
        say(Map.of("verb", "collect"));
        for (Object test : (List<?>) receive().get("tests")) {
            ids.add((String) ((Map<?, ?>) test).get("id"));
        }
    }

    private SocketChannel accepted(ServerSocketChannel server, Path directory) throws Exception {
        server.configureBlocking(false);
        while (true) {
            SocketChannel accepted = server.accept();
            if (accepted != null) {
                return accepted;
            }
            if (process.waitFor(20, TimeUnit.MILLISECONDS)) {
                throw new IOException(Files.readString(directory.resolve("output")));
            }
        }
    }

    /** What was said until the run had ended, or the process: words of the wire without their places and times. */
    List<String> run(boolean finish, String... tests) throws IOException {
        return asked(finish, false, tests).stream().map(Session::inWords).toList();
    }

    List<Map<?, ?>> asked(boolean finish, boolean output, String... tests) throws IOException {
        List<Object> places = new ArrayList<>();
        for (String test : tests) {
            int place = ids.indexOf(test);
            if (place < 0) {
                throw new IllegalArgumentException(test + " is not among " + ids);
            }
            places.add(place);
        }
        say(Map.of("verb", "run", "tests", places, "finish", finish, "output", output));
        return until("ran");
    }

    List<String> finish() throws IOException {
        say(Map.of("verb", "finish"));
        return until("finished").stream().map(Session::inWords).toList();
    }

    private List<Map<?, ?>> until(String end) throws IOException {
        List<Map<?, ?>> said = new ArrayList<>();
        while (true) {
            Map<?, ?> message = receive();
            if (message == null || message.get("say").equals(end)) {
                return said;
            }
            said.add(message);
        }
    }

    private static String inWords(Map<?, ?> message) {
        StringBuilder words = new StringBuilder();
        words.append(message.get("say").equals("outcome") ? message.get("outcome") : message.get("say"));
        for (Object more : new Object[] {message.get("phase"), message.get("text")}) {
            words.append(more == null ? "" : " " + more);
        }
        if (message.get("signature") instanceof Map<?, ?> signature) {
            String kind = (String) signature.get("kind");
            words.append(" ").append(kind.substring(kind.lastIndexOf('.')
                    + 1)).append(": ").append(signature.get("message"));
        }
        return words.toString();
    }

    /** What the samples did since this was asked last. */
    List<String> events() throws IOException {
        if (!Files.exists(log)) {
            return List.of();
        }
        List<String> events = Files.readAllLines(log);
        Files.delete(log);
        return events;
    }

    /** The status that the JVM ends with when it is told to leave. */
    int exit() throws Exception {
        say(Map.of("verb", "exit", "reap", List.of()));
        return status();
    }

    int status() throws Exception {
        return process.waitFor(10, TimeUnit.SECONDS) ? process.exitValue() : -1;
    }

    private void say(Map<String, Object> message) throws IOException {
        byte[] body = Json.encode(message).getBytes(StandardCharsets.UTF_8);
        ByteBuffer frame = ByteBuffer.allocate(4 + body.length).putInt(body.length).put(body).flip();
        while (frame.hasRemaining()) {
            channel.write(frame);
        }
    }

    private Map<?, ?> receive() throws IOException {
        ByteBuffer length = read(4);
        return length == null ? null : (Map<?, ?>) Json.decode(new String(read(length.getInt()).array(),
                StandardCharsets.UTF_8));
    }

    private ByteBuffer read(int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                return null;
            }
        }
        return buffer.flip();
    }

    @Override
    public void close() throws IOException {
        channel.close();
        process.destroyForcibly();
    }

    /** How JVMs are started. */
    record Jvm(String java, String classPath, Path directory) {
        Process start(Map<String, Object> orders, Path directory, String... options) throws IOException {
            Path file = directory.resolve("orders.json");
            Files.writeString(file, Json.encode(orders));
            List<String> command = new ArrayList<>(List.of(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                    "-Xmx128m", "-Xss512k"));
            command.addAll(List.of(options));
            command.addAll(List.of("-cp", classPath, "dev.anyorder.agent.Main", file.toString()));
            File output = directory.resolve("output").toFile();
            return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start();
        }
    }
}
