package dev.anyorder.agent;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;

/**
 * System calls for a child to make before its other threads are there, when no Java can run: written down here, carried
 * out by {@code agents/jvmfork/script.rs}. The numbers are those of x86-64.
 */
final class Script {
    static final int OPEN = 2;
    static final int CLOSE = 3;
    static final int LSEEK = 8;
    static final int DUP2 = 33;
    static final int SOCKET = 41;
    static final int CONNECT = 42;
    static final int KILL = 62;
    static final int CHDIR = 80;
    static final int FCHDIR = 81;
    static final int MKDIR = 83;
    static final int CHMOD = 90;
    static final int CHOWN = 92;
    static final int SETPGID = 109;
    static final int CAPSET = 126;
    static final int PRCTL = 157;
    static final int MOUNT = 165;
    static final int EXIT_GROUP = 231;
    static final int UNSHARE = 272;
    static final int DUP3 = 292;
    static final int OPEN_TREE = 428;
    static final int MOVE_MOUNT = 429;

    static final int O_RDWR = 2;
    static final int O_CLOEXEC = 02000000;
    static final int O_PATH = 010000000;

    private static final Charset UTF_8 = Charset.forName("UTF-8");
    private static final int STEP_BYTES = 64;
    private static final int ARGUMENTS = 5;
    private static final byte PLAIN = 0;
    private static final byte TEXT = 1;
    private static final byte RESULT = 2;

    private final List<byte[]> steps = new ArrayList<byte[]>();
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();

    /** What a call will have given. */
    static final class Result {
        private final int step;

        private Result(int step) {
            this.step = step;
        }
    }

    /** A call that the child cannot do without: it ends if this fails. */
    Result need(int number, Object... arguments) {
        return add(true, number, arguments);
    }

    /** A call that may fail. */
    Result attempt(int number, Object... arguments) {
        return add(false, number, arguments);
    }

    /** Arguments are numbers, text (also as bytes), results of earlier calls, or null. */
    private Result add(boolean isNeeded, int number, Object[] arguments) {
        ByteBuffer step = ByteBuffer.allocate(STEP_BYTES).order(ByteOrder.nativeOrder());
        step.putLong(number).putLong(isNeeded ? 1 : 0);
        int kinds = step.position();
        int values = kinds + 8;
        for (int at = 0; at < arguments.length && at < ARGUMENTS; at++) {
            Object argument = arguments[at];
            byte kind = PLAIN;
            long value = 0;
            if (argument instanceof Number) {
                value = ((Number) argument).longValue();
            } else if (argument instanceof Result) {
                kind = RESULT;
                value = ((Result) argument).step;
            } else if (argument != null) {
                kind = TEXT;
                value = place(argument instanceof byte[] ? (byte[]) argument : argument.toString().getBytes(UTF_8));
            }
            step.put(kinds + at, kind).putLong(values + 8 * at, value);
        }
        steps.add(step.array());
        return new Result(steps.size() - 1);
    }

    private int place(byte[] bytes) {
        int place = text.size();
        text.write(bytes, 0, bytes.length);
        text.write(0);
        return place;
    }

    int steps() {
        return steps.size();
    }

    /** All steps, then the text that they point to. */
    byte[] bytes() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] step : steps) {
            all.write(step, 0, step.length);
        }
        byte[] rest = text.toByteArray();
        all.write(rest, 0, rest.length);
        return all.toByteArray();
    }
}
