package dev.anyorder.agent;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.Charset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The agent's end of the wire: one connection, messages of JSON behind a four-byte length. Does not know what they
 * mean.
 *
 * <p>A channel closes for good when the thread that uses it is interrupted, and tests leave their thread interrupted.
 * So a thread of our own waits for requests, and the flag is put aside while a message is written.
 * A connection that is lost ends the JVM at once: an exception would only look like a failure to the framework.
 */
final class Link implements Wire {
    private static final Charset UTF_8 = Charset.forName("UTF-8");
    private static final Object GONE = new Object();

    private final SocketChannel channel;
    private final LinkedBlockingQueue<Object> requests = new LinkedBlockingQueue<Object>();

    Link(String address) throws ReflectiveOperationException, IOException {
        Class<?> unix = Class.forName("java.net.UnixDomainSocketAddress"); // JDK 16
        channel = SocketChannel.open((SocketAddress) unix.getMethod("of", String.class).invoke(null, address));
        Thread reader = new Thread(outermostGroup(), new Reader(), "anyorder-link") {
            /** A test may interrupt every thread that it finds, and an interrupted reader closes the channel. */
            @Override
            public void interrupt() {}
        };
        reader.setDaemon(true);
        reader.start();
    }

    /** Tests count the threads of their own group. */
    private static ThreadGroup outermostGroup() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }

    @Override
    public void say(Map<String, Object> message) {
        byte[] body = Json.encode(message).getBytes(UTF_8);
        ByteBuffer frame = ByteBuffer.allocate(4 + body.length);
        frame.putInt(body.length).put(body).flip();
        boolean wasInterrupted = Thread.interrupted();
        try {
            while (frame.hasRemaining()) {
                channel.write(frame);
            }
        } catch (IOException lost) {
            Main.leave(true);
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the JVM. */
    @Override
    public void trouble(Throwable error) {
        Map<String, Object> message = new LinkedHashMap<String, Object>();
        message.put("say", "trouble");
        message.put("text", new Output().end(error));
        say(message);
        Main.leave(true);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Map<String, Object> receive() {
        boolean wasInterrupted = false;
        while (true) {
            try {
                Object request = requests.take();
                if (request == GONE) {
                    Main.leave(true);
                }
                if (wasInterrupted) {
                    Thread.currentThread().interrupt();
                }
                return (Map<String, Object>) request;
            } catch (InterruptedException interrupted) {
                wasInterrupted = true;
            }
        }
    }

    private final class Reader implements Runnable {
        @Override
        public void run() {
            try {
                while (true) {
                    byte[] body = read(read(4).getInt()).array();
                    requests.add(Json.decode(new String(body, UTF_8)));
                }
            } catch (Exception lost) {
                requests.add(GONE);
            }
        }

        private ByteBuffer read(int length) throws IOException {
            ByteBuffer buffer = ByteBuffer.allocate(length);
            while (buffer.hasRemaining()) {
                if (channel.read(buffer) < 0) {
                    throw new IOException("end of stream");
                }
            }
            buffer.flip();
            return buffer;
        }
    }
}
