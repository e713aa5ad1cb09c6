package sample.four;

import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.RunWith;
import sample.Log;

@RunWith(Enclosed.class)
public class EnclosedTest {
    public static class First {
        @BeforeClass
        public static void up() {
            Log.add("first up");
        }

        @AfterClass
        public static void down() {
            Log.add("first down");
        }

        @Test
        public void one() {
            Log.add("first one");
        }
    }

    public static class Second {
        @Test
        public void one() {
            Log.add("second one");
        }
    }

    @Ignore
    public static class Third {
        @Test
        public void one() {
            Log.add("third one");
        }
    }
}
