package dev.anyorder.agent;

import java.io.File;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Writes down how the build starts its test JVM. Rides in every JVM that the build starts, and wakes only in one
 * that runs tests, when the first class is loaded from a directory: by then the worker has set what it sets.
 */
public final class Capture implements ClassFileTransformer {
    private static final String VARIABLE = "JAVA_TOOL_OPTIONS";
    private static final String SUREFIRE = "surefire";
    private static final String GRADLE = "gradle";

    private final File directory;
    private final String worker;
    private final Instrumentation instrumentation;
    private final Map<String, String> atStart = properties();
    private final Map<String, String> environment = new TreeMap<String, String>(System.getenv());
    private final String pathAtStart = System.getProperty("java.class.path", "");
    private final List<String> resolvedAtStart = Classpath.resolve(pathAtStart);
    private boolean isDone;

    private Capture(File directory, String worker, Instrumentation instrumentation) {
        this.directory = directory;
        this.worker = worker;
        this.instrumentation = instrumentation;
    }

    /** {@code capture:DIR}. Never the reason that a build fails. */
    public static void premain(String argument, Instrumentation instrumentation) {
        String worker = worker(System.getProperty("sun.java.command", ""));
        if (worker == null || argument == null || !argument.startsWith("capture:")) {
            return;
        }
        try {
            File directory = new File(argument.substring("capture:".length()));
            Capture capture = new Capture(directory, worker, instrumentation);
            Environment.restore(VARIABLE, capture.usersOwnOptions(), instrumentation);
            instrumentation.addTransformer(capture);
        } catch (Throwable error) {
            error.printStackTrace();
        }
    }

    /** Null in a JVM that runs no tests. */
    static String worker(String command) {
        int booter = command.indexOf("/surefirebooter"); // its directory may have spaces in its name
        int end = command.indexOf(' ');
        String main = end < 0 ? command : command.substring(0, end);
        if (main.endsWith("ForkedBooter") || (booter >= 0 && command.indexOf(".jar", booter) >= 0)) {
            return SUREFIRE;
        }
        return main.endsWith("GradleWorkerMain") ? GRADLE : null;
    }

    /** What the variable was before this agent was put behind it; null if it was not set. */
    private String usersOwnOptions() {
        String options = environment.remove(VARIABLE);
        int ours = options == null ? -1 : options.indexOf("-javaagent:" + ownJar() + "=capture:");
        String users = ours <= 0 ? "" : options.substring(0, ours).trim();
        if (users.isEmpty()) {
            return null;
        }
        environment.put(VARIABLE, users);
        return users;
    }

    private static String ownJar() {
        try {
            return new File(Capture.class.getProtectionDomain().getCodeSource().getLocation().toURI()).getPath();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (isDone || loader == null || !isFromDirectory(domain)) {
            return null;
        }
        synchronized (this) {
            if (!isDone) {
                isDone = true;
                instrumentation.removeTransformer(this);
                write(loader);
            }
        }
        return null;
    }

    private static boolean isFromDirectory(ProtectionDomain domain) {
        CodeSource source = domain == null ? null : domain.getCodeSource();
        URL location = source == null ? null : source.getLocation();
        return location != null && location.getProtocol().equals("file") && location.getPath().endsWith("/");
    }

    private void write(ClassLoader loader) {
        try {
            String pid = new File("/proc/self").getCanonicalFile().getName();
            byte[] text = Json.encode(captured(pid, loader)).getBytes(Charset.forName("UTF-8"));
            File unfinished = new File(directory, pid + ".unfinished");
            Files.write(unfinished.toPath(), text);
            Files.move(unfinished.toPath(), new File(directory, pid + ".json").toPath(),
                    StandardCopyOption.ATOMIC_MOVE);
        } catch (Throwable error) {
            error.printStackTrace();
        }
    }

    private Map<String, Object> captured(String pid, ClassLoader loader) throws Exception {
        Map<String, String> now = properties();
        List<String> removed = new ArrayList<String>(atStart.keySet());
        removed.removeAll(now.keySet());
        now.entrySet().removeAll(atStart.entrySet());
        Map<String, Object> captured = new LinkedHashMap<String, Object>();
        captured.put("pid", Long.valueOf(pid));
        captured.put("worker", worker);
        captured.put("command", CommandLine.ofThisProcess());
        captured.put("java_home", System.getProperty("java.home"));
        captured.put("java_version", atStart.get("java.version"));
        captured.put("directory", new File("/proc/self/cwd").getCanonicalPath());
        captured.put("environment", environment);
        captured.put("class_path", classPath(loader));
        captured.put("module_path", Classpath.resolve(System.getProperty("jdk.module.path", "")));
        captured.put("properties", now);
        captured.put("removed_properties", removed);
        return captured;
    }

    /** What loads the tests first, then what the JVM was started with, then what the worker says. */
    private List<String> classPath(ClassLoader loader) throws Exception {
        Set<String> entries = new LinkedHashSet<String>();
        for (ClassLoader at = loader; at instanceof URLClassLoader; at = at.getParent()) {
            for (URL url : ((URLClassLoader) at).getURLs()) {
                entries.addAll(Classpath.resolve(new File(url.toURI()).getPath()));
            }
        }
        entries.addAll(resolvedAtStart);
        entries.addAll(Classpath.resolve(System.getProperty("java.class.path", "")));
        entries.remove(ownJar());
        return new ArrayList<String>(entries);
    }

    private static Map<String, String> properties() {
        Map<String, String> properties = new TreeMap<String, String>();
        for (String name : System.getProperties().stringPropertyNames()) {
            properties.put(name, System.getProperty(name));
        }
        return properties;
    }
}
