package dev.anyorder.agent;

import org.junit.runner.Description;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;

/** Tells a stay what a JUnit 4 runner notifies. */
final class FourListener extends RunListener {
    private final Stay stay;

    private FourListener(Stay stay) {
        this.stay = stay;
    }

    static RunNotifier notifier(Stay stay) {
        RunNotifier notifier = new RunNotifier();
        notifier.addListener(new FourListener(stay));
        return notifier;
    }

    @Override
    public void testFailure(Failure failure) {
        stay.seen().failed(failure.getException());
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        stay.seen().skipped(failure.getException());
    }

    @Override
    public void testIgnored(Description description) {
        org.junit.Ignore ignore = description.getAnnotation(org.junit.Ignore.class);
        stay.seen().skipped(ignore == null ? "" : ignore.value());
    }
}
