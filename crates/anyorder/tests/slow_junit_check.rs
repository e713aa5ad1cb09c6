//! Checks of a Java build with a history: what is selected by classes, what is found, and what was there before.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyorder_testkit::repository;
use anyorder_testkit::thorough::usually_or_in_trials;
use common::expected::in_lanes;
use common::history::{Edit, History};
use common::{Anyorder, Ran};
use serde_json::Value;

/// How many checks go on at the same time.
const LANES: usize = 2;

/// Checked every day; trials check all of them.
const USUAL: [&str; 1] = ["comment"];

/// A change, and what is to be found after it; tests by the names of their classes.
#[derive(Default)]
struct Case<'a> {
    /// Beside the desk itself.
    base: Vec<Edit<'a>>,
    change: Vec<Edit<'a>>,
    affected: Vec<&'a str>,
    related: Vec<&'a str>,
    deleted: Vec<&'a str>,
    new: Vec<&'a str>,
    before: Vec<&'a str>,
}

const MODE: &str = "package acme;\n\npublic class Mode {\n    public static String name = \"a\";\n}\n";
const COUNTER: &str = "package acme;\n\npublic class Counter {\n    static int seen;\n\n    public static int next(int number) {\n        return number + 1;\n    }\n\n    public static int seen() {\n        return seen;\n    }\n}\n";

/// A class with one test.
fn test(name: &str, body: &str) -> String {
    format!(
        "package acme;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\npublic class {name} {{\n    @Test\n    public void holds() {{\n        {body}\n    }}\n}}\n"
    )
}

/// The files that all cases begin with, and those of single cases.
struct Texts {
    pom: String,
    sets: String,
    resets: String,
    reads: String,
    next: String,
    seen: String,
    commented: String,
    counter_that_writes: String,
}

impl Texts {
    fn new() -> Self {
        let writes = COUNTER.replace("return number", "seen++;\n        return number");
        let commented = COUNTER.replace("    static int seen", "    // How often.\n\n    static int seen");
        assert!(writes != COUNTER && commented != COUNTER);
        Texts {
            pom: fs::read_to_string(repository().join("fixtures/junit/four/pom.xml")).unwrap(),
            sets: test("ASetTest", "Mode.name = \"b\";"),
            resets: test("BResetTest", "Mode.name = \"a\";"),
            reads: test("CReadTest", "assertEquals(\"a\", Mode.name);"),
            next: test("NextTest", "assertEquals(2, Counter.next(1));"),
            seen: test("SeenTest", "assertEquals(0, Counter.seen());"),
            commented,
            counter_that_writes: writes,
        }
    }

    fn desk(&self) -> Vec<Edit<'_>> {
        // Maven is told to start quickly, and to start the tests' JVM so too.
        vec![
            (".gitignore", Some("target/\n")),
            (".mvn/jvm.config", Some("-XX:TieredStopAtLevel=1")),
            (".mvn/maven.config", Some("-DargLine=-XX:TieredStopAtLevel=1")),
            ("pom.xml", Some(&self.pom)),
            ("src/main/java/acme/Mode.java", Some(MODE)),
            (COUNTER_FILE, Some(COUNTER)),
            ("src/test/java/acme/ASetTest.java", Some(&self.sets)),
            ("src/test/java/acme/NextTest.java", Some(&self.next)),
            ("src/test/java/acme/SeenTest.java", Some(&self.seen)),
        ]
    }
}

const COUNTER_FILE: &str = "src/main/java/acme/Counter.java";
const READS_FILE: &str = "src/test/java/acme/CReadTest.java";
const RESETS_FILE: &str = "src/test/java/acme/BResetTest.java";

