package sample;

import java.io.FileWriter;
import java.io.IOException;

/** What the samples did, in a file that outlives them. */
public final class Log {
    private static final String FILE = System.getProperty("sample.log");

    private Log() {}

    public static void add(String event) {
        try (FileWriter writer = new FileWriter(FILE, true)) {
            writer.write(event + "\n");
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }
}
