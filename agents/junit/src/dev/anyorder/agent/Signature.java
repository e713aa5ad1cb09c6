package dev.anyorder.agent;

import java.util.LinkedHashMap;
import java.util.Map;

/** How a test failed: the exception's class, the head of its message, and the deepest place in the test's own class. */
final class Signature {
    private static final int MESSAGE_LIMIT = 300;

    private Signature() {}

    static Map<String, Object> of(Throwable error, Test test) {
        Map<String, Object> signature = bare(error.getClass().getName(), message(error));
        String place = place(error, test);
        if (place != null) {
            signature.put("at", place);
        }
        return signature;
    }

    static Map<String, Object> bare(String kind, String message) {
        Map<String, Object> signature = new LinkedHashMap<String, Object>();
        signature.put("kind", kind);
        signature.put("message", head(message));
        return signature;
    }

    /** An exception of the suite may throw another one when it is asked anything. */
    private static String message(Throwable error) {
        try {
            String message = error.getMessage();
            return message == null ? "" : message;
        } catch (Throwable hostile) {
            return "";
        }
    }

    private static String head(String text) {
        text = text.trim();
        int end = Math.min(text.length(), MESSAGE_LIMIT);
        int line = text.indexOf('\n');
        return text.substring(0, line < 0 ? end : Math.min(line, end)).trim();
    }

    private static String place(Throwable error, Test test) {
        try {
            Class<?> type = Class.forName(test.className(), false, Main.class.getClassLoader());
            for (; type != null && type != Object.class; type = type.getSuperclass()) {
                String place = placeIn(outermost(type.getName()), error, test);
                if (place != null) {
                    return place;
                }
            }
        } catch (Throwable hostile) {
            return null; // the class cannot be loaded, or the trace cannot be had
        }
        return null;
    }

    private static String placeIn(String outermost, Throwable error, Test test) {
        for (StackTraceElement frame : error.getStackTrace()) {
            if (frame.getLineNumber() > 0 && outermost(frame.getClassName()).equals(outermost)) {
                boolean isOwn = outermost.equals(outermost(test.className()));
                return (isOwn ? test.file : file(frame)) + ":" + frame.getLineNumber();
            }
        }
        return null;
    }

    private static String file(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.substring(0, name.lastIndexOf('.') + 1).replace('.', '/') + frame.getFileName();
    }

    private static String outermost(String className) {
        int inner = className.indexOf('$');
        return inner < 0 ? className : className.substring(0, inner);
    }
}
