package dev.anyorder.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as text and as maps, lists, strings, numbers, booleans and null. Knows nothing of what any message means.
 *
 * <p>Uses next to nothing of the JDK, because tests change locales, charsets and security managers.
 */
final class Json {
    private static final int DEEPEST = 128;
    private static final String HEX = "0123456789abcdef";

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object decode(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.skipSpace();
        if (json.at != text.length()) {
            throw json.malformed();
        }
        return value;
    }

    static String encode(Object value) {
        StringBuilder out = new StringBuilder();
        write(out, value);
        return out.toString();
    }

    private static void write(StringBuilder out, Object value) {
        if (value instanceof String) {
            quote(out, (String) value);
        } else if (value instanceof Map) {
            writeMap(out, (Map<?, ?>) value);
        } else if (value instanceof Iterable) {
            writeList(out, (Iterable<?>) value);
        } else {
            out.append(value); // null, a boolean, or a finite number
        }
    }

    private static void writeMap(StringBuilder out, Map<?, ?> map) {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator);
            quote(out, (String) entry.getKey());
            write(out.append(':'), entry.getValue());
            separator = ",";
        }
        out.append(map.isEmpty() ? "{}" : "}");
    }

    private static void writeList(StringBuilder out, Iterable<?> list) {
        out.append('[');
        String separator = "";
        for (Object item : list) {
            write(out.append(separator), item);
            separator = ",";
        }
        out.append(']');
    }

    /** All but plain ASCII is escaped; half a surrogate pair has no place in JSON and becomes a question mark. */
    private static void quote(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c >= ' ' && c < 127) {
                out.append(c);
            } else if (isWhole(text, i)) {
                out.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    out.append(HEX.charAt((c >> shift) & 15));
                }
            } else {
                out.append('?');
            }
        }
        out.append('"');
    }

    private static boolean isWhole(String text, int i) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1));
        }
        return !Character.isLowSurrogate(c) || (i > 0 && Character.isHighSurrogate(text.charAt(i - 1)));
    }

    private Object value(int depth) {
        skipSpace();
        if (at == text.length() || depth > DEEPEST) {
            throw malformed();
        }
        switch (text.charAt(at)) {
            case '{':
                return map(depth);
            case '[':
                return list(depth);
            case '"':
                return string();
            default:
                return bare();
        }
    }

    private Map<String, Object> map(int depth) {
        Map<String, Object> map = new LinkedHashMap<String, Object>();
        at++;
        if (isNext('}')) {
            return map;
        }
        do {
            skipSpace();
            String key = string();
            expect(':');
            map.put(key, value(depth + 1));
        } while (isNext(','));
        expect('}');
        return map;
    }

    private List<Object> list(int depth) {
        List<Object> list = new ArrayList<Object>();
        at++;
        if (isNext(']')) {
            return list;
        }
        do {
            list.add(value(depth + 1));
        } while (isNext(','));
        expect(']');
        return list;
    }

    private String string() {
        if (at >= text.length() || text.charAt(at) != '"') {
            throw malformed();
        }
        StringBuilder out = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"') {
                at++;
                return out.toString();
            }
            out.append(c == '\\' ? escaped() : c);
        }
        throw malformed();
    }

    private char escaped() {
        if (++at >= text.length()) {
            throw malformed();
        }
        char c = text.charAt(at);
        int plain = "bfnrt".indexOf(c);
        if (plain >= 0) {
            return "\b\f\n\r\t".charAt(plain);
        }
        if (c != 'u') {
            return c;
        }
        if (at + 4 >= text.length()) {
            throw malformed();
        }
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
    }

    private Object bare() {
        int start = at;
        while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(start, at);
        if (word.equals("null")) {
            return null;
        }
        if (word.equals("true") || word.equals("false")) {
            return word.equals("true");
        }
        return word.indexOf('.') < 0 && word.indexOf('e') < 0 && word.indexOf('E') < 0
                ? (Object) Long.valueOf(word)
                : (Object) Double.valueOf(word);
    }

    private boolean isNext(char c) {
        skipSpace();
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private void expect(char c) {
        if (!isNext(c)) {
            throw malformed();
        }
    }

    private void skipSpace() {
        while (at < text.length() && " \n\r\t".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private IllegalArgumentException malformed() {
        return new IllegalArgumentException("no JSON at character " + at);
    }
}
