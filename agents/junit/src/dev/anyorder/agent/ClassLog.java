package dev.anyorder.agent;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.ArrayList;
import java.util.List;

/** Which of the project's own classes became initialised, as the JVM's log of {@code class+init} tells. */
final class ClassLog {
    private static final String MARK = "Initializing '";

    private final RandomAccessFile log;
    private final List<File> directories;
    private String unfinished = "";

    ClassLog(String path, List<File> directories) throws IOException {
        this.log = new RandomAccessFile(path, "r");
        this.directories = directories;
        log.seek(log.length());
    }

    /** Since the last time that this was asked. */
    List<String> initialised() {
        List<String> names = new ArrayList<String>();
        String text = unfinished + fresh();
        int from = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
            String name = nameIn(text.substring(from, end));
            if (name != null && isOfProject(name)) {
                names.add(name.replace('/', '.'));
            }
            from = end + 1;
        }
        unfinished = text.substring(from);
        return names;
    }

    @SuppressWarnings("deprecation") // class names as bytes: a charset would only be in the way
    private String fresh() {
        try {
            byte[] bytes = new byte[(int) (log.length() - log.getFilePointer())];
            log.readFully(bytes);
            return new String(bytes, 0);
        } catch (IOException lost) {
            return "";
        }
    }

    private static String nameIn(String line) {
        int start = line.indexOf(MARK);
        int end = line.indexOf('\'', start + MARK.length());
        return start < 0 || end < 0 ? null : line.substring(start + MARK.length(), end);
    }

    private boolean isOfProject(String name) {
        try {
            for (File directory : directories) {
                if (new File(directory, name + ".class").isFile()) {
                    return true;
                }
            }
        } catch (SecurityException refused) {
            return false; // by a security manager of the tests
        }
        return false;
    }
}
