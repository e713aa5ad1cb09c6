//! `anyorder demo`: the bundled suite, with every kind of order dependence, in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyorder_pytest::find_interpreter;
use anyorder_report::Terminal;
use tempfile::TempDir;

use crate::args::{DemoArgs, HowArgs, SuiteArgs};
use crate::commands::hunt::Hunter;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::project::Project;
use crate::session::Session;
use crate::shell;

macro_rules! demo_files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../fixtures/pytest/demo/", $name)))),*]
    };
}

const FILES: &[(&str, &str)] = &demo_files![
    "README.md",
    "conftest.py",
    "pytest.ini",
    "shop/__init__.py",
    "shop/cart.py",
    "shop/currency.py",
    "shop/inventory.py",
    "shop/prices.py",
    "shop/settings.py",
    "shop/templates.py",
    "tests/test_cart.py",
    "tests/test_currency.py",
    "tests/test_inventory.py",
    "tests/test_prices.py",
    "tests/test_settings.py",
    "tests/test_templates.py",
];

/// The finding that the next steps are shown with: its currency.
const SHOWN: &str = "v-a69b7f";

pub(crate) fn run(args: &DemoArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.how, false)?;
    let directory = copy_suite(args.into.as_deref())?;
    session.say("Copied", &format!("a small shop and its {} files to {}", FILES.len(), directory.display()));
    let python = python_with_pytest(&mut session, args.how.python.as_deref(), &directory)?;
    let how =
        HowArgs { directory: Some(directory.clone()), python: Some(python.clone()), ..given(&args.how) };
    let suite = SuiteArgs { how, ..SuiteArgs::default() };
    let project = Project::open(&suite.how, &mut session)?;
    let hunter = Hunter { choice: suite.choice(), ..Hunter::default() };
    let suites = project.suites(&mut session, &suite)?;
    let exit = session
        .each_suite(suites, &[], |session, engine, took| hunter.suite(session, engine, &project, took))?;
    session.say("Next", &next_steps(&directory, &python));
    // To have found something is what a demo is for.
    Ok(if exit == Exit::Found { Exit::Nothing } else { exit })
}

fn given(how: &HowArgs) -> HowArgs {
    HowArgs {
        workers: how.workers,
        timeout: how.timeout,
        memory: how.memory,
        isolation: how.isolation,
        disk: how.disk,
        seed: how.seed,
        ..HowArgs::default()
    }
}

fn next_steps(directory: &Path, python: &Path) -> String {
    let directory = directory.display().to_string();
    let python = python.display().to_string();
    format!(
        "the suite is yours to play with:\ncd {}\nexport ANYORDER_PYTHON={}\n\
         anyorder explain {SHOWN}\nanyorder fix {SHOWN}\nanyorder fix --apply {SHOWN}",
        shell::join([directory.as_str()]),
        shell::join([python.as_str()])
    )
}

fn copy_suite(into: Option<&Path>) -> Result<PathBuf, Failure> {
    let directory = match into {
        Some(named) => made(named),
        None => tempfile::Builder::new().prefix("demo-of-anyorder-").tempdir().map(TempDir::keep).map_err(
            |error| {
                let hint = "name a writable directory in the environment variable `TMPDIR`";
                Failure::unwritable(&env::temp_dir(), &error, hint)
            },
        ),
    }?;
    let write = || {
        for (name, text) in FILES {
            let path = directory.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&directory))?;
            fs::write(path, text)?;
        }
        directory.canonicalize()
    };
    write().map_err(|error| Failure::unwritable(&directory, &error, "name another place with `--into`"))
}

/// A directory that was not there before: nobody's files are written over.
fn made(named: &Path) -> Result<PathBuf, Failure> {
    let failed = |error| Failure::unwritable(named, &error, "name a directory that is not there yet");
    fs::create_dir(named).map_err(failed)?;
    Ok(named.to_owned())
}

/// Any interpreter that has pytest will do; without one, a virtual environment is made once and kept in the cache.
fn python_with_pytest(
    session: &mut Session<'_>,
    named: Option<&Path>,
    directory: &Path,
) -> Result<PathBuf, Failure> {
    if named.is_some() {
        return Ok(find_interpreter(named, directory)?.python);
    }
    if let Ok(found) = find_interpreter(None, directory) {
        return Ok(found.python);
    }
    let environment = cache_directory().join("demo-venv");
    if let Ok(found) = find_interpreter(Some(&environment), directory) {
        return Ok(found.python);
    }
    session.say("Preparing", &format!("a virtual environment with pytest in {}", environment.display()));
    let place = environment.to_string_lossy().into_owned();
    must("python3", &["-m", "venv", "--clear", &place])?;
    must(
        &format!("{place}/bin/python"),
        &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pytest"],
    )?;
    Ok(find_interpreter(Some(&environment), directory)?.python)
}

fn must(program: &str, words: &[&str]) -> Result<(), Failure> {
    let output = Command::new(program).args(words).stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned()
                + &String::from_utf8_lossy(&output.stdout);
            Err(Failure::demo(format!("`{program} {}` failed", words.join(" ")), said))
        }
        Err(error) => Err(Failure::demo(format!("cannot start `{program}`"), error.to_string())),
    }
}

fn cache_directory() -> PathBuf {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")));
    cache.unwrap_or_else(env::temp_dir).join("anyorder")
}
