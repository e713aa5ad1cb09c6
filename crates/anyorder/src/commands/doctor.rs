//! `anyorder doctor`: what would hinder a hunt here, and what to do.

use anyorder_engine::{DiskMode, Engine, Isolation};
use anyorder_model::{Event, Grade, Order, Tally};
use anyorder_pytest::{Installed, find_interpreter, installed_pytest, interpreters};
use anyorder_report::Terminal;

use crate::args::DoctorArgs;
use crate::build;
use crate::calibration::differs_from_the_users_run;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::framework::{self, Framework};
use crate::opened::Opened;
use crate::project::Project;
use crate::session::{Done, Session, run_once};

pub(crate) fn run(args: &DoctorArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let project = Project::open(&args.suite.how, &mut session)?;
    let framework = framework::choose(&project.directory, &args.suite).framework;
    match framework {
        Framework::Pytest if args.suite.command.is_empty() => look_at_interpreters(&mut session, &project)?,
        Framework::Pytest => {}
        Framework::Junit => {
            let build = build::find(&project, &args.suite);
            check(&mut session, Grade::Good, format!("build: `{}`", build.shown()), None);
        }
    }
    let suites = project.suites(&mut session, &args.suite)?;
    session.each_suite(suites, &args.suite.targets, |session, engine, _| {
        for fact in engine.driver().facts() {
            check(session, Grade::Good, fact, None);
        }
        look_at_plugins(session, engine);
        look_at_collection(session, engine);
        if engine.session() == 0 && framework == Framework::Pytest {
            look_at_collecting_twice(session, engine, args)?;
        }
        look_at_forks(session, engine);
        look_at_the_disk(session, engine);
        look_at_the_outcome(session, engine)?;
        Ok(Done::with(Exit::Nothing))
    })
}

fn check(session: &mut Session<'_>, grade: Grade, text: impl Into<String>, hint: Option<&str>) {
    session.tell(&Event::Checked { grade, text: text.into(), hint: hint.map(str::to_owned) });
}

fn look_at_interpreters(session: &mut Session<'_>, project: &Project) -> Result<(), Failure> {
    let chosen = find_interpreter(project.python(), &project.directory)?;
    check(session, Grade::Good, format!("interpreter {} ({})", chosen.python.display(), chosen.origin), None);
    if project.python().is_some() {
        return Ok(());
    }
    for other in interpreters(&project.directory).filter(|other| other.python != chosen.python) {
        let has = match installed_pytest(&other.python) {
            Installed::Version(version) => format!("pytest {version}"),
            Installed::No => "no pytest".to_owned(),
            Installed::NotPython => "does not start".to_owned(),
        };
        check(
            session,
            Grade::Good,
            format!("not used: {} ({}; {has})", other.python.display(), other.origin),
            None,
        );
    }
    Ok(())
}

fn look_at_plugins(session: &mut Session<'_>, engine: &Engine) {
    let plugins = &engine.hello().plugins;
    if !plugins.is_empty() {
        check(session, Grade::Good, format!("plugins: {}", plugins.join(", ")), None);
    }
    let overridden = &engine.hello().overridden;
    if !overridden.is_empty() {
        let text = format!(
            "overridden here, because they choose, repeat or distribute tests: {}",
            overridden.join(", ")
        );
        check(session, Grade::Good, text, None);
    }
}

fn look_at_collection(session: &mut Session<'_>, engine: &Engine) {
    for error in &engine.suite().errors {
        let text = format!("{} cannot be collected: {}", error.at, error.message);
        check(
            session,
            Grade::Warning,
            text,
            Some("the rest of the suite is usable; install what it needs to have it too"),
        );
    }
    if !engine.suite().duplicates.is_empty() {
        let text = format!("{} test ids occur more than once", engine.suite().duplicates.len());
        check(session, Grade::Warning, text, Some("only the first test of each such id is used"));
    }
}

