package sample.five;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import sample.Log;

/** Opens once per execution, and closes when the execution ends. */
class Resource implements BeforeAllCallback, ExtensionContext.Store.CloseableResource {
    @Override
    public void beforeAll(ExtensionContext context) {
        context.getRoot().getStore(ExtensionContext.Namespace.GLOBAL).getOrComputeIfAbsent("resource", key -> {
            Log.add("open");
            return this;
        });
    }

    @Override
    public void close() {
        Log.add("close");
        if (Boolean.getBoolean("sample.broken")) {
            throw new IllegalStateException("close is broken");
        }
    }
}
