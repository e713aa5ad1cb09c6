//! Finds the Python interpreter that the project's tests run on.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use thiserror::Error;

/// A Python interpreter, and how we came by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interpreter {
    /// What to start.
    pub python: PathBuf,
    /// Where it was found, in words.
    pub origin: String,
}

/// Why there is no interpreter to use.
#[derive(Debug, Error)]
pub enum InterpreterError {
    /// `--python` names something that cannot be started.
    #[error("`{0}` is not a Python interpreter that can be started")]
    NotPython(PathBuf),
    /// Nothing on this machine.
    #[error("no Python interpreter found")]
    None,
    /// Interpreters, but no pytest in any.
    #[error("none of the Python interpreters found has pytest")]
    NoPytest(Vec<Interpreter>),
}

/// The interpreter named by the user, or else the first of [`interpreters`] that has pytest.
pub fn find_interpreter(named: Option<&Path>, directory: &Path) -> Result<Interpreter, InterpreterError> {
    if let Some(named) = named {
        let python = behind_shim(resolve(named, directory), directory);
        return match installed_pytest(&python) {
            Installed::NotPython => Err(InterpreterError::NotPython(named.to_owned())),
            Installed::No => {
                Err(InterpreterError::NoPytest(vec![Interpreter { python, origin: "--python".to_owned() }]))
            }
            Installed::Version(_) => Ok(Interpreter { python, origin: "--python".to_owned() }),
        };
    }
    let mut without = Vec::new();
    for interpreter in interpreters(directory) {
        if matches!(installed_pytest(&interpreter.python), Installed::Version(_)) {
            return Ok(Interpreter { python: behind_shim(interpreter.python, directory), ..interpreter });
        }
        without.push(interpreter);
    }
    Err(if without.is_empty() { InterpreterError::None } else { InterpreterError::NoPytest(without) })
}

/// Every interpreter that may be meant, most likely first. Slow ones to find out about come late.
pub fn interpreters(directory: &Path) -> impl Iterator<Item = Interpreter> {
    type Finder = fn(&Path) -> Vec<(PathBuf, &'static str)>;
    const FINDERS: [Finder; 6] =
        [named_by_environment, in_the_project, told_by_pdm, told_by_tools, of_tox_and_nox, on_path];
    let directory = directory.to_owned();
    let mut seen = Vec::new();
    FINDERS.into_iter().flat_map(move |finder| finder(&directory)).filter_map(move |(python, origin)| {
        let is_new = python.is_file() && !seen.contains(&python);
        seen.push(python.clone());
        is_new.then(|| Interpreter { python, origin: origin.to_owned() })
    })
}

/// Whether an interpreter has pytest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Installed {
    /// It cannot be started.
    NotPython,
    /// It has no pytest.
    No,
    /// It has this version.
    Version(String),
}

/// Asks the interpreter for its pytest.
pub fn installed_pytest(python: &Path) -> Installed {
    // Without all that pytest itself imports.
    const QUESTION: &str = "import _pytest; print(_pytest.__version__)";
    let answer = Command::new(python).args(["-c", QUESTION]).stdin(Stdio::null()).output();
    match answer {
        Ok(answer) if answer.status.success() && answer.stdout.first().is_some_and(u8::is_ascii_digit) => {
            Installed::Version(String::from_utf8_lossy(&answer.stdout).trim().to_owned())
        }
        Ok(answer) if String::from_utf8_lossy(&answer.stderr).contains("Error") => Installed::No,
        _ => Installed::NotPython,
    }
}

/// `--python` takes a path, a virtual environment or the name of a program.
fn resolve(named: &Path, directory: &Path) -> PathBuf {
    let path = directory.join(named);
    if path.is_dir() {
        python_of(&path)
    } else if path.is_file() {
        path
    } else {
        named.to_owned()
    }
}

/// The interpreter that a shim of pyenv, asdf or mise starts in this directory. A shim changes the environment on its way, which
/// every command that we show would have to repeat.
fn behind_shim(python: PathBuf, directory: &Path) -> PathBuf {
    let is_shim = python.parent().and_then(Path::file_name).is_some_and(|place| place == "shims");
    let name = python.to_str().filter(|_| is_shim);
    let behind = name.and_then(|name| told_by(directory, &[name, "-c", "import sys; print(sys.executable)"]));
    behind.filter(|path| path.is_file()).unwrap_or(python)
}

