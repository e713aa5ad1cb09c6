package dev.anyorder.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * This process among those that it comes from and those that are forked from it. Knows what a child needs so that its
 * tests see what they would see in a process that came here by itself; knows no messages.
 */
final class Family {
    private static final int UNIX = 1;
    private static final int STREAM = 1;
    private static final int ADOPT_ORPHANS = 36;

    private final String address;
    private final int link;
    private final Layers layers;
    private final boolean canLayer;
    private final Set<Integer> inherited;
    private final int inheritedMemory;
    /** What is to be done once, before the first fork. */
    private Runnable warmth;
    private List<Integer> unreaped = new ArrayList<Integer>();
    /** Of a child; 0 in the first process. */
    private int parent;

    /** For a JVM that can be forked, and whose connection to {@code address} has this descriptor. */
    Family(String address, int link, Map<?, ?> layers, Runnable warmth) throws IOException {
        this.address = address;
        this.link = link;
        this.warmth = warmth;
        this.layers = layers == null ? null : new Layers(layers, user());
        if (layers == null) {
            canLayer = false;
        } else {
            this.layers.layRightsAside();
            Script script = new Script();
            this.layers.addTo(script);
            canLayer = Fork.isPossible(script);
        }
        inherited = Descriptors.connections();
        inheritedMemory = SharedMemory.names().size();
    }

    private static int user() throws IOException {
        return (Integer) Files.getAttribute(Paths.get("/proc/self"), "unix:uid");
    }

    /** Whether a child gets a layer of disk. */
    boolean canLayer() {
        return canLayer;
    }

    boolean isChild() {
        return parent != 0;
    }

    /** Whether the process that this one was forked from has ended. */
    boolean isOrphan() {
        return isChild() && Fork.parent() != parent;
    }

    /** Prepares a JVM in which nothing has run yet for being forked. */
    void warmUp() {
        if (warmth != null) {
            warmth.run();
            warmth = null;
        }
    }

    /**
     * A child with this very state, whose connection is one of its own.
     *
     * @return 0 in the child; in the parent the child's number, or a negative number that says why there is none
     */
    int fork() throws IOException {
        int self = Fork.process();
        int child = Fork.child(childhood());
        if (child == 0) {
            parent = self;
            unreaped = new ArrayList<Integer>();
            if (layers != null) {
                layers.added();
            }
        }
        return child;
    }

    /** All of it happens before the child's threads are there. One of them waits for messages on the connection. */
    private Script childhood() throws IOException {
        Script script = new Script();
        script.need(Script.SETPGID, 0, 0);
        script.attempt(Script.PRCTL, ADOPT_ORPHANS, 1, 0, 0, 0);
        connect(script);
        // What tests print is kept by the agent if anybody wants it.
        Script.Result nothing = script.need(Script.OPEN, "/dev/null", Script.O_RDWR | Script.O_CLOEXEC);
        script.need(Script.DUP2, nothing, 1);
        script.need(Script.DUP2, nothing, 2);
        script.need(Script.CLOSE, nothing);
        if (layers != null) {
            layers.addTo(script);
            Descriptors.openAnew(script, layers);
        }
        return script;
    }

    /** The new connection takes the place of the old one, which the parent goes on using. */
    private void connect(Script script) {
        byte[] path = address.getBytes(Charset.forName("UTF-8"));
        ByteBuffer name = ByteBuffer.allocate(2 + path.length + 1).order(ByteOrder.nativeOrder());
        name.putShort((short) UNIX).put(path);
        Script.Result socket = script.need(Script.SOCKET, UNIX, STREAM | Script.O_CLOEXEC, 0);
        script.need(Script.CONNECT, socket, name.array(), name.capacity());
        script.need(Script.DUP3, socket, link, Script.O_CLOEXEC);
        script.need(Script.CLOSE, socket);
    }

    /** Waits for children that have been told to leave; if not patiently, those that have not left yet are kept in mind. */
    void reap(List<?> children, boolean isPatient) {
        for (Object child : children) {
            unreaped.add(((Long) child).intValue());
        }
        List<Integer> left = new ArrayList<Integer>();
        for (int child : unreaped) {
            if (Fork.waitFor(child, isPatient) == -1) {
                left.add(child);
            }
        }
        unreaped = left;
    }

    /** What a fork of this process would lose, or share with its siblings. Threads are no hindrance. */
    Map<String, Object> gained() throws IOException {
        Set<Integer> connections = Descriptors.connections();
        connections.removeAll(inherited);
        Map<String, Object> gained = new LinkedHashMap<String, Object>();
        gained.put("children", Fork.hasChildren() ? 1 : 0);
        gained.put("connections", connections.size());
        gained.put("shared_memory", Math.max(0, SharedMemory.names().size() - inheritedMemory));
        return gained;
    }
}
