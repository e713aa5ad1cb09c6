//! Histories of public projects: what the last commits that touch Python code have changed, and how long it takes to tell.
//!
//! Each argument is a clone. It is cloned once more below `target/histories`, and left alone.
#![expect(clippy::print_stdout, reason = "a measurement talks to whoever runs it")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyorder_change::{Changes, Imports, OldProfiles, Records, Repository, Rts, affected, changes};
use anyorder_model::{Suite, Test, TestId};
use anyorder_source::Parts;

/// How many commits of each project.
const COMMITS: usize = 20;

fn main() -> ExitCode {
    let clones: Vec<String> = std::env::args().skip(1).collect();
    if clones.is_empty() {
        println!("name some clones of projects in Python");
        return ExitCode::from(2);
    }
    let header = [
        "commit",
        "functions",
        "modules",
        "data",
        "tests",
        "by import",
        "git",
        "changes",
        "imports",
        "affected",
    ];
    clones.iter().for_each(|clone| history(Path::new(clone), &header));
    ExitCode::SUCCESS
}

fn history(clone: &Path, header: &[&str]) {
    let name = clone.file_name().expect("a clone has a name").to_string_lossy().into_owned();
    println!("\n{name}\n{}", columns(header));
    let project = private_clone(clone, &name);
    let log = git(&project, &["log", "--no-merges", "-n", &COMMITS.to_string(), "--format=%H", "--", "*.py"]);
    let commits: Vec<&str> = log.lines().collect();
    let mut slowest = Duration::ZERO;
    for commit in commits {
        git(&project, &["checkout", "--quiet", "--force", commit]);
        slowest = slowest.max(compare(&project, commit));
    }
    println!("slowest: {:.0} ms", slowest.as_secs_f64() * 1000.0);
}

fn columns(words: &[impl AsRef<str>]) -> String {
    words.iter().map(|word| format!("{:>10}", word.as_ref())).collect::<Vec<_>>().concat()
}

/// Prints one line for the commit that is checked out.
fn compare(project: &Path, commit: &str) -> Duration {
    let (since, by_git) = timed(|| {
        let repository = Repository::around(project).expect("it is a clone");
        repository.since("HEAD~1").expect("it has a parent")
    });
    let (found, by_changes) = timed(|| changes(&since.old, &since.new));
    let (imports, by_imports) = timed(|| Imports::new(&since.old, &since.new, &Records::default()));
    let suite = suite(project);
    let none = OldProfiles::new(project, []);
    let (hit, by_affected) = timed(|| affected(&suite, &found, &none, Rts::Static, &imports));
    let times = [by_git, by_changes, by_imports, by_affected];
    let modules = found.elements.iter().filter(|changed| changed.function.is_none()).count();
    let mut line = vec![commit[..8].to_owned()];
    let numbers = [found.elements.len() - modules, modules, found.data.len(), suite.len(), hit.tests.len()];
    line.extend(numbers.map(|number| number.to_string()));
    line.extend(times.map(|time| format!("{:.0} ms", time.as_secs_f64() * 1000.0)));
    println!("{}{}", columns(&line), loud(&found));
    times.iter().sum()
}

fn loud(changes: &Changes) -> String {
    if changes.everything.is_empty() {
        String::new()
    } else {
        format!("  everything: {}", changes.everything.join(", "))
    }
}

/// What pytest would collect by its names.
fn suite(project: &Path) -> Suite {
    let files = git(project, &["ls-files", "test_*.py", "*/test_*.py"]);
    let mut tests = Vec::new();
    for file in files.lines() {
        let Ok(parts) = Parts::read(&std::fs::read(project.join(file)).unwrap_or_default()) else { continue };
        let is_test = |name: &str| {
            name.rsplit('.').next().is_some_and(|last| last.starts_with("test")) && !name.contains('<')
        };
        for part in parts.parts.iter().filter(|part| !part.is_class && is_test(&part.name)) {
            let id = TestId(format!("{file}::{}", part.name.replace('.', "::")));
            tests.push(Test { id, group: file.to_owned(), file: file.to_owned(), line: 1, markers: vec![] });
        }
    }
    Suite::new("pytest", tests)
}

fn private_clone(clone: &Path, name: &str) -> PathBuf {
    let target = Path::new("target/histories").join(format!("{name}.trial"));
    if !target.exists() {
        let from = clone.canonicalize().expect("there is a clone");
        std::fs::create_dir_all("target/histories").expect("target can be written");
        git(
            Path::new("."),
            &["clone", "--quiet", "--shared", &from.to_string_lossy(), &target.to_string_lossy()],
        );
    }
    let target = target.canonicalize().expect("it was made above");
    git(&target, &["checkout", "--quiet", "--force", git(clone, &["rev-parse", "HEAD"]).trim()]);
    target
}

fn git(directory: &Path, words: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(directory).args(words).output().expect("git runs");
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn timed<T>(question: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    let answer = question();
    (answer, begun.elapsed())
}
