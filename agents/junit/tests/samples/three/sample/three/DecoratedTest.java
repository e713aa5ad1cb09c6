package sample.three;

import junit.extensions.TestSetup;
import junit.framework.Test;
import junit.framework.TestSuite;
import sample.Log;

public class DecoratedTest {
    public static Test suite() {
        return new TestSetup(new TestSuite(CaseTest.class)) {
            @Override
            protected void setUp() {
                Log.add("up");
            }

            @Override
            protected void tearDown() {
                Log.add("down");
            }
        };
    }
}
