//! JVMs whose forks fail, or that cannot be forked at all: new JVMs take their place, and the verdicts are the same.

mod common;

use std::fs;
use std::path::PathBuf;

use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::jvm::Jdk;
use anyorder_testkit::thorough::usually_or_in_trials;
use common::Anyorder;
use serde_json::Value;

/// A copy of a small fixture with more classes in it, and something in its pom replaced.
fn with_classes(sources: &[(&str, &str)], replaced: &str, by: &str) -> Fixture {
    let fixture = Fixture::junit("four");
    for (name, text) in sources {
        fs::write(fixture.path().join("src/test/java/acme").join(name), text).unwrap();
    }
    let pom = fixture.path().join("pom.xml");
    let text = fs::read_to_string(&pom).unwrap();
    assert!(text.contains(replaced), "{text}");
    fs::write(&pom, text.replace(replaced, by)).unwrap();
    fixture
}

/// With a JVM some of whose children end or hang before they say hello. Only Java before 24 has security managers.
fn with_doorman(options: &str) -> Option<(Fixture, Anyorder)> {
    let sources = [
        ("Doorman.java", include_str!("junit/Doorman.java")),
        ("DoomedTest.java", include_str!("junit/DoomedTest.java")),
    ];
    let options = format!("<argLine>-Djava.security.manager=acme.Doorman {options}</argLine><runOrder>");
    let fixture = with_classes(&sources, "<runOrder>", &options);
    let anyorder = Anyorder::built(fixture.path()).variable("JAVA_HOME", jdk(17)?);
    Some((fixture, anyorder))
}

/// A JDK of this version, if this machine has one; `cargo xtask test` says what it left out for lack of one.
fn jdk(feature: u32) -> Option<PathBuf> {
    Jdk::claimed().into_iter().find(|jdk| jdk.feature == feature).map(|jdk| jdk.home)
}

/// Runs every test of these classes after every other, in forks if there are any: how many forks and processes that took.
/// `differing` ends otherwise than in the original order, and no other test; in trials, new processes have to agree.
#[track_caller]
fn cost_of(anyorder: &Anyorder, classes: &[&str], differing: &str) -> (u64, u64) {
    let swept = |words: &[&str]| {
        let words = [&["sweep", "--strategy", "pairs", "--json", "-"], words, classes].concat();
        anyorder.run(&words).json()
    };
    let outcomes = |report: &Value| {
        let differs = report["differs"].as_array().unwrap();
        differs.iter().map(|test| (test["test"].clone(), test["outcomes"].clone())).collect::<Vec<_>>()
    };
    let usually = swept(&[]);
    let names: Vec<Value> = outcomes(&usually).into_iter().map(|(test, _)| test).collect();
    assert_eq!(names, [differing]);
    if usually_or_in_trials(false, true) {
        assert_eq!(outcomes(&usually), outcomes(&swept(&["--isolation", "process"])));
    }
    let cost = |what| usually["cost"][what].as_u64().unwrap();
    (cost("forks"), cost("processes"))
}

/// The victim among the tests of `CurrencyTest`.
const EURO: &str = "acme.CurrencyTest#pricesAreInEuro";

#[test]
fn a_child_that_dies_before_its_hello_is_forked_once_more() {
    // In trials it hangs, for which the engine waits longer.
    let options =
        usually_or_in_trials("-Ddoorman.doomed=first", "-Ddoorman.doomed=first -Ddoorman.hangs=true");
    let Some((_fixture, anyorder)) = with_doorman(options) else { return };
    let (forks, processes) = cost_of(&anyorder, &["CurrencyTest", "DoomedTest"], EURO);
    assert!(forks > processes, "{forks} {processes}");
}

#[test]
fn where_all_children_die_before_their_hello_new_jvms_do_their_work() {
    let Some((_fixture, anyorder)) = with_doorman("-Ddoorman.doomed=all") else { return };
    let (forks, processes) = cost_of(&anyorder, &["CurrencyTest"], EURO);
    assert!(forks == 0 && processes > 6, "{forks} {processes}");
}

#[test]
fn a_jvm_with_its_heap_in_shared_memory_is_not_forked_and_doctor_says_why() {
    let fixture = Fixture::junit("four");
    let anyorder = Anyorder::built(fixture.path()).variable("JAVA_TOOL_OPTIONS", "-XX:+UseZGC");
    let (forks, _) = cost_of(&anyorder, &["CurrencyTest"], EURO);
    assert_eq!(forks, 0);
    let ran = anyorder.run(&["doctor"]).with_code(0);
    assert!(ran.stdout.contains("ZGC keeps the heap of this JVM in shared memory"), "{}", ran.shown());
}

// Java 25 can block signals without a library.
#[test]
fn a_state_with_a_thread_that_does_not_stop_is_replayed() {
    let Some(home) = jdk(25) else { return };
    let sources = [("StubbornTest.java", include_str!("junit/StubbornTest.java"))];
    let fixture = with_classes(&sources, ">8</maven.compiler", ">25</maven.compiler");
    let anyorder = Anyorder::built(fixture.path()).variable("JAVA_HOME", home);
    let (forks, processes) = cost_of(&anyorder, &["CurrencyTest", "StubbornTest"], EURO);
    assert!(forks > processes, "{forks} {processes}");
}

#[test]
fn a_state_with_shared_memory_is_replayed() {
    let sources = [("MappedTest.java", include_str!("junit/MappedTest.java"))];
    let fixture = with_classes(&sources, "<runOrder>", "<runOrder>");
    let (forks, processes) =
        cost_of(&Anyorder::built(fixture.path()), &["MappedTest"], "acme.MappedTest#cIsEmpty");
    assert!(forks > processes, "{forks} {processes}");
}
