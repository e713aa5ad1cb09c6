package dev.anyorder.agent;

import junit.runner.Version;

/** What JUnit 3 and 4 have in common: they know one class at a time, and have nothing around all of them. */
abstract class ThreeOrFour implements Backend {
    @Override
    public final String framework() {
        return "JUnit " + Version.id();
    }

    @Override
    public final boolean isOpen() {
        return true;
    }

    @Override
    public final void open(Runnable stays) {
        stays.run();
    }

    @Override
    public final Part enter(String name, Stay stay) throws Throwable {
        return enter(Class.forName(name, true, Main.class.getClassLoader()), stay);
    }

    abstract Part enter(Class<?> group, Stay stay) throws Throwable;
}
