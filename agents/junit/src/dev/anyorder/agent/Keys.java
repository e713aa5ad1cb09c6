package dev.anyorder.agent;

import java.util.HashMap;
import java.util.Map;

/** Gives each test of one group a name of its own. The same tests in the same order get the same names in every JVM. */
final class Keys {
    private final Map<String, Integer> times = new HashMap<String, Integer>();

    /** Class and name, without control characters, and numbered if there was one like it before. */
    String of(String className, String name) {
        StringBuilder built = new StringBuilder(className).append('#');
        for (int i = 0; i < name.length(); i++) {
            built.append(Character.isISOControl(name.charAt(i)) ? ' ' : name.charAt(i));
        }
        String key = built.toString();
        Integer before = times.get(key);
        times.put(key, before == null ? 1 : before + 1);
        return before == null ? key : key + " (" + (before + 1) + ")";
    }
}