fn look_at_collecting_twice(
    session: &mut Session<'_>,
    first: &Engine,
    args: &DoctorArgs,
) -> Result<(), Failure> {
    let mut again = Project::new(&args.suite.how, &session.cancel)?;
    again.settings.seed = again.settings.seed.wrapping_add(1); // another hash seed: sets come in another order
    let mut suites = again.suites(session, &args.suite)?;
    let Some(Opened { engine: second, .. }) = suites.open_next()? else { return Ok(()) };
    let ids = |engine: &Engine| -> Vec<String> {
        engine.suite().tests().iter().map(|test| test.id.0.clone()).collect()
    };
    let (first, second) = (ids(first), ids(&second));
    if first == second {
        check(
            session,
            Grade::Good,
            "two starts under different hash seeds collect the same tests in the same order",
            None,
        );
        return Ok(());
    }
    let only = |these: &[String], those: &[String]| these.iter().find(|id| !those.contains(id)).cloned();
    let text = match (only(&first, &second), only(&second, &first)) {
        (None, None) => "two starts collect the same tests in different orders".to_owned(),
        (one, other) => format!(
            "two starts collect different tests\nonly in the first:  {}\nonly in the second: {}",
            one.unwrap_or_else(|| "-".to_owned()),
            other.unwrap_or_else(|| "-".to_owned())
        ),
    };
    check(
        session,
        Grade::Warning,
        text,
        Some("parameters look unordered (a set?): sort them, or give them ids"),
    );
    Ok(())
}

fn look_at_forks(session: &mut Session<'_>, engine: &Engine) {
    if engine.isolation() == Isolation::Process {
        let text = "fresh states are new processes, not forks: slower, with the same outcomes";
        let why = engine.ready().no_forks.as_ref().map_or(String::new(), |why| format!("\n{why}"));
        let hint = (!engine.ready().can_fork).then_some(engine.driver().words().no_forks);
        check(session, Grade::Warning, format!("{text}{why}"), hint);
    } else {
        check(session, Grade::Good, "fresh states are forks", None);
    }
    let ready = engine.ready();
    for (what, names) in [("threads run", &ready.threads), ("connections are open", &ready.connections)] {
        if !names.is_empty() {
            let text =
                format!("{what} after collection, and a fork does not have its own: {}", names.join(", "));
            check(
                session,
                Grade::Warning,
                text,
                Some("`anyorder sweep` finds the tests that need them, and does not fork for those"),
            );
        }
    }
}

fn look_at_the_disk(session: &mut Session<'_>, engine: &Engine) {
    let (grade, text, hint) = match engine.disk() {
        DiskMode::Overlay => (
            Grade::Good,
            "what tests write goes to a private layer: orders do not see each other's files",
            None,
        ),
        DiskMode::Copy => (
            Grade::Warning,
            "each worker has a copy of the project; what tests write to the home directory is shared",
            Some("layers need the right to mount: user namespaces, or `docker run --cap-add SYS_ADMIN`"),
        ),
        DiskMode::Shared => (
            Grade::Warning,
            "tests write to your own files, and orders see each other's",
            Some("leave `--disk` out"),
        ),
    };
    check(session, grade, text, hint);
}

fn look_at_the_outcome(session: &mut Session<'_>, engine: &Engine) -> Result<(), Failure> {
    let Some(record) = run_once(engine, Order::original(engine.suite()))? else { return Ok(()) };
    if let Some(Event::Notice { text, hint }) = differs_from_the_users_run(engine, &record) {
        check(session, Grade::Warning, text, hint.as_deref());
    }
    let tally: Tally = record.tally();
    let Some(red) = record.steps.iter().find(|step| step.outcome.is_red()) else {
        check(session, Grade::Good, format!("the original order is green: {tally}"), None);
        return Ok(());
    };
    let first = engine.suite().id(red.test);
    let why = red.signature.as_ref().map_or(String::new(), |signature| format!("\n{signature}"));
    let text = format!("the original order is red: {tally}\nfirst: {first}{why}");
    check(
        session,
        Grade::Warning,
        text,
        Some("red tests are compared like all others; those that are always red say nothing"),
    );
    Ok(())
}
