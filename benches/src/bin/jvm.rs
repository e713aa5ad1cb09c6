//! What a fork of a JVM saves: one test, a pair of tests, and every test twice, against new JVMs.
//!
//! `cargo xtask bench jvm`. CPU of whole commands, on a generated suite of 150 tests in 30 classes. What a test costs in
//! a fork is what `sweep --strategy isolated` takes more than `sweep --strategy original`, so the zygote is not in it.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyorder_testkit::binary::{Profile, anyorder};
use anyorder_testkit::repository;
use anyorder_testkit::spent::spend;
use benches::median;
use serde_json::Value;
use tempfile::TempDir;

const CLASSES: usize = 30;
const TESTS_PER_CLASS: usize = 5;
const ROUNDS: usize = 3;
const QUICK: [&str; 2] = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];

fn main() {
    let project = Project::new();
    let tests = CLASSES * TESTS_PER_CLASS;
    let original = project.sweep(&["--strategy", "original"]);
    let isolated = (project.sweep(&["--strategy", "isolated"]) - original) / tests as f64;
    let few = ["acme.C0Test", "acme.C1Test", "acme.C2Test"];
    let count = few.len() * TESTS_PER_CLASS;
    let of_few = |words: &[&str]| project.sweep(&[words, &few].concat());
    let pairs = (of_few(&["--strategy", "pairs"]) - of_few(&["--strategy", "original"]))
        / (count * (count - 1)) as f64;
    let processes = |strategy| of_few(&["--isolation", "process", "--strategy", strategy]);
    let process = (processes("isolated") - processes("original")) / (count - 1) as f64;
    let [suite, twice] = ["suite", "isolated-test"].map(|mode| project.run(&["twice", "--mode", mode]));
    let plain = Plain::new(&project);
    let default = plain.run(&[]);
    let archived = plain.run_archived();
    println!("CPU in ms, median of {ROUNDS} rounds");
    for (what, spent) in [
        ("one test, in a fork", isolated),
        ("one test, in a new JVM of the agent's", process),
        ("one test, in a new JVM with default options", default),
        ("one test, in a new JVM with an archive of classes", archived),
        ("a pair of tests, in forks", pairs),
        (
            "every test twice, isolated, beyond the same in suite mode; per test",
            (twice - suite) / tests as f64,
        ),
    ] {
        println!("{what:70} {spent:>8.1} {:>6.1}x", spent / isolated);
    }
}

/// A Maven project that vanishes when it is dropped.
struct Project {
    home: TempDir,
    binary: PathBuf,
}

impl Project {
    fn new() -> Self {
        let home = TempDir::with_prefix("bench").expect("a temporary directory can be made");
        let sources = home.path().join("src/test/java/acme");
        fs::create_dir_all(&sources).expect("it can be written to");
        fs::copy(repository().join("fixtures/junit/five/pom.xml"), home.path().join("pom.xml"))
            .expect("the fixture is there");
        for class in 0..CLASSES {
            fs::write(sources.join(format!("C{class}Test.java")), source(class))
                .expect("it can be written to");
        }
        let project = Project { home, binary: anyorder(Profile::Release) };
        project.spend(&["collect"]); // builds, and keeps what the build says
        project
    }

    fn sweep(&self, words: &[&str]) -> f64 {
        self.run(&[&["sweep", "--workers", "1"], words].concat())
    }

    fn run(&self, words: &[&str]) -> f64 {
        median((0..ROUNDS).map(|_| self.spend(words)).collect())
    }

    /// With nothing remembered but the build.
    fn spend(&self, words: &[&str]) -> f64 {
        let _ = fs::remove_file(self.home.path().join(".anyorder/history.sqlite"));
        let mut command = Command::new(&self.binary);
        let spent = spend(command.args(words).arg("--directory").arg(self.home.path()));
        let said = String::from_utf8_lossy(&spent.output.stderr);
        assert!(spent.output.status.success(), "{words:?}: {said}");
        1e3 * spent.cpu_s
    }
}

fn source(class: usize) -> String {
    let mut text = format!("package acme;\n\nimport org.junit.jupiter.api.*;\n\nclass C{class}Test {{\n");
    for test in 0..TESTS_PER_CLASS {
        let _ = writeln!(
            text,
            "    @Test void holds{test}() {{\n        java.util.List<Integer> list = new java.util.ArrayList<>();\n        \
             for (int i = 0; i < 100; i++) list.add(i * {test});\n        \
             Assertions.assertEquals(100, list.size());\n    }}"
        );
    }
    text + "}\n"
}

/// JUnit by itself, without anyorder.
struct Plain {
    work: TempDir,
    class_path: String,
}

impl Plain {
    /// With the classes in a jar, because an archive takes no directories.
    fn new(project: &Project) -> Self {
        let work = TempDir::with_prefix("bench").expect("a temporary directory can be made");
        let survey = fs::read(project.home.path().join(".anyorder/build/survey.json")).expect("it was kept");
        let survey: Value = serde_json::from_slice(&survey).expect("it is JSON");
        let all = survey["modules"][0]["capture"]["class_path"].as_array().expect("a class path").iter();
        let all: Vec<&str> = all.filter_map(Value::as_str).collect();
        let jars: Vec<&str> = all.iter().copied().filter(|place| Path::new(place).is_file()).collect();
        let classes = work.path().join("classes");
        let runner = repository().join("agents/junit/plain/platform/AnyorderOrder.java");
        must(Command::new("javac").args(["-nowarn", "-cp", &all.join(":"), "-d"]).arg(&classes).arg(runner));
        let tests = project.home.path().join("target/test-classes");
        let jar = work.path().join("all.jar");
        must(
            Command::new("jar")
                .arg("cf")
                .arg(&jar)
                .arg("-C")
                .arg(classes)
                .arg(".")
                .arg("-C")
                .arg(tests)
                .arg("."),
        );
        fs::write(work.path().join("order"), "acme.C0Test#holds0\n").expect("it can be written to");
        Plain { class_path: format!("{}:{}", jar.display(), jars.join(":")), work }
    }

    fn java(&self, options: &[&str]) -> Command {
        let mut java = Command::new("java");
        java.args(options)
            .args(["-cp", &self.class_path, "AnyorderOrder"])
            .arg(self.work.path().join("order"));
        java
    }

    fn run(&self, options: &[&str]) -> f64 {
        let one = |_| {
            let spent = spend(&mut self.java(options));
            assert!(spent.output.status.success(), "{}", String::from_utf8_lossy(&spent.output.stderr));
            1e3 * spent.cpu_s
        };
        median((0..ROUNDS).map(one).collect())
    }

    fn run_archived(&self) -> f64 {
        let archive = self.work.path().join("classes.jsa");
        let [make, with] = ["ArchiveClassesAtExit", "SharedArchiveFile"]
            .map(|option| format!("-XX:{option}={}", archive.display()));
        must(&mut self.java(&[&QUICK[..], &[&make]].concat()));
        self.run(&[&QUICK[..], &[&with]].concat())
    }
}

fn must(command: &mut Command) {
    let output = command.output().expect("it can be started");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
