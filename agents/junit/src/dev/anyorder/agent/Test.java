package dev.anyorder.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One test as {@code tests.json} has it. */
final class Test {
    /** Class, {@code #}, and the framework's own name of the test. */
    final String id;
    /** The id among the tests of its group; another group may have run the same test under the same name. */
    final String key;
    /** The class whose tests make a stay together. */
    final String group;
    final String file;
    final long line;
    final List<String> markers;
    /** The name of the back end that runs it. */
    final String backend;

    Test(String id, String key, String group, String file, long line, List<String> markers, String backend) {
        this.id = id;
        this.key = key;
        this.group = group;
        this.file = file;
        this.line = line;
        this.markers = markers;
        this.backend = backend;
    }

    static Test read(Map<?, ?> json) {
        List<String> markers = new ArrayList<String>();
        for (Object marker : (List<?>) json.get("markers")) {
            markers.add((String) marker);
        }
        return new Test((String) json.get("id"), (String) json.get("key"), (String) json.get("group"),
                (String) json.get("file"), (Long) json.get("line"), markers, (String) json.get("backend"));
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<String, Object>();
        json.put("id", id);
        json.put("key", key);
        json.put("group", group);
        json.put("file", file);
        json.put("line", line);
        json.put("markers", markers);
        json.put("backend", backend);
        return json;
    }

    /** The class that an id names. */
    String className() {
        return id.substring(0, id.indexOf('#'));
    }
}
