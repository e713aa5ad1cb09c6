package sample.four;

import org.junit.BeforeClass;
import org.junit.Test;
import sample.Log;

public class BrokenTest {
    @BeforeClass
    public static void up() {
        Log.add("broken up");
        throw new IllegalStateException("up is broken\nin two lines");
    }

    @Test
    public void one() {
        Log.add("one");
    }

    @Test
    public void two() {
        Log.add("two");
    }
}
