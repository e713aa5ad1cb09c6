//! `anyorder collect`: the tests, as the runner sees them.

use anyorder_model::format_order_file;
use anyorder_report::Terminal;

use crate::args::CollectArgs;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::project::Project;
use crate::session::{Done, Session};

pub(crate) fn run(args: &CollectArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let mut session = Session::new(terminal, &args.suite.how, true)?;
    let project = Project::open(&args.suite.how, &mut session)?;
    let suites = project.suites(&mut session, &args.suite)?;
    session.each_suite(suites, &args.suite.targets, |session, engine, _| {
        session.data(&format_order_file(engine.suite().tests().iter().map(|test| &test.id)));
        Ok(Done::with(Exit::Nothing))
    })
}
