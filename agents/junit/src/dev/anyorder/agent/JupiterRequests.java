package dev.anyorder.agent;

import java.io.File;
import java.io.InputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.junit.platform.engine.ConfigurationParameters;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.EngineDiscoveryRequest;
import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.ExecutionRequest;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestEngine;
import org.junit.platform.engine.discovery.DiscoverySelectors;

/**
 * What an engine of the Platform is asked with. Versions differ in what a request holds, so it is put together at
 * run time from the types that this version names.
 */
final class JupiterRequests {
    private static final Parameters PARAMETERS = new Parameters();
    /** Of the execution that goes on, the innermost first. */
    private static final Deque<AutoCloseable> STORES = new ArrayDeque<AutoCloseable>();

    private JupiterRequests() {}

    /** Asks for the tests of one class; of none if it is null. */
    static EngineDiscoveryRequest discovery(final Class<?> group) {
        return (EngineDiscoveryRequest) proxy(EngineDiscoveryRequest.class, new InvocationHandler() {
            @Override
            public Object invoke(Object self, Method method, Object[] arguments) throws Exception {
                if (method.getName().equals("getSelectorsByType")) {
                    return selectors(group, (Class<?>) arguments[0]);
                }
                return method.getName().equals("getFiltersByType")
                        ? new ArrayList<Object>()
                        : given(method.getReturnType());
            }
        });
    }

    private static List<Object> selectors(Class<?> group, Class<?> type) {
        List<Object> selectors = new ArrayList<Object>();
        if (group != null) {
            DiscoverySelector selector = DiscoverySelectors.selectClass(group);
            if (type.isInstance(selector)) {
                selectors.add(selector);
            }
        }
        return selectors;
    }

    /** Runs what stands below the root, and closes what this version keeps around an execution. */
    static void execute(TestEngine engine, TestDescriptor root, EngineExecutionListener listener) throws Exception {
        Method create = longestCreate();
        if (create == null) {
            engine.execute(new ExecutionRequest(root, listener, PARAMETERS));
            return;
        }
        Class<?>[] types = create.getParameterTypes();
        Object[] arguments = new Object[types.length];
        arguments[0] = root;
        arguments[1] = listener;
        for (int i = 2; i < types.length; i++) {
            arguments[i] = given(types[i]);
        }
        create.setAccessible(true);
        engine.execute((ExecutionRequest) create.invoke(null, arguments));
        while (!STORES.isEmpty()) {
            STORES.pop().close();
        }
    }

    /** Whether no parameter of the user's can bring extensions or the like into every test. */
    static boolean areParametersOurs() {
        return PARAMETERS.file.size() == 1 && System.getProperty("junit.jupiter.extensions.autodetection.enabled") == null;
    }

    private static Method longestCreate() {
        Method longest = null;
        for (Method method : ExecutionRequest.class.getDeclaredMethods()) {
            if (method.getName().equals("create")
                    && (longest == null || method.getParameterTypes().length > longest.getParameterTypes().length)) {
                longest = method;
            }
        }
        return longest;
    }

    /** Something of this type that serves for a whole execution. */
    private static Object given(Class<?> type) throws Exception {
        String name = type.getSimpleName();
        if (name.equals("ConfigurationParameters")) {
            return PARAMETERS;
        }
        if (name.equals("EngineDiscoveryListener")) {
            return type.getField("NOOP").get(null);
        }
        if (name.equals("CancellationToken")) {
            return type.getMethod("disabled").invoke(null);
        }
        if (name.equals("NamespacedHierarchicalStore")) {
            return store(type, store(type, null)); // the request's, in the session's
        }
        return proxy(type, new OutputDirectory());
    }

    private static Object store(Class<?> type, Object parent) throws Exception {
        Class<?> action = Class.forName(type.getName() + "$CloseAction");
        Object closing = action.getMethod("closeAutoCloseables").invoke(null);
        Object store = type.getConstructor(type, action).newInstance(parent, closing);
        STORES.push((AutoCloseable) store);
        return store;
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    /** Where tests may put files that they report: below the directory for temporary files. */
    private static final class OutputDirectory implements InvocationHandler {
        private File root;

        @Override
        public Object invoke(Object self, Method method, Object[] arguments) throws Exception {
            if (root == null) {
                root = Files.createTempDirectory("junit-output").toFile();
            }
            return method.getName().equals("createOutputDirectory")
                    ? Files.createTempDirectory(root.toPath(), "test")
                    : root.toPath();
        }
    }

    /** System properties, then {@code junit-platform.properties}; tests run one at a time whatever these say. */
    private static final class Parameters implements ConfigurationParameters {
        private final Properties file = new Properties();

        Parameters() {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            try (InputStream in = loader.getResourceAsStream(CONFIG_FILE_NAME)) {
                if (in != null) {
                    file.load(in);
                }
            } catch (Exception unreadable) {
                file.clear(); // as the Platform's launcher has it: a warning, and no parameters
            }
            file.setProperty("junit.jupiter.execution.parallel.enabled", "false");
        }

        @Override
        public Optional<String> get(String key) {
            boolean isOurs = key.equals("junit.jupiter.execution.parallel.enabled");
            String property = isOurs ? null : System.getProperty(key);
            return Optional.ofNullable(property != null ? property : file.getProperty(key));
        }

        @Override
        public Optional<Boolean> getBoolean(String key) {
            Optional<String> value = get(key);
            return value.isPresent() ? Optional.of(Boolean.parseBoolean(value.get())) : Optional.<Boolean>empty();
        }

        /** Gone in Platform 6. */
        public int size() {
            return file.size();
        }

        /** New in Platform 1.9. */
        public Set<String> keySet() {
            return file.stringPropertyNames();
        }
    }
}
