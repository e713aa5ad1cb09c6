package sample.five;

import java.lang.reflect.Proxy;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import sample.Log;

/** Opens once per execution, and closes when the execution ends, where Jupiter can do that (since 5.1). */
class Resource implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        context.getRoot().getStore(ExtensionContext.Namespace.GLOBAL).getOrComputeIfAbsent("resource", key -> open());
    }

    private static Object open() {
        Log.add("open");
        Class<?>[] types = {closeable()};
        return Proxy.newProxyInstance(Resource.class.getClassLoader(), types, (self, method, arguments) -> {
            if (method.getName().equals("close")) {
                close();
            }
            return null;
        });
    }

    /** Jupiter has had two ways to say that something can be closed. */
    private static Class<?> closeable() {
        try {
            return Class.forName(ExtensionContext.Store.class.getName() + "$CloseableResource");
        } catch (ClassNotFoundException otherVersion) {
            return AutoCloseable.class;
        }
    }

    private static void close() {
        Log.add("close");
        if (Boolean.getBoolean("sample.broken")) {
            throw new IllegalStateException("close is broken");
        }
    }
}