fn python_of(environment: &Path) -> PathBuf {
    environment.join("bin/python")
}

fn named_by_environment(directory: &Path) -> Vec<(PathBuf, &'static str)> {
    let environment = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let active = environment("VIRTUAL_ENV")
        .map(|path| (python_of(Path::new(&path)), "the active virtual environment"));
    let conda = environment("CONDA_PREFIX")
        .filter(|_| env::var("CONDA_DEFAULT_ENV").is_ok_and(|name| name != "base"));
    let conda = conda.map(|path| (python_of(Path::new(&path)), "the active conda environment"));
    let uv = environment("UV_PROJECT_ENVIRONMENT")
        .map(|path| (python_of(&directory.join(path)), "uv's environment"));
    [active, conda, uv].into_iter().flatten().collect()
}

/// Looks upwards as far as the repository goes.
fn in_the_project(directory: &Path) -> Vec<(PathBuf, &'static str)> {
    let mut found = Vec::new();
    for place in directory.ancestors() {
        for name in [".venv", "venv", "env"] {
            if place.join(name).join("pyvenv.cfg").is_file() {
                found.push((python_of(&place.join(name)), "a virtual environment in the project"));
            }
        }
        if place.join(".git").exists() {
            break;
        }
    }
    found
}

fn told_by_pdm(directory: &Path) -> Vec<(PathBuf, &'static str)> {
    let told = fs::read_to_string(directory.join(".pdm-python")).ok();
    told.map(|path| (PathBuf::from(path.trim()), "pdm's environment")).into_iter().collect()
}

/// Tools that keep environments elsewhere know where; each is asked only if the project uses it.
fn told_by_tools(directory: &Path) -> Vec<(PathBuf, &'static str)> {
    let manifest = fs::read_to_string(directory.join("pyproject.toml")).unwrap_or_default();
    let mut found = Vec::new();
    if manifest.contains("[tool.poetry") || directory.join("poetry.lock").is_file() {
        found.extend(
            told_by(directory, &["poetry", "env", "info", "--executable"])
                .map(|path| (path, "poetry's environment")),
        );
    }
    if manifest.contains("[tool.hatch.envs") {
        let environment = told_by(directory, &["hatch", "env", "find"]);
        found.extend(environment.map(|path| (python_of(&path), "hatch's environment")));
    }
    if directory.join("Pipfile").is_file() {
        found.extend(told_by(directory, &["pipenv", "--py"]).map(|path| (path, "pipenv's environment")));
    }
    found
}

fn told_by(directory: &Path, words: &[&str]) -> Option<PathBuf> {
    let output =
        Command::new(words[0]).args(&words[1..]).current_dir(directory).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim();
    (output.status.success() && !line.is_empty()).then(|| PathBuf::from(line))
}

fn of_tox_and_nox(directory: &Path) -> Vec<(PathBuf, &'static str)> {
    let mut found = Vec::new();
    for (name, origin) in [(".tox", "an environment of tox"), (".nox", "an environment of nox")] {
        let entries = fs::read_dir(directory.join(name)).into_iter().flatten().flatten();
        let mut environments: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        environments.sort();
        found.extend(environments.iter().map(|environment| (python_of(environment), origin)));
    }
    found
}

fn on_path(_: &Path) -> Vec<(PathBuf, &'static str)> {
    let path = env::var_os("PATH").unwrap_or_default();
    let python =
        |name: &str| env::split_paths(&path).map(|place| place.join(name)).find(|python| python.is_file());
    ["python3", "python"].iter().filter_map(|name| Some((python(name)?, "on the PATH"))).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn script(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_shim_stands_for_the_interpreter_behind_it() {
        let home = tempfile::tempdir().unwrap();
        let [real, shim, wrapper] =
            ["3.12/bin/python", "shims/python", "bin/python"].map(|name| home.path().join(name));
        script(&real, "case \"$2\" in *executable*) echo \"$0\";; *) echo 9.0.0;; esac");
        for other in [&shim, &wrapper] {
            script(other, &format!("CHOSEN=3.12 exec {} \"$@\"", real.display()));
        }
        let found = |named: &Path| find_interpreter(Some(named), home.path()).unwrap().python;
        assert_eq!(found(&shim), real);
        assert_eq!(found(&wrapper), wrapper);
    }
}
