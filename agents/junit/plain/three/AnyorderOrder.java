import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestFailure;
import junit.framework.TestResult;
import junit.framework.TestSuite;

/** Runs JUnit 3 tests in the order that a file names: one test each line, {@code CLASS#METHOD}. */
public class AnyorderOrder {
    private static final List<String> results = new ArrayList<>();
    private static final PrintStream out = System.out;

    public static void main(String[] arguments) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(AnyorderOrder::writeResults));
        boolean hasFailed = false;
        for (String line : Files.readAllLines(Paths.get(arguments[0]))) {
            int tab = line.indexOf('\t');
            String id = line.substring(tab + 1);
            String group = tab < 0 ? id.substring(0, id.indexOf('#')) : line.substring(0, tab);
            Map<String, Test> tests = new LinkedHashMap<>();
            addTests(suite(Class.forName(group)), tests);
            hasFailed |= run(id, tests.get(id.replace(" (in " + group + ")", "")));
        }
        System.exit(hasFailed ? 1 : 0);
    }

    private static Test suite(Class<?> group) throws Exception {
        for (Method method : group.getMethods()) {
            if (method.getName().equals("suite") && method.getParameterTypes().length == 0) {
                return (Test) method.invoke(null);
            }
        }
        return new TestSuite(group);
    }

    private static void addTests(Test test, Map<String, Test> tests) {
        if (test instanceof TestSuite) {
            for (int i = 0; i < ((TestSuite) test).testCount(); i++) {
                addTests(((TestSuite) test).testAt(i), tests);
            }
        } else if (test instanceof TestCase) {
            tests.put(test.getClass().getName() + "#" + ((TestCase) test).getName(), test);
        }
    }

    private static boolean run(String id, Test test) {
        if (test == null) {
            tell("error", 0, id, "", "no such test", "", "setup");
            return true;
        }
        TestResult result = new TestResult();
        long begun = System.nanoTime();
        test.run(result);
        double seconds = (System.nanoTime() - begun) / 1e9;
        if (result.wasSuccessful()) {
            tell("passed", seconds, id, "", "", "", "");
            return false;
        }
        Enumeration<?> failures = result.errorCount() > 0 ? result.errors() : result.failures();
        Throwable thrown = ((TestFailure) failures.nextElement()).thrownException();
        thrown.printStackTrace();
        String message = String.valueOf(thrown.getMessage()).trim().split("\n", 2)[0];
        String at = place(thrown, test.getClass().getName());
        tell("failed", seconds, id, thrown.getClass().getName(), message, at, "call");
        return true;
    }

    private static String place(Throwable thrown, String type) {
        for (StackTraceElement frame : thrown.getStackTrace()) {
            if (frame.getClassName().split("\\$")[0].equals(type.split("\\$")[0])) {
                String directory = type.replaceAll("[^.]*$", "").replace('.', '/');
                return directory + frame.getFileName() + ":" + frame.getLineNumber();
            }
        }
        return "";
    }

    private static void tell(String outcome, double seconds, String... more) {
        String time = String.format(Locale.ROOT, "%.3f", seconds);
        StringBuilder line = new StringBuilder(outcome + "\t" + time);
        for (String field : more) {
            line.append('\t').append(field.replaceAll("\\p{Cntrl}", " "));
        }
        synchronized (results) {
            results.add(line.toString());
        }
        out.printf("%-8s %s s  %s%n", outcome, time, more[0]);
    }

    private static void writeResults() {
        String file = System.getProperty("anyorder.results");
        if (file == null) {
            return;
        }
        try {
            Path unfinished = Paths.get(file + ".unfinished");
            synchronized (results) {
                Files.write(unfinished, results);
            }
            Files.move(unfinished, Paths.get(file));
        } catch (IOException error) {
            error.printStackTrace();
        }
    }
}
