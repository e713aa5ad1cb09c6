//! Virtual environments, made when they are first needed and kept under `target/venvs`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::repository;

/// Which packages an environment has.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Its directory.
    pub name: &'static str,
    /// What pip is told to install.
    pub requirements: &'static [&'static str],
}

/// The newest pytest.
pub const NEWEST: Recipe = Recipe { name: "pytest-newest", requirements: &["pytest"] };

/// The oldest pytest that is supported, one of each major version since, and the newest.
pub const PYTESTS: [Recipe; 4] = [
    Recipe { name: "pytest-6.2", requirements: &["pytest==6.2.5"] },
    Recipe { name: "pytest-7", requirements: &["pytest==7.4.4"] },
    Recipe { name: "pytest-8", requirements: &["pytest==8.4.2"] },
    NEWEST,
];

/// No pytest at all.
pub const BARE: Recipe = Recipe { name: "bare", requirements: &[] };

/// Plugins that reorder, repeat, retry, distribute or measure tests.
pub const PLUGINS: Recipe = Recipe {
    name: "plugins",
    requirements: &[
        "pytest",
        "pytest-xdist",
        "pytest-randomly",
        "pytest-random-order",
        "pytest-rerunfailures",
        "pytest-repeat",
        "pytest-cov",
        "pytest-forked",
        "pytest-flakefinder",
        "pytest-timeout",
    ],
};

/// Plugins for asynchronous and property-based tests.
pub const ASYNC: Recipe =
    Recipe { name: "async", requirements: &["pytest", "pytest-asyncio", "anyio", "hypothesis"] };

/// The interpreter of an environment made by this recipe, from `python3`.
pub fn python(recipe: Recipe) -> PathBuf {
    python_from(Path::new("python3"), recipe.name, recipe.requirements)
}

/// The interpreter of an environment with these packages, made from a given interpreter.
pub fn python_from(base: &Path, name: &str, requirements: &[&str]) -> PathBuf {
    let home = repository().join("target/venvs");
    fs::create_dir_all(&home).expect("target can be written");
    let lock = File::create(home.join(format!("{name}.lock"))).expect("target can be written");
    lock.lock().expect("locks work");
    let environment = home.join(name);
    let python = environment.join("bin/python");
    let done = environment.join("requirements-installed");
    let wanted = format!("{}\n{}\n", base.display(), requirements.join("\n"));
    if fs::read_to_string(&done).is_ok_and(|installed| installed == wanted) {
        return python;
    }
    must(Command::new(base).args(["-m", "venv", "--clear", "--without-pip"]).arg(&environment));
    if !requirements.is_empty() {
        install(base, &python, requirements);
    }
    fs::write(done, wanted).expect("target can be written");
    python
}

/// By the pip that `base` has, if it has one that can be lent: to install one into every environment costs more than all the rest.
fn install(base: &Path, python: &Path, requirements: &[&str]) {
    const INSTALL: [&str; 3] = ["install", "--quiet", "--disable-pip-version-check"];
    let mut lent = Command::new(base);
    lent.args(["-m", "pip", "--python"]).arg(python).args(INSTALL).args(requirements);
    if !lent.output().is_ok_and(|output| output.status.success()) {
        must(Command::new(python).args(["-m", "ensurepip"]));
        must(Command::new(python).args(["-m", "pip"]).args(INSTALL).args(requirements));
    }
}

pub(crate) fn must(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The versions of `CPython` that are supported and can be looked for by name.
pub const VERSIONS: [&str; 7] = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"];

/// The newest pytest on the interpreter of this version, if the machine has one.
pub fn newest_pytest_on(version: &str) -> Option<PathBuf> {
    Some(python_from(&interpreter(version)?, &format!("python-{version}"), &["pytest"]))
}

/// The interpreter of this version, if the machine has one.
pub fn interpreter(version: &str) -> Option<PathBuf> {
    let on_path = std::env::var_os("PATH")
        .into_iter()
        .flat_map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let named = on_path.map(|place| place.join(format!("python{version}")));
    let pyenv = std::env::var_os("PYENV_ROOT").map(PathBuf::from);
    let pyenv = pyenv.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".pyenv")));
    let kept =
        pyenv.and_then(|place| fs::read_dir(place.join("versions")).ok()).into_iter().flatten().flatten();
    let kept = kept.filter(|entry| entry.file_name().to_string_lossy().starts_with(&format!("{version}.")));
    let kept = kept.map(|entry| entry.path().join("bin/python"));
    named.chain(kept).find(|python| is_version(python, version))
}

/// Whether it is an interpreter of this version that can be started.
pub fn is_version(python: &Path, version: &str) -> bool {
    let question = "import sys; print('%d.%d' % sys.version_info[:2])";
    let answer = Command::new(python).args(["-c", question]).output();
    answer.is_ok_and(|answer| String::from_utf8_lossy(&answer.stdout).trim() == version)
}
