package sample.four;

import static org.junit.Assert.assertEquals;
import static org.junit.Assume.assumeTrue;

import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Ignore;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.ExternalResource;
import sample.Log;

public class PlainTest {
    @Rule
    public ExternalResource rule = new ExternalResource() {
        @Override
        protected void before() {
            Log.add("rule");
        }
    };

    @BeforeClass
    public static void up() {
        Log.add("up");
    }

    @AfterClass
    public static void down() {
        Log.add("down");
    }

    @Before
    public void before() {
        Log.add("before");
    }

    @After
    public void after() {
        Log.add("after");
    }

    @Test
    public void one() {
        Log.add("one");
    }

    @Test
    public void two() {
        Log.add("two");
    }

    @Test
    public void wrong() {
        assertEquals(1, 2);
    }

    @Test
    public void assumed() {
        assumeTrue(false);
    }

    @Ignore("not now")
    @Test
    public void ignored() {
        Log.add("ignored");
    }
}