fn cases(texts: &Texts) -> Vec<(&'static str, Case<'_>)> {
    let reads = (READS_FILE, Some(texts.reads.as_str()));
    vec![
        ("comment", Case { change: vec![(COUNTER_FILE, Some(&texts.commented))], ..Case::default() }),
        (
            "new victim",
            Case {
                change: vec![reads],
                affected: vec!["CReadTest"],
                related: vec!["ASetTest"],
                new: vec!["CReadTest"],
                ..Case::default()
            },
        ),
        (
            "code that writes",
            Case {
                change: vec![(COUNTER_FILE, Some(&texts.counter_that_writes))],
                affected: vec!["NextTest", "SeenTest"],
                new: vec!["SeenTest"],
                ..Case::default()
            },
        ),
        (
            "deleted cleaner",
            Case {
                base: vec![reads, (RESETS_FILE, Some(&texts.resets))],
                change: vec![(RESETS_FILE, None)],
                related: vec!["ASetTest", "CReadTest"],
                deleted: vec!["BResetTest"],
                before: vec!["CReadTest"],
                ..Case::default()
            },
        ),
    ]
}

/// The classes of tests in a list, whose entries are ids or say one.
fn classes(list: &Value, is_meant: impl Fn(&Value) -> bool) -> BTreeSet<&str> {
    let rows = list.as_array().unwrap().iter().filter(|row| is_meant(row));
    let ids = rows.map(|row| row.as_str().or(row["test"].as_str()).unwrap());
    ids.map(|id| id.trim_start_matches("acme.").trim_end_matches("#holds")).collect()
}

fn faults(ran: &Ran, case: &Case<'_>) -> Vec<String> {
    let report = ran.json();
    let selection = &report["selection"];
    let told = |age: &str| classes(&report["findings"], |finding| finding["age"] == age);
    let all = |list: &str| classes(&selection[list], |_| true);
    let rows = [
        ("affected", all("affected"), &case.affected),
        ("related", all("related"), &case.related),
        ("deleted", all("deleted"), &case.deleted),
        ("new", told("new"), &case.new),
        ("before", told("before"), &case.before),
    ];
    let wrong = rows.iter().filter(|(_, seen, wanted)| *seen != wanted.iter().copied().collect());
    let wrong = wrong.map(|(what, seen, wanted)| format!("{what}: {seen:?}, not {wanted:?}"));
    let code = i32::from(!case.new.is_empty());
    wrong.chain((ran.code != code).then(|| format!("exit code {}", ran.code))).collect()
}

/// Builds a history, checks it before and after the change, and says what is wrong.
fn checked(name: &str, case: &Case<'_>, texts: &Texts) -> Option<String> {
    let history = History::of(&[texts.desk(), case.base.clone()].concat());
    let anyorder = Anyorder::built(history.path());
    let check = |since: &str| {
        anyorder.run(&["check", "--since", since, "--plain-pairs", "1", "--no-explain", "--json", "-"])
    };
    check("HEAD").with_code(0);
    history.edit(&case.change);
    history.commit();
    // What has been found once does not count as old for that.
    let times = if usually_or_in_trials(false, !case.new.is_empty()) { 2 } else { 1 };
    let wrong = (0..times).filter_map(|time| {
        let ran = check("HEAD^");
        let faults = faults(&ran, case);
        (!faults.is_empty()).then(|| format!("{name}, {time}: {faults:#?}\n{}", ran.shown()))
    });
    let wrong: Vec<String> = wrong.collect();
    (!wrong.is_empty()).then(|| wrong.join("\n"))
}

#[test]
fn after_a_change_of_java_code_the_selection_and_the_verdict_are_right() {
    let texts = Texts::new();
    let wanted = cases(&texts).into_iter();
    let wanted = wanted.filter(|(name, _)| usually_or_in_trials(USUAL.contains(name), true));
    let wanted: BTreeMap<String, Case<'_>> = wanted.map(|(name, case)| (name.to_owned(), case)).collect();
    assert_eq!(wanted.len(), usually_or_in_trials(USUAL.len(), 4));
    let wrong = in_lanes(LANES, wanted, |name, case| checked(name, case, &texts));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
