package dev.anyorder.agent;

import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** The words that this JVM was started with, argument files replaced by what is in them, as the launcher does it. */
final class CommandLine {
    private static final Charset CHARSET = Charset.defaultCharset();

    private final List<String> words = new ArrayList<String>();
    private StringBuilder word;
    private char quote;

    private CommandLine() {}

    static List<String> ofThisProcess() throws Exception {
        List<String> words = new ArrayList<String>();
        String all = new String(Files.readAllBytes(Paths.get("/proc/self/cmdline")), CHARSET);
        for (String argument : all.substring(0, Math.max(0, all.length() - 1)).split("\0", -1)) {
            if (argument.startsWith("@") && !argument.startsWith("@@") && Files.isRegularFile(path(argument))) {
                words.addAll(split(new String(Files.readAllBytes(path(argument)), CHARSET)));
            } else {
                words.add(argument);
            }
        }
        return words;
    }

    private static java.nio.file.Path path(String argument) {
        return Paths.get(argument.substring(1));
    }

    /** Words are separated by space; quotes hold words together, and a backslash in quotes escapes. */
    static List<String> split(String text) {
        CommandLine line = new CommandLine();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (line.quote != 0 && c == '\\' && i + 1 < text.length()) {
                line.append(unescaped(text.charAt(++i)));
            } else if (line.quote != 0 && c != line.quote) {
                line.append(c);
            } else if (c == '"' || c == '\'') {
                line.quote = line.quote == 0 ? c : 0;
                line.begin();
            } else if (c == '#' && line.word == null) {
                int end = text.indexOf('\n', i);
                i = end < 0 ? text.length() : end;
            } else if (c == ' ' || c == '\t' || c == '\f' || c == '\n' || c == '\r') {
                line.end();
            } else {
                line.append(c);
            }
        }
        line.end();
        return line.words;
    }

    private static char unescaped(char c) {
        int known = "nrtf".indexOf(c);
        return known < 0 ? c : "\n\r\t\f".charAt(known);
    }

    private void begin() {
        if (word == null) {
            word = new StringBuilder();
        }
    }

    private void append(char c) {
        begin();
        word.append(c);
    }

    private void end() {
        if (word != null) {
            words.add(word.toString());
            word = null;
        }
    }
}
