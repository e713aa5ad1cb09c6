package dev.anyorder.agent;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What annotations say of a test, by their names: so no framework need be there. */
final class Markers {
    private static final List<String> ORDERING = Arrays.asList(
            "org.junit.FixMethodOrder", "org.junit.jupiter.api.TestMethodOrder", "org.junit.jupiter.api.Order");
    private static final List<String> DISABLING = Arrays.asList("org.junit.Ignore", "org.junit.jupiter.api.Disabled");
    private static final String CATEGORY = "org.junit.experimental.categories.Category";

    private final Set<String> markers = new TreeSet<String>();

    private Markers() {}

    /** Of a method, or of all methods of that name, and of the classes around it. */
    static List<String> of(Class<?> type, String method) {
        Markers all = new Markers();
        for (Class<?> at = type; at != null; at = at.getEnclosingClass()) {
            all.add(at);
        }
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Method each : at.getDeclaredMethods()) {
                if (each.getName().equals(method)) {
                    all.add(each);
                }
            }
        }
        return new ArrayList<String>(all.markers);
    }

    private void add(AnnotatedElement element) {
        for (Annotation annotation : element.getAnnotations()) {
            String name = annotation.annotationType().getName();
            if (ORDERING.contains(name)) {
                markers.add("declared-order");
            } else if (DISABLING.contains(name)) {
                markers.add("disabled");
            } else if (name.equals(CATEGORY)) {
                addCategories(annotation);
            }
        }
    }

    private void addCategories(Annotation annotation) {
        try {
            for (Class<?> category : (Class<?>[]) annotation.annotationType().getMethod("value").invoke(annotation)) {
                markers.add("tag:" + category.getName());
            }
        } catch (ReflectiveOperationException unreadable) {
            return;
        }
    }
}
