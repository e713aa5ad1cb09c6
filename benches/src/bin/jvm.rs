//! What a fork of a JVM saves: one test, a pair of tests, every test twice, and rounds of a whole suite, against new JVMs; and
//! what it costs where there is much to copy.
//!
//! `cargo xtask bench jvm [DIRECTORY...]`. CPU of whole commands, on a generated suite of 150 tests in 30 classes. What a test
//! costs in a fork is what `sweep --strategy isolated` takes more than `sweep --strategy original`, so the zygote is not in
//! it; forks are not compared with plain runs, which take more than what is measured. With directories, only rounds of the suites there are compared (`rounds.rs`).
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyorder_testkit::binary::{Profile, anyorder};
use anyorder_testkit::jvm::{ForkPrograms, Jdk, ZYGOTE};
use anyorder_testkit::repository;
use anyorder_testkit::spent::{Spent, spend};
use benches::median;
use benches::rounds::Rounds;
use serde_json::Value;
use tempfile::TempDir;

const CLASSES: usize = 30;
const TESTS_PER_CLASS: usize = 5;
const TIMES: usize = 3;
const QUICK: [&str; 2] = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];

/// The file that names the test.
const ORDER: &str = "order";

/// How many random orders of a whole suite are compared.
const ORDERS: u64 = 10;

fn main() {
    let directories: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    for directory in &directories {
        show_rounds(directory);
    }
    if directories.is_empty() {
        generated();
        large();
    }
}

/// A JVM with much in its heap and many threads, on every JDK.
fn large() {
    const HEAP: [&str; 1] = ["-Xmx2g"];
    const MEBIBYTES_THREADS_FORKS: [&str; 3] = ["1024", "200", "40"];
    for jdk in Jdk::claimed() {
        let programs = ForkPrograms::compiled(&jdk);
        let (_, said) = programs.run("Large", &[&ZYGOTE[..], &HEAP].concat(), &MEBIBYTES_THREADS_FORKS);
        println!("Java {}: {}", jdk.feature, said.trim());
    }
}

fn show_rounds(directory: &Path) {
    for Rounds { module, tests, zygote, forks, plain, original, differing } in Rounds::of(directory, ORDERS) {
        println!(
            "{} {module}: {ORDERS} rounds of {tests} tests in forks {forks:.0} ms of CPU, and {zygote:.0} of the JVM that is forked; in new \
             JVMs of the build's {plain:.0} ms, {:.1}x; {ORDERS} times the original order in one {original:.0} ms, {:.1}x; {differing} \
             outcomes differ",
            directory.display(),
            plain / forks,
            original / forks,
        );
    }
}

fn generated() {
    let project = Project::generated();
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
    let [suite, twice] =
        ["suite", "isolated-test"].map(|mode| project.run(&["twice", "--trust-forks", "--mode", mode]));
    let plain = Plain::new(&project).in_jars();
    let default = plain.run(&[]);
    let archived = plain.run_archived();
    println!("CPU in ms, median of {TIMES} times");
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
    show_rounds(&project.home);
}

/// A Maven project.
struct Project {
    home: PathBuf,
    binary: PathBuf,
    /// Where a generated one is, until this is dropped.
    _made: Option<TempDir>,
}

impl Project {
    fn generated() -> Self {
        let home = TempDir::with_prefix("bench").expect("a temporary directory can be made");
        let directory = home.path().to_owned();
        let sources = directory.join("src/test/java/acme");
        fs::create_dir_all(&sources).expect("it can be written to");
        fs::copy(repository().join("fixtures/junit/five/pom.xml"), directory.join("pom.xml"))
            .expect("the fixture is there");
        for class in 0..CLASSES {
            fs::write(sources.join(format!("C{class}Test.java")), source(class))
                .expect("it can be written to");
        }
        Project { _made: Some(home), ..Project::at(&directory) }
    }

    fn at(directory: &Path) -> Self {
        let project = Project { home: directory.to_owned(), binary: anyorder(Profile::Release), _made: None };
        project.spend(&["collect"]); // builds, and keeps what the build says
        project
    }

    fn first_test(&self) -> String {
        let spent = self.spend(&["collect", "--json", "-"]);
        let report: Value = serde_json::from_slice(&spent.output.stdout).expect("it is JSON");
        report["tests"][0]["id"].as_str().expect("there are tests").to_owned()
    }

    fn sweep(&self, words: &[&str]) -> f64 {
        self.run(&[&["sweep", "--workers", "1", "--trust-forks"], words].concat())
    }

    fn run(&self, words: &[&str]) -> f64 {
        median((0..TIMES).map(|_| 1e3 * self.spend(words).cpu_s).collect())
    }

    /// With nothing remembered but the build.
    fn spend(&self, words: &[&str]) -> Spent {
        let _ = fs::remove_file(self.home.join(".anyorder/history.sqlite"));
        let mut command = Command::new(&self.binary);
        let spent = spend(command.args(words).arg("--directory").arg(&self.home));
        let said = String::from_utf8_lossy(&spent.output.stderr);
        // 1 says that something was found.
        assert!(matches!(spent.output.status.code(), Some(0 | 1)), "{words:?}: {said}");
        spent
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

/// One test with JUnit by itself, without anyorder.
struct Plain {
    home: PathBuf,
    work: TempDir,
    class_path: Vec<String>,
}

impl Plain {
    fn new(project: &Project) -> Self {
        let work = TempDir::with_prefix("bench").expect("a temporary directory can be made");
        let survey = fs::read(project.home.join(".anyorder/build/survey.json")).expect("it was kept");
        let survey: Value = serde_json::from_slice(&survey).expect("it is JSON");
        let all = survey["modules"][0]["capture"]["class_path"].as_array().expect("a class path").iter();
        let mut class_path: Vec<String> = all.filter_map(Value::as_str).map(str::to_owned).collect();
        let runner = repository().join("agents/junit/plain/platform/AnyorderOrder.java");
        let classes = work.path().join("classes");
        must(
            Command::new("javac")
                .args(["-nowarn", "-cp", &class_path.join(":"), "-d"])
                .arg(&classes)
                .arg(runner),
        );
        class_path.insert(0, classes.display().to_string());
        fs::write(work.path().join(ORDER), project.first_test() + "\n").expect("it can be written to");
        Plain { home: project.home.clone(), work, class_path }
    }

    /// With all classes in jars, because an archive takes no directories.
    fn in_jars(mut self) -> Self {
        for (at, place) in
            self.class_path.iter_mut().enumerate().filter(|(_, place)| Path::new(place).is_dir())
        {
            let jar = self.work.path().join(format!("{at}.jar"));
            must(Command::new("jar").arg("cf").arg(&jar).args(["-C", place, "."]));
            *place = jar.display().to_string();
        }
        self
    }

    fn java(&self, options: &[&str]) -> Command {
        let mut java = Command::new("java");
        java.args(options).args(["-cp", &self.class_path.join(":"), "AnyorderOrder"]);
        java.arg(self.work.path().join(ORDER)).current_dir(&self.home);
        java
    }

    fn run(&self, options: &[&str]) -> f64 {
        let one = |_| {
            let spent = spend(&mut self.java(options));
            assert!(spent.output.status.success(), "{}", String::from_utf8_lossy(&spent.output.stderr));
            1e3 * spent.cpu_s
        };
        median((0..TIMES).map(one).collect())
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
