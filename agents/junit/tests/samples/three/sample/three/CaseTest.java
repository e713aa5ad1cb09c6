package sample.three;

import junit.framework.TestCase;
import sample.Log;

public class CaseTest extends TestCase {
    @Override
    protected void setUp() {
        Log.add("setUp");
    }

    @Override
    protected void tearDown() {
        Log.add("tearDown");
    }

    public void testOne() {
        Log.add("one");
    }

    public void testTwo() {
        Log.add("two");
        fail("two is wrong");
    }
}
