package dev.anyorder.agent;

import static dev.anyorder.agent.Check.equal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The plain runners, which are run as the user would. */
record PlainClaims(Check check, List<String> kinds) {
    void all() {
        check.claim("a plain runner keeps the order and tells what became of each test", () -> {
            List<String> lines = new ArrayList<>();
            List<String> expected = new ArrayList<>();
            for (String each : order()) {
                String[] parts = each.split(" => ");
                lines.add(parts[0].replace(" | ", "\t"));
                expected.add(parts[1] + " " + parts[0].substring(parts[0].indexOf("| ") + 1).trim());
            }
            List<String> seen = new ArrayList<>();
            for (String result : check.runPlain(runner(), lines)) {
                String[] fields = result.split("\t", -1);
                equal(7, fields.length);
                seen.add((fields[0] + " " + fields[6]).trim() + " " + fields[2]);
            }
            equal(String.join("\n", expected), String.join("\n", seen));
        });
        check.claim("results are written even if a test ends the JVM", () -> {
            if (kinds.contains("four")) {
                List<String> results = check.runPlain(runner(), List.of("sample.four.HostileTest#sane",
                        "sample.four.HostileTest#exits", "sample.four.HostileTest#sane"));
                equal(1, results.size());
            }
        });
    }

    private String runner() {
        return kinds.contains("five") ? "platform" : kinds.contains("four") ? "four" : "three";
    }

    private List<String> order() {
        List<String> order = new ArrayList<>();
        if (kinds.contains("three")) {
            order.add("sample.three.CaseTest#testTwo => failed call");
            order.add("sample.three.CaseTest#testOne => passed");
            order.add("sample.three.CaseTest#testOne => passed");
        }
        if (kinds.contains("four")) {
            order.add("sample.four.PlainTest#two => passed");
            order.add("sample.four.PlainTest#one => passed");
            order.add("sample.four.PlainTest#one => passed");
            order.add("sample.four.PlainTest#wrong => failed call");
            order.add("sample.four.PlainTest#ignored => skipped");
            order.add("sample.four.PlainTest#assumed => skipped");
            order.add("sample.four.ParameterTest#one[1] => passed");
            order.add("sample.four.ParameterTest#two[0] => passed");
            order.add("sample.four.ParameterTest#two[1] => passed");
            order.add("sample.four.EnclosedTest | sample.four.EnclosedTest$First#one => passed");
            order.add("sample.four.EnclosedTest | sample.four.EnclosedTest$Third#* => skipped");
            order.add("sample.four.IgnoredTest#* => skipped");
            order.add("sample.four.AssumedTest#one => skipped");
            order.add("sample.four.BrokenTest#two => error setup");
            order.add("sample.four.BrokenTest#one => error setup");
            order.add("sample.four.BrokenDownTest#one => error teardown");
            order.add("sample.four.OwnRunnerTest#y => passed");
            order.add("sample.four.HostileTest#breaksTheParameters => passed");
            order.add("sample.four.ParameterTest#one[1] => error setup");
        }
        if (kinds.contains("five")) {
            order.add("sample.five.PlainTest#two => passed");
            order.add("sample.five.PlainTest#one => passed");
            order.add("sample.five.NestedTest | sample.five.NestedTest$Inner#two => passed");
            order.add("sample.five.NestedTest#one => passed");
            order.add("sample.five.PlainTest#one => passed");
            order.add("sample.five.PlainTest#overloaded(TestInfo) => passed");
            order.add("sample.five.PlainTest#overloaded() => passed");
            order.add("sample.five.PlainTest#wrong => failed call");
            order.add("sample.five.PlainTest#assumed => skipped");
            order.add("sample.five.PlainTest#disabled => skipped");
            order.add("sample.five.ManyTest#made => passed");
            order.add("sample.five.ManyTest#partlyWrong => failed call");
            order.add("sample.five.ManyTest#allAssumed => skipped");
            order.add("sample.five.BrokenTest | sample.five.BrokenTest$BrokenUp#one => error setup");
            order.add("sample.five.BrokenTest#one => error teardown");
        }
        return order;
    }
}
