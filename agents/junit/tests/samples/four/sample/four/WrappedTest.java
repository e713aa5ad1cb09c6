package sample.four;

import org.junit.BeforeClass;
import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runner.RunWith;
import org.junit.runner.Runner;
import org.junit.runner.notification.RunNotifier;
import org.junit.runners.BlockJUnit4ClassRunner;
import org.junit.runners.model.InitializationError;
import sample.Log;

/** A runner that wraps the usual one, as Mockito's does. */
@RunWith(WrappedTest.Wrapping.class)
public class WrappedTest {
    public static class Wrapping extends Runner {
        private final Object[] unrelated = {};
        private final Runner inner;

        public Wrapping(Class<?> type) throws InitializationError {
            inner = new BlockJUnit4ClassRunner(type);
        }

        @Override
        public Description getDescription() {
            return inner.getDescription();
        }

        @Override
        public void run(RunNotifier notifier) {
            inner.run(notifier);
        }
    }

    @BeforeClass
    public static void up() {
        Log.add("wrapped up");
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
