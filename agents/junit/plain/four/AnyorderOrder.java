import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs JUnit 4 tests in the order that a file names: one test each line, {@code CLASS#METHOD}. Tests of one class
 * that follow each other are one run of JUnit, filtered and sorted; where JUnit will not sort them so, each is a run
 * of its own.
 */
public class AnyorderOrder extends RunListener {
    private static final List<String[]> results = new ArrayList<>();
    private static final PrintStream out = System.out;

    private final Map<Description, String> asked;
    private Description running;
    private long begun;
    private String[] failure;
    private String[] ofClass;

    public static void main(String[] arguments) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(AnyorderOrder::writeResults));
        List<String[]> stay = new ArrayList<>();
        for (String line : Files.readAllLines(Paths.get(arguments[0]))) {
            int tab = line.indexOf('\t');
            String id = line.substring(tab + 1);
            String group = tab < 0 ? id.substring(0, id.indexOf('#')) : line.substring(0, tab);
            boolean isRepeat = stay.stream().anyMatch(test -> test[1].equals(id));
            if (!stay.isEmpty() && (isRepeat || !stay.get(0)[0].equals(group))) {
                run(stay);
                stay.clear();
            }
            stay.add(new String[] {group, id});
        }
        run(stay);
        boolean isGreen = results.stream().noneMatch(result -> result[0].equals("failed") || result[0].equals("error"));
        System.exit(isGreen ? 0 : 1);
    }

    private static void run(List<String[]> stay) throws Exception {
        if (stay.isEmpty()) {
            return;
        }
        Class<?> group = Class.forName(stay.get(0)[0]);
        Map<String, Description> byId = new HashMap<>();
        addTests(Request.aClass(group).getRunner().getDescription(), group, byId);
        Map<Description, String> asked = new LinkedHashMap<>();
        for (String[] test : stay) {
            asked.put(byId.getOrDefault(test[1].replace(" (in " + test[0] + ")", ""), Description.EMPTY), test[1]);
        }
        List<Description> order = new ArrayList<>(asked.keySet());
        Runner runner = Request.aClass(group)
                .filterWith(new Among(order))
                .sortWith((one, other) -> Integer.compare(first(one, order), first(other, order)))
                .getRunner();
        if (stay.size() > 1 && !tests(runner.getDescription()).equals(order)) {
            for (String[] test : stay) {
                run(Collections.singletonList(test));
            }
            return;
        }
        AnyorderOrder listener = new AnyorderOrder(asked);
        JUnitCore core = new JUnitCore();
        core.addListener(listener);
        core.run(runner);
        listener.tellMissing();
    }

    private static void addTests(Description at, Class<?> group, Map<String, Description> byId) {
        for (Description test : tests(at)) {
            String type = test.getClassName() == null ? group.getName() : test.getClassName();
            String id = clean(type + "#" + (test.getMethodName() == null ? "*" : test.getMethodName()));
            String unique = id;
            for (int times = 2; byId.containsKey(unique); times++) {
                unique = id + " (" + times + ")";
            }
            byId.put(unique, test);
        }
    }

    private static List<Description> tests(Description at) {
        if (at.getChildren().isEmpty()) {
            return Collections.singletonList(at);
        }
        List<Description> tests = new ArrayList<>();
        at.getChildren().forEach(child -> tests.addAll(tests(child)));
        return tests;
    }

    private static int first(Description at, List<Description> order) {
        return tests(at).stream().mapToInt(order::indexOf).filter(place -> place >= 0).min().orElse(order.size());
    }

    private static class Among extends Filter {
        private final List<Description> chosen;

        Among(List<Description> chosen) {
            this.chosen = chosen;
        }

        @Override
        public boolean shouldRun(Description description) {
            return tests(description).stream().anyMatch(chosen::contains);
        }

        @Override
        public String describe() {
            return "the tests of this order";
        }
    }

    private AnyorderOrder(Map<Description, String> asked) {
        this.asked = new LinkedHashMap<>(asked);
    }

    @Override
    public void testStarted(Description test) {
        running = test;
        begun = System.nanoTime();
        failure = null;
    }

    @Override
    public void testFailure(Failure thrown) {
        failed(thrown, running != null ? "failed" : "error");
    }

    @Override
    public void testAssumptionFailure(Failure thrown) {
        failed(thrown, "skipped");
    }

    private void failed(Failure thrown, String outcome) {
        String type = running == null ? thrown.getDescription().getClassName() : running.getClassName();
        String[] described = describe(outcome, thrown.getException(), type == null ? "" : type);
        if (running != null) {
            failure = failure == null ? described : failure;
        } else {
            ofClass = described;
        }
    }

    @Override
    public void testIgnored(Description test) {
        String[] ignored = {"skipped", "0", null, "", "", "", ""};
        if (asked.containsKey(test)) {
            tell(asked.remove(test), ignored);
        } else {
            ofClass = ignored;
        }
    }

    @Override
    public void testFinished(Description test) {
        String[] result = failure == null ? new String[] {"passed", "", null, "", "", "", ""} : failure;
        result[1] = String.format(java.util.Locale.ROOT, "%.3f", (System.nanoTime() - begun) / 1e9);
        running = null;
        if ("initializationError".equals(test.getMethodName()) && !asked.containsKey(test)) {
            ofClass = result;
            ofClass[0] = "error";
            ofClass[6] = "setup";
            return;
        }
        String id = asked.remove(test);
        tell(id == null ? test.getClassName() + "#" + test.getMethodName() : id, result);
    }

    /** What failed around the tests keeps those from running that did not, or else belongs to the last one. */
    private void tellMissing() {
        String[] missing = {"error", "0", null, "", "no such test", "", "setup"};
        for (String id : asked.values()) {
            tell(id, ofClass != null ? ofClass.clone() : missing.clone());
        }
        String[] last = results.get(results.size() - 1);
        if (asked.isEmpty() && ofClass != null && ofClass[0].equals("error") && !last[0].equals("failed")) {
            last[0] = "error";
            System.arraycopy(ofClass, 3, last, 3, 3);
            last[6] = "teardown";
        }
    }

    private static String[] describe(String outcome, Throwable thrown, String type) {
        thrown.printStackTrace();
        String message = String.valueOf(thrown.getMessage()).trim().split("\n", 2)[0];
        String at = place(thrown, type);
        String phase = outcome.equals("failed") ? "call" : outcome.equals("error") ? "setup" : "";
        return new String[] {outcome, "0", null, thrown.getClass().getName(), message, at, phase};
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

    private static String clean(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }

    private static void tell(String id, String[] result) {
        result[2] = id;
        synchronized (results) {
            results.add(result);
        }
        out.printf("%-8s %s s  %s%n", result[0], result[1], id);
    }

    private static void writeResults() {
        String file = System.getProperty("anyorder.results");
        if (file == null) {
            return;
        }
        List<String> lines = new ArrayList<>();
        synchronized (results) {
            for (String[] result : results) {
                lines.add(Arrays.stream(result).map(AnyorderOrder::clean).collect(Collectors.joining("\t")));
            }
        }
        try {
            Path unfinished = Paths.get(file + ".unfinished");
            Files.write(unfinished, lines);
            Files.move(unfinished, Paths.get(file));
        } catch (IOException error) {
            error.printStackTrace();
        }
    }
}
