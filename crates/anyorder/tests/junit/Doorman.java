package acme;

import java.security.Permission;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets everything pass but some children of this JVM: they end, or hang, before they say hello.
 *
 * <p>Java 17 asks a security manager when the agent lists descriptors for a child, in the parent, and when it corrects
 * the number of the process, in the child.
 */
public final class Doorman extends SecurityManager {
    private static final String DOOMED = System.getProperty("doorman.doomed");
    private static final boolean HANGS = Boolean.getBoolean("doorman.hangs");
    private static int attempts;

    /** How often this JVM and those that it comes from have been asked for a child. */
    static int attempts() {
        return attempts;
    }

    @Override
    public void checkPermission(Permission permission) {
        String name = permission.getName();
        if (name.equals("/proc/self/fd") && isIn("childhood")) {
            attempts++;
        } else if (name.equals("manageProcess") && isIn("correctHandle") && isDoomed()) {
            while (HANGS) {
                LockSupport.park();
            }
            Runtime.getRuntime().halt(1);
        }
    }

    private static boolean isDoomed() {
        return attempts > 0 && (DOOMED.equals("all") || attempts == 1);
    }

    private static boolean isIn(String method) {
        for (StackTraceElement frame : new Throwable().getStackTrace()) {
            if (frame.getMethodName().equals(method)) {
                return true;
            }
        }
        return false;
    }
}
