package dev.anyorder.agent;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * What tests print. Stands in front of {@code System.out} and {@code System.err} from the start, as Surefire's own
 * streams do, so that nothing changes for tests whether anybody wants to see it or not.
 */
final class Output {
    private static final int LIMIT = 64 * 1024;

    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private boolean isKept;

    void install() {
        System.setOut(new PrintStream(new Tee(System.out), true));
        System.setErr(new PrintStream(new Tee(System.err), true));
    }

    void begin(boolean isWanted) {
        synchronized (kept) {
            kept.reset();
            isKept = isWanted;
        }
    }

    /** What was printed since {@link #begin}, with the trace of what was thrown; the end of it, if it is much. */
    String end(Throwable thrown) {
        String text;
        synchronized (kept) {
            isKept = false;
            text = kept.toString();
            kept.reset();
        }
        text = trace(thrown) + text;
        return text.substring(Math.max(0, text.length() - LIMIT));
    }

    private static String trace(Throwable thrown) {
        if (thrown == null) {
            return "";
        }
        StringWriter text = new StringWriter();
        try {
            thrown.printStackTrace(new PrintWriter(text, true));
        } catch (Throwable hostile) {
            text.append(thrown.getClass().getName());
        }
        return text.append("\n").toString();
    }

    private final class Tee extends OutputStream {
        private final PrintStream original;

        Tee(PrintStream original) {
            this.original = original;
        }

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            original.write(bytes, from, length);
            synchronized (kept) {
                if (isKept) {
                    keep(bytes, from, length);
                }
            }
        }

        /** Forgets the older half now and then, so that a test may print without end. */
        private void keep(byte[] bytes, int from, int length) {
            if (kept.size() > 2 * LIMIT) {
                byte[] all = kept.toByteArray();
                kept.reset();
                kept.write(all, all.length - LIMIT, LIMIT);
            }
            int part = Math.min(length, LIMIT);
            kept.write(bytes, from + length - part, part);
        }

        @Override
        public void flush() {
            original.flush();
        }
    }
}
