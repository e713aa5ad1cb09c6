package sample.four;

import org.junit.runner.Description;
import org.junit.runner.RunWith;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.Filterable;
import org.junit.runner.notification.RunNotifier;
import sample.Log;

/** A runner with no {@code ParentRunner} in it. */
@RunWith(OwnRunnerTest.OwnRunner.class)
public class OwnRunnerTest {
    public static class OwnRunner extends Runner implements Filterable {
        private final Description all = Description.createSuiteDescription(OwnRunnerTest.class);
        private Filter filter = Filter.ALL;

        public OwnRunner(Class<?> type) {
            all.addChild(Description.createTestDescription(type, "x"));
            all.addChild(Description.createTestDescription(type, "y"));
        }

        @Override
        public Description getDescription() {
            return all;
        }

        @Override
        public void filter(Filter filter) {
            this.filter = filter;
        }

        @Override
        public void run(RunNotifier notifier) {
            Log.add("own up");
            for (Description each : all.getChildren()) {
                if (filter.shouldRun(each)) {
                    notifier.fireTestStarted(each);
                    Log.add(each.getMethodName());
                    notifier.fireTestFinished(each);
                }
            }
        }
    }
}
