package dev.anyorder.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A layer of disk for each forked child: what it writes is seen by itself and by what is forked from it.
 *
 * <p>The keeper has made the first layer ({@code disk/overlay.rs}); the pytest agent does the same as this
 * ({@code disk.py}). Knows paths and mounts; does not know who asks for a layer, nor why.
 */
final class Layers {
    private static final int NEW_MOUNTS = 0x20000;
    private static final int HANDLE = Script.O_PATH | Script.O_CLOEXEC;
    /** Of what a handle stands for, with all that is mounted in it by then. */
    private static final int CLONE_TREE = 1 | 0x1000 | 0x8000 | Script.O_CLOEXEC;
    private static final int FROM_HANDLE = 4;
    private static final int HERE = -100;
    private static final int MODE_BITS = 07777;
    private static final int AMBIENT_RIGHTS = 47;
    private static final int CLEAR_ALL = 4;
    private static final int RIGHTS_VERSION = 0x20080522;
    private static final int TO_MOUNT = 1 << 21 | 1 << 1;

    private final String base;
    private final List<String> roots;
    private final List<String> shown;
    private final String firstOption;
    private final boolean hasFewRights;
    private final String memory;
    /** How many layers this process stands on, besides the first. */
    private int depth;

    Layers(Map<?, ?> orders, int user) {
        base = (String) orders.get("base");
        roots = texts(orders.get("roots"));
        shown = texts(orders.get("shown"));
        boolean inUserNamespace = (Boolean) orders.get("in_user_namespace");
        firstOption = inUserNamespace ? "userxattr," : "redirect_dir=on,";
        hasFewRights = inUserNamespace && user != 0;
        memory = "size=" + orders.get("size") + ",mode=700";
    }

    private static List<String> texts(Object list) {
        List<String> texts = new ArrayList<String>();
        for (Object text : (List<?>) list) {
            texts.add((String) text);
        }
        return texts;
    }

    /** What the keeper lets an ordinary user do in a namespace of his own must not show in tests. */
    void layRightsAside() {
        if (hasFewRights) {
            Script script = new Script();
            script.attempt(Script.PRCTL, AMBIENT_RIGHTS, CLEAR_ALL, 0, 0, 0);
            useRights(script, 0);
            Fork.here(script);
        }
    }

    private static void useRights(Script script, int rights) {
        ByteBuffer header = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
        ByteBuffer sets = ByteBuffer.allocate(24).order(ByteOrder.nativeOrder());
        header.putInt(0, RIGHTS_VERSION);
        sets.putInt(0, rights).putInt(4, TO_MOUNT);
        script.attempt(Script.CAPSET, header.array(), sets.array());
    }

    /** This process has got a layer. */
    void added() {
        depth++;
    }

    /** Gives a child one more layer. */
    void addTo(Script script) throws IOException {
        if (hasFewRights) {
            useRights(script, TO_MOUNT);
        }
        Script.Result place = script.need(Script.OPEN, ".", HANDLE);
        script.need(Script.UNSHARE, NEW_MOUNTS);
        script.need(Script.CHDIR, base); // the kernel takes only a page of options, so the paths in them have to be short
        List<Script.Result> handles = new ArrayList<Script.Result>();
        for (String path : shown) {
            handles.add(script.attempt(Script.OPEN, path, HANDLE)); // or it has gone meanwhile
        }
        String layer = String.valueOf(depth + 1);
        script.need(Script.MOUNT, "tmpfs", layer, "tmpfs", 0, memory);
        for (int number = 0; number < roots.size(); number++) {
            cover(script, number, layer);
            for (int at = 0; at < handles.size(); at++) {
                if (innermost(shown.get(at)) == number) {
                    show(script, handles.get(at), shown.get(at));
                }
            }
        }
        for (Script.Result handle : handles) {
            script.attempt(Script.CLOSE, handle);
        }
        comeBack(script, place);
        if (hasFewRights) {
            useRights(script, 0);
        }
    }

    /** Makes what a handle stands for appear at a path. */
    private static void show(Script script, Script.Result handle, String path) {
        Script.Result tree = script.attempt(Script.OPEN_TREE, handle, "", CLONE_TREE);
        script.attempt(Script.MOVE_MOUNT, tree, "", HERE, path, FROM_HANDLE);
        script.attempt(Script.CLOSE, tree);
    }

    private void cover(Script script, int number, String layer) throws IOException {
        String upper = layer + "/u" + number;
        String work = layer + "/w" + number;
        Map<String, Object> status = Files.readAttributes(Paths.get(roots.get(number)), "unix:mode,uid,gid");
        script.need(Script.MKDIR, work, 0700);
        script.need(Script.MKDIR, upper, 0700);
        script.need(Script.CHMOD, upper, (Integer) status.get("mode") & MODE_BITS);
        // In a user namespace there is only this user.
        script.attempt(Script.CHOWN, upper, status.get("uid"), status.get("gid"));
        StringBuilder below = new StringBuilder();
        for (int at = depth; at >= 0; at--) {
            below.append(at).append("/u").append(number).append(':');
        }
        below.append("low").append(number);
        String options = firstOption + "lowerdir=" + below + ",upperdir=" + upper + ",workdir=" + work;
        script.need(Script.MOUNT, "overlay", roots.get(number), "overlay", 0, options);
    }

    /** The path of the working directory leads to the new layer, if it still leads anywhere. */
    private static void comeBack(Script script, Script.Result place) throws IOException {
        script.need(Script.FCHDIR, place);
        script.attempt(Script.CHDIR, Files.readSymbolicLink(Paths.get("/proc/self/cwd")).toString());
        script.attempt(Script.CLOSE, place);
    }

    /** The root that a path is in; roots may be inside others, which come later. */
    private int innermost(String path) {
        int found = -1;
        for (int number = 0; number < roots.size(); number++) {
            if (path.startsWith(roots.get(number) + "/")) {
                found = number;
            }
        }
        return found;
    }

    boolean covers(Path path) {
        return innermost(path.toString()) >= 0;
    }
}
