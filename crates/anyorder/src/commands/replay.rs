//! `anyorder replay`: one order again, through the agent or with the plain runner.

use anyorder_engine::{Engine, EngineError, PlainRequest};
use anyorder_model::{Event, Order, Outcome, RunRecord};
use anyorder_report::Terminal;

use crate::args::ReplayArgs;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::order_file::{order_of, read_order_or_finding};
use crate::project::Project;
use crate::session::{Done, Session, run_once};

pub(crate) fn run(args: &ReplayArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, false)?;
    let mut project = Project::open(&args.suite.how, &mut session)?;
    project.settings.output = args.output;
    let ids = read_order_or_finding(&project.directory, &args.order)?;
    let suites = project.suites(&mut session, &args.suite)?;
    let mut unknown = None;
    let mut is_known = false;
    let exit = session.each_suite(suites, &args.suite.targets, |session, engine, _| {
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
