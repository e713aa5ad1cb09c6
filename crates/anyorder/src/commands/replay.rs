//! `anyorder replay`: one order again, through the agent or with the plain runner.

use std::io::Read;
use std::path::Path;

use anyorder_engine::{Engine, EngineError, PlainRequest};
use anyorder_model::{Event, Order, Outcome, RunRecord, Suite, TestId, parse_order_file};
use anyorder_report::Terminal;

use crate::args::ReplayArgs;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::project::Project;
use crate::session::{Done, Session, run_once};

pub(crate) fn run(args: &ReplayArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let mut project = Project::new(&args.suite.how, &session.cancel)?;
    project.settings.output = args.output;
    let ids = read_order(&project.directory, &args.order)?;
    let opened = project.open(&args.suite)?;
    let mut unknown = None;
    let mut is_known = false;
    let exit = session.each_suite(opened, &args.suite.targets, |session, engine, _| {
        // A command may start several suites; the order belongs to those that have its tests.
        let order = match order_of(engine.suite(), &args.order, &ids) {
            Ok(order) => order,
            Err(failure) => {
                unknown = Some(failure);
                return Ok(Done::with(Exit::Nothing));
            }
        };
        is_known = true;
        let (record, command) = run_order(engine, &project, args, order)?;
        let exit = if record.tally().is_red() { Exit::Found } else { Exit::Nothing };
        session.tell(&Event::Replayed { record, command });
        Ok(Done::with(exit))
    })?;
    unknown.filter(|_| !is_known).map_or(Ok(exit), Err)
}

/// What happened, and the command line if it was the plain runner's.
fn run_order(
    engine: &Engine,
    project: &Project,
    args: &ReplayArgs,
    order: Order,
) -> Result<(RunRecord, Option<String>), Failure> {
    if !args.plain {
        let ran = run_once(engine, order)?;
        return ran.map(|record| (record, None)).ok_or_else(|| EngineError::Cancelled.into());
    }
    let files = project.state_directory("plain")?;
    let mut run =
        engine.run_plain(PlainRequest { files: Some(&files), ..PlainRequest::new(&order) }, |_| {})?;
    if run.record.steps.iter().all(|step| step.outcome == Outcome::NotReached) {
        return Err(Failure::no_plain_results(&run.command, &run.log));
    }
    if !args.output {
        run.record.steps.iter_mut().for_each(|step| step.output = None);
    }
    Ok((run.record, Some(run.command)))
}

fn read_order(directory: &Path, file: &Path) -> Result<Vec<TestId>, Failure> {
    let mut text = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin().read_to_string(&mut text)
    } else {
        let place = if file.exists() { file.to_owned() } else { directory.join(file) };
        std::fs::File::open(place).and_then(|mut open| open.read_to_string(&mut text))
    };
    read.map_err(|error| Failure::unreadable(file, &error))?;
    parse_order_file(&text).map_err(|error| Failure::order_file(file, &error))
}

fn order_of(suite: &Suite, file: &Path, ids: &[TestId]) -> Result<Order, Failure> {
    let unknown: Vec<TestId> = ids.iter().filter(|id| suite.index_of(id).is_none()).cloned().collect();
    if let Some(first) = unknown.first() {
        return Err(Failure::unknown_tests(file, &unknown, nearest(suite, first)));
    }
    Ok(ids.iter().filter_map(|id| suite.index_of(id)).collect())
}

/// The test whose id is most like `id`, if any is.
fn nearest<'suite>(suite: &'suite Suite, id: &TestId) -> Option<&'suite TestId> {
    let likeness = |other: &TestId| strsim::normalized_levenshtein(&other.0, &id.0);
    let best =
        suite.tests().iter().map(|test| &test.id).max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) > 0.7).then_some(best)
}
