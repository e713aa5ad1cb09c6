package dev.anyorder.agent;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Map;
import java.util.Set;

/** The environment that this JVM shows to tests, which Java has no way to change. */
final class Environment {
    private Environment() {}

    /** Gives a variable another value, or none. Where the JDK does not let us, the variable stays as it is. */
    static void restore(String name, String value, Instrumentation instrumentation) {
        try {
            open("java.lang", instrumentation);
            Class<?> type = Class.forName("java.lang.ProcessEnvironment");
            Map<Object, Object> all = field(type, "theEnvironment");
            for (Object key : all.keySet().toArray()) {
                if (key.toString().equals(name)) {
                    change(all, key, value);
                }
            }
        } catch (ReflectiveOperationException refused) {
            return;
        } catch (RuntimeException refused) {
            return;
        }
    }

    private static void change(Map<Object, Object> all, Object key, String value) throws ReflectiveOperationException {
        Object old = all.remove(key);
        if (value != null) {
            Method make = old.getClass().getDeclaredMethod("valueOf", String.class);
            make.setAccessible(true);
            all.put(key, make.invoke(null, value));
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<Object, Object> field(Class<?> type, String name) throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return (Map<Object, Object>) field.get(null);
    }

    /** Modules came with JDK 9; an agent may open them. */
    private static void open(String name, Instrumentation instrumentation) throws ReflectiveOperationException {
        Class<?> module;
        try {
            module = Class.forName("java.lang.Module");
        } catch (ClassNotFoundException older) {
            return;
        }
        Method moduleOf = Class.class.getMethod("getModule");
        Method redefine = Instrumentation.class.getMethod(
                "redefineModule", module, Set.class, Map.class, Map.class, Set.class, Map.class);
        Map<String, Set<Object>> opens =
                Collections.singletonMap(name, Collections.singleton(moduleOf.invoke(Environment.class)));
        redefine.invoke(instrumentation, moduleOf.invoke(Object.class), Collections.emptySet(), Collections.emptyMap(),
                opens, Collections.emptySet(), Collections.emptyMap());
    }
}
