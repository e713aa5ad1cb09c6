import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectUniqueId;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs tests of the JUnit Platform in the order that a file names: one test each line, {@code CLASS#METHOD}. As much
 * of it as the Platform keeps in this order is one execution of its launcher; else each class by itself, or even
 * each test.
 */
public class AnyorderOrder implements TestExecutionListener {
    private static final Launcher launcher = LauncherFactory.create();
    private static final List<String[]> results = new ArrayList<>();
    private static final PrintStream out = System.out;

    /** The unique ids of the tests that have not ended yet, with the ids that were asked for. */
    private final Map<String, String> open;
    /** The tests that have, with their results. */
    private final Map<String, String[]> ended = new LinkedHashMap<>();
    private long begun = System.nanoTime();
    private boolean hasPassed;
    private String[] failure;
    private String[] skipped;

    public static void main(String[] arguments) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(AnyorderOrder::writeResults));
        List<String[]> row = new ArrayList<>();
        for (String line : Files.readAllLines(Paths.get(arguments[0]))) {
            int tab = line.indexOf('\t');
            String id = line.substring(tab + 1);
            String group = tab < 0 ? id.substring(0, id.indexOf('#')) : line.substring(0, tab);
            boolean isRepeat = row.stream().anyMatch(test -> test[1].equals(id));
            boolean isReturn = !row.isEmpty() && !row.get(row.size() - 1)[0].equals(group)
                    && row.stream().anyMatch(test -> test[0].equals(group));
            if (isRepeat || isReturn) {
                run(row);
                row.clear();
            }
            row.add(new String[] {group, id});
        }
        run(row);
        boolean isGreen = results.stream().noneMatch(result -> result[0].equals("failed") || result[0].equals("error"));
        System.exit(isGreen ? 0 : 1);
    }

    /** Runs tests, each a group and an id, that enter no group twice. */
    private static void run(List<String[]> row) throws Exception {
        if (row.isEmpty()) {
            return;
        }
        Map<String, Map<String, String>> found = new LinkedHashMap<>();
        Map<String, String> asked = new LinkedHashMap<>();
        for (String[] test : row) {
            Map<String, String> inGroup = found.computeIfAbsent(test[0], AnyorderOrder::testsOf);
            String key = test[1].replace(" (in " + test[0] + ")", "");
            asked.put(inGroup.getOrDefault(key, "missing " + test[1]), test[1]);
        }
        LauncherDiscoveryRequest request = request(asked.keySet().stream()
                .filter(id -> !id.startsWith("missing ")).map(id -> selectUniqueId(id)).collect(Collectors.toList()));
        List<String> planned = new ArrayList<>();
        TestPlan plan = launcher.discover(request);
        plan.getRoots().forEach(root -> addPlanned(plan, root, asked, planned));
        if (row.size() > 1 && !planned.equals(new ArrayList<>(asked.keySet()))) {
            for (List<String[]> part : found.size() > 1 ? byGroup(row) : singly(row)) {
                run(part);
            }
            return;
        }
        AnyorderOrder listener = new AnyorderOrder(asked);
        launcher.execute(request, listener);
        String[] missing = {"error", "0", null, "", "no such test", "", "setup"};
        listener.open.values().forEach(id -> tell(id, missing.clone()));
    }

    private static List<List<String[]>> byGroup(List<String[]> row) {
        return new ArrayList<>(row.stream()
                .collect(Collectors.groupingBy(test -> test[0], LinkedHashMap::new, Collectors.toList())).values());
    }

    private static List<List<String[]>> singly(List<String[]> row) {
        return row.stream().map(Collections::singletonList).collect(Collectors.toList());
    }

    private static LauncherDiscoveryRequest request(List<? extends DiscoverySelector> selectors) {
        return LauncherDiscoveryRequestBuilder.request().selectors(selectors).build();
    }

    private static void addPlanned(TestPlan plan, TestIdentifier at, Map<String, String> asked, List<String> planned) {
        if (asked.containsKey(at.getUniqueId())) {
            planned.add(at.getUniqueId());
        }
        plan.getChildren(at).forEach(child -> addPlanned(plan, child, asked, planned));
    }

    /** The names of the tests of one class, and what the Platform calls them. */
    private static Map<String, String> testsOf(String group) {
        Map<String, String> tests = new LinkedHashMap<>();
        try {
            TestPlan plan = launcher.discover(request(Collections.singletonList(selectClass(Class.forName(group)))));
            for (TestIdentifier engine : plan.getRoots()) {
                plan.getChildren(engine).forEach(child -> addTests(plan, child, group, tests));
            }
        } catch (ClassNotFoundException | LinkageError error) {
            error.printStackTrace();
        }
        return tests;
    }

    private static void addTests(TestPlan plan, TestIdentifier at, String type, Map<String, String> tests) {
        TestSource source = at.getSource().orElse(null);
        boolean isVintage = at.getUniqueId().startsWith("[engine:junit-vintage]");
        boolean isMethod = source instanceof MethodSource;
        boolean isWhole = at.getUniqueId().contains("[class-template:");
        String own = source instanceof ClassSource ? ((ClassSource) source).getClassName() : type;
        if (isVintage && plan.getChildren(at).isEmpty()) {
            String name = !isMethod && own.endsWith(at.getDisplayName()) ? "*" : at.getDisplayName();
            add(tests, (isMethod ? ((MethodSource) source).getClassName() : own) + "#" + name, at);
        } else if (isMethod && !isVintage) {
            String name = ((MethodSource) source).getMethodName();
            Set<TestIdentifier> siblings = plan.getChildren(plan.getParent(at).get());
            long times = siblings.stream().filter(one -> name.equals(method(one))).count();
            add(tests, type + "#" + name + (times > 1 ? "(" + parameterTypes((MethodSource) source) + ")" : ""), at);
        } else if (isWhole) {
            add(tests, own + "#*", at);
        } else {
            if (isVintage && source instanceof ClassSource) {
                tests.put(own + "#*", at.getUniqueId()); // JUnit 4 by itself shows no tests in a class that is ignored
            }
            plan.getChildren(at).forEach(child -> addTests(plan, child, own, tests));
        }
    }

    private static String method(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        return source instanceof MethodSource ? ((MethodSource) source).getMethodName() : null;
    }

    private static String parameterTypes(MethodSource method) {
        return method.getMethodParameterTypes().replaceAll("[\\w$]+\\.", "").replaceAll(", *", ", ");
    }

    private static void add(Map<String, String> tests, String name, TestIdentifier test) {
        String id = clean(name);
        String unique = id;
        for (int times = 2; tests.containsKey(unique); times++) {
            unique = id + " (" + times + ")";
        }
        tests.put(unique, test.getUniqueId());
    }

    private AnyorderOrder(Map<String, String> asked) {
        this.open = new LinkedHashMap<>(asked);
    }

    @Override
    public void executionStarted(TestIdentifier at) {
        if (open.containsKey(at.getUniqueId())) {
            begun = System.nanoTime();
            hasPassed = false;
            failure = null;
            skipped = null;
        }
    }

    @Override
    public void executionSkipped(TestIdentifier at, String reason) {
        String[] why = {"skipped", "0", null, "", String.valueOf(reason), "", ""};
        if (isInTest(at)) {
            skipped = why;
        }
        endAllIn(at, why);
    }

    @Override
    public void executionFinished(TestIdentifier at, TestExecutionResult result) {
        Throwable thrown = result.getThrowable().orElse(null);
        boolean isFailed = result.getStatus() == TestExecutionResult.Status.FAILED;
        boolean isAborted = result.getStatus() == TestExecutionResult.Status.ABORTED;
        if (isInTest(at)) {
            failure = isFailed && failure == null ? describe("failed", thrown, at) : failure;
            skipped = isAborted && skipped == null ? describe("skipped", thrown, at) : skipped;
            hasPassed |= at.isTest() && !isFailed && !isAborted;
            if (open.containsKey(at.getUniqueId())) {
                String[] passed = {"passed", "", null, "", "", "", ""};
                end(at.getUniqueId(), failure != null ? failure : skipped != null && !hasPassed ? skipped : passed);
            }
        } else if (isFailed || isAborted) {
            String[] around = describe(isFailed ? "error" : "skipped", thrown, at);
            if (!endAllIn(at, around) && isFailed) {
                tearDownFailed(at, around);
            }
        }
    }

    /** Whether it is a test that was asked for, or part of one. */
    private boolean isInTest(TestIdentifier at) {
        return open.keySet().stream().anyMatch(test -> (at.getUniqueId() + "/").startsWith(test + "/"));
    }

    /** Ends the tests that a class did not let run; whether there were any. */
    private boolean endAllIn(TestIdentifier at, String[] result) {
        List<String> kept = open.keySet().stream()
                .filter(test -> (test + "/").startsWith(at.getUniqueId() + "/")).collect(Collectors.toList());
        kept.forEach(test -> end(test, result.clone()));
        return !kept.isEmpty();
    }

    private void tearDownFailed(TestIdentifier at, String[] around) {
        String[] last = null;
        for (Map.Entry<String, String[]> test : ended.entrySet()) {
            last = test.getKey().startsWith(at.getUniqueId()) ? test.getValue() : last;
        }
        if (last != null && !last[0].equals("failed") && !last[0].equals("error")) {
            last[0] = "error";
            System.arraycopy(around, 3, last, 3, 3);
            last[6] = "teardown";
        }
    }

    private void end(String test, String[] result) {
        if (result[1].isEmpty()) {
            result[1] = String.format(Locale.ROOT, "%.3f", (System.nanoTime() - begun) / 1e9);
        }
        ended.put(test, result);
        tell(open.remove(test), result);
    }

    private static String[] describe(String outcome, Throwable thrown, TestIdentifier at) {
        if (thrown == null) {
            return new String[] {outcome, "", null, "", "", "", ""};
        }
        thrown.printStackTrace();
        TestSource source = at.getSource().orElse(null);
        String type = source instanceof MethodSource ? ((MethodSource) source).getClassName()
                : source instanceof ClassSource ? ((ClassSource) source).getClassName() : "";
        String message = String.valueOf(thrown.getMessage()).trim().split("\n", 2)[0];
        String phase = outcome.equals("failed") ? "call" : outcome.equals("error") ? "setup" : "";
        return new String[] {outcome, "", null, thrown.getClass().getName(), message, place(thrown, type), phase};
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
