package dev.anyorder.agent;

import java.io.File;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Where a JVM of the engine begins: reads its orders, then lists tests or runs them. */
public final class Main {
    private static final Charset UTF_8 = Charset.forName("UTF-8");
    private static final String[] BACKENDS = {"Jupiter", "Four", "Three"};
    /** How long hooks that run at the end of the JVM may take. */
    private static final int FAREWELL_MILLIS = 20000;

    private Main() {}

    public static void main(String[] arguments) throws Throwable {
        Map<?, ?> orders = read(arguments[0]);
        applyProperties(orders);
        if (orders.get("mode").equals("list")) {
            list(orders);
        } else {
            serve(orders);
        }
    }

    private static Map<?, ?> read(String path) throws Exception {
        return (Map<?, ?>) Json.decode(new String(Files.readAllBytes(Paths.get(path)), UTF_8));
    }

    private static void applyProperties(Map<?, ?> orders) {
        Properties properties = System.getProperties();
        if (orders.get("removed_properties") != null) {
            for (Object name : (List<?>) orders.get("removed_properties")) {
                properties.remove(name);
            }
        }
        if (orders.get("properties") != null) {
            properties.putAll((Map<?, ?>) orders.get("properties"));
        }
    }

    /** Classes may have started threads by now, or have replaced what ends a JVM in peace. */
    private static void list(Map<?, ?> orders) {
        int status = 1;
        try {
            Inventory inventory = new Inventory(
                    backends(), (String) orders.get("root"), (List<?>) orders.get("sources"));
            Map<String, Object> tests = inventory.of((List<?>) orders.get("classes"));
            Files.write(Paths.get((String) orders.get("tests")), Json.encode(tests).getBytes(UTF_8));
            status = 0;
        } catch (Throwable error) {
            error.printStackTrace();
        }
        Runtime.getRuntime().halt(status);
    }

    private static void serve(Map<?, ?> orders) throws Exception {
        Map<?, ?> listed = read((String) orders.get("tests"));
        List<Test> tests = new ArrayList<Test>();
        for (Object each : (List<?>) listed.get("tests")) {
            tests.add(Test.read((Map<?, ?>) each));
        }
        String classLog = (String) orders.get("class_log");
        ClassLog classes = classLog == null ? null : new ClassLog(classLog, Classpath.directories());
        bind();
        SocketChannel.open().close(); // the first one leaves a descriptor behind, for good
        Output output = new Output();
        output.install();
        Set<Integer> before = Descriptors.connections();
        Link link = new Link((String) orders.get("socket"));
        try {
            link.say(hello(orders, listed));
            List<Backend> backends = backends();
            String refusal = refusal(orders, before);
            Family family = refusal == null ? family(orders, before, new Zygote(backends, tests)) : null;
            Map<String, Object> ready = ready(tests, listed, family);
            ready.put("no_forks", refusal);
            link.say(ready);
            Turns turns = new Turns(link, tests, output, classes, family);
            Live live = new Live(turns, backends);
            while (true) {
                live.run();
                turns.close();
            }
        } catch (Throwable error) {
            link.trouble(error);
        }
    }

    private static Map<String, Object> hello(Map<?, ?> orders, Map<?, ?> listed) throws Exception {
        Map<String, Object> hello = new LinkedHashMap<String, Object>();
        if (orders.get("hello") != null) {
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) orders.get("hello")).entrySet()) {
                hello.put((String) entry.getKey(), entry.getValue());
            }
        }
        hello.put("say", "hello");
        hello.put("wire", 1);
        hello.put("node", orders.get("node"));
        hello.put("pid", Long.valueOf(new File("/proc/self").getCanonicalFile().getName()));
        hello.put("framework", listed.get("framework"));
        hello.put("language", "java " + System.getProperty("java.version"));
        hello.put("executable", System.getProperty("java.home") + "/bin/java");
        return hello;
    }

    /** Why this JVM is not forked; null if it can be. */
    private static String refusal(Map<?, ?> orders, Set<Integer> before) {
        if (orders.get("library") == null) {
            return "this anyorder has no library for it";
        }
        Set<Integer> link = since(before);
        return link.size() == 1
                ? Fork.prepare((String) orders.get("library"))
                : "there are connections of others: " + link;
    }

    private static Family family(Map<?, ?> orders, Set<Integer> before, Runnable warmth) throws IOException {
        Map<?, ?> layers = (Map<?, ?>) orders.get("layers");
        return new Family((String) orders.get("socket"), since(before).iterator().next(), layers, warmth);
    }

    /** The connections that have been opened since. */
    private static Set<Integer> since(Set<Integer> before) {
        Set<Integer> connections = Descriptors.connections();
        connections.removeAll(before);
        return connections;
    }

    private static Map<String, Object> ready(List<Test> tests, Map<?, ?> listed, Family family) {
        Map<String, Object> ready = new LinkedHashMap<String, Object>();
        ready.put("say", "ready");
        ready.put("tests", tests.size());
        ready.put("errors", listed.get("errors"));
        ready.put("can_fork", family != null);
        ready.put("can_layer", family != null && family.canLayer());
        return ready;
    }

    /** The frameworks that this class path has. JUnit 4 and 3 beside Jupiter only count if Vintage runs them. */
    private static List<Backend> backends() throws ReflectiveOperationException {
        List<Backend> backends = new ArrayList<Backend>();
        for (String name : BACKENDS) {
            try {
                Class<?> type = Class.forName("dev.anyorder.agent." + name);
                backends.add((Backend) type.getDeclaredConstructor().newInstance());
            } catch (ClassNotFoundException notCompiled) {
                continue;
            } catch (NoClassDefFoundError notOnThisClassPath) {
                continue;
            }
            if (name.equals("Jupiter") && !exists("org.junit.vintage.engine.VintageTestEngine")) {
                break;
            }
        }
        return backends;
    }

    private static boolean exists(String name) {
        return Main.class.getClassLoader().getResource(name.replace('.', '/') + ".class") != null;
    }

    /** Loads all of the agent now: later, tests may have taken away what that needs. */
    private static void bind() throws Exception {
        CodeSource source = Main.class.getProtectionDomain().getCodeSource();
        File jar = new File(source.getLocation().toURI());
        if (!jar.isFile()) {
            return;
        }
        try (JarFile file = new JarFile(jar)) {
            for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements();) {
                String name = entries.nextElement().getName();
                if (name.endsWith(".class")) {
                    bind(name.substring(0, name.length() - ".class".length()).replace('/', '.'));
                }
            }
        }
    }

    private static void bind(String name) throws ClassNotFoundException {
        try {
            Class.forName(name);
        } catch (LinkageError ofAnotherFramework) {
            return;
        }
    }

    /** Ends the JVM: at once if anything still stands, otherwise as a test runner does. */
    static void leave(boolean isStanding) {
        try {
            if (!isStanding) {
                Thread impatience = new Thread(new Impatience(), "anyorder-farewell");
                impatience.setDaemon(true);
                impatience.start();
                System.exit(0);
            }
        } catch (Throwable refused) {
            // A security manager of the tests; it may refuse this, too.
        }
        Runtime.getRuntime().halt(0);
    }

    private static final class Impatience implements Runnable {
        @Override
        public void run() {
            try {
                Thread.sleep(FAREWELL_MILLIS);
            } catch (InterruptedException hurry) {
                // So be it.
            }
            Runtime.getRuntime().halt(0);
        }
    }
}
