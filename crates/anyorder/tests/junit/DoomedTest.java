package acme;

import static org.junit.Assert.assertNotEquals;

import org.junit.Test;

/** No test runs in the child that is doomed. */
public class DoomedTest {
    @Test
    public void neverRuns() {
        assertNotEquals(1, Doorman.attempts());
    }
}
