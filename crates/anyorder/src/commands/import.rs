//! `anyorder import`: orders in which tests failed in CI, for the next hunt.

use std::path::{Path, PathBuf};

use anyorder_engine::Engine;
use anyorder_model::{Event, ForeignRun};
use anyorder_report::Terminal;

use crate::args::ImportArgs;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::foreign::{failing_order, import};
use crate::project::Project;
use crate::recorded::Recorded;
use crate::session::{Done, Session};

/// How many cases are named that are not understood.
const NAMED: usize = 3;

pub(crate) fn run(args: &ImportArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.how, false)?;
    let project = Project::open(&args.how, &mut session)?;
    let texts = args.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let suite = args.suite();
    let choice = suite.choice();
    let suites = project.suites(&mut session, &suite)?;
    let mut is_understood = false;
    let exit = session.each_suite(suites, &[], |session, engine, _| {
        let recorded = Recorded::of_all_tests(engine, &project, &choice, None);
        let mut store = recorded.open(session)?;
        for (file, run) in runs(engine, &args.files, &texts)? {
            is_understood |= !run.steps.is_empty();
            let order = failing_order(&run);
            if let Some(order) = &order {
                import(&mut store, engine, order)?;
            }
            tell(session, &file, &run, order.is_some());
        }
        Ok(Done::with(Exit::Nothing))
    })?;
    if is_understood { Ok(exit) } else { Err(Failure::no_case_is_known(&args.files)) }
}

fn read(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|error| Failure::unreadable(file, &error))
}

/// The runs that the files tell: one each, or one together where each file is a part.
fn runs(engine: &Engine, files: &[PathBuf], texts: &[String]) -> Result<Vec<(String, ForeignRun)>, Failure> {
    let mut runs: Vec<(String, ForeignRun)> = Vec::new();
    for (file, text) in files.iter().zip(texts) {
        let run = engine.driver().read_foreign_results(engine.suite(), text);
        let run = run.ok_or_else(|| Failure::not_junit_xml(file))?;
        match runs.last_mut().filter(|_| engine.driver().has_results_in_parts()) {
            Some((name, whole)) => {
                *name = format!("{} files", files.len());
                whole.steps.extend(run.steps);
                whole.unknown.extend(run.unknown);
                whole.ambiguous.extend(run.ambiguous);
            }
            None => runs.push((file.display().to_string(), run)),
        }
    }
    Ok(runs)
}

fn tell(session: &mut Session<'_>, file: &str, run: &ForeignRun, is_noted: bool) {
    let failed = run.steps.iter().filter(|step| step.outcome.is_red()).count();
    let what = if is_noted {
        "the next `anyorder hunt` replays its order first"
    } else {
        "nothing failed, so there is nothing to replay"
    };
    session.say("Imported", &format!("{file}: {} tests, {failed} failed; {what}", run.steps.len()));
    for (cases, why) in [(&run.unknown, "no test of this suite"), (&run.ambiguous, "more than one test")] {
        if !cases.is_empty() {
            let number = match cases.len() {
                1 => "1 case is".to_owned(),
                number => format!("{number} cases are"),
            };
            let named = cases.iter().take(NAMED).cloned().collect::<Vec<_>>().join("\n");
            let text = format!("{file}: {number} {why}, and left out\n{named}");
            session.tell(&Event::Notice { text, hint: None });
        }
    }
}
