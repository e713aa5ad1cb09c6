//! What the commands have in common: the event stream, interruption, and one round per suite that a command starts.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyorder_engine::{Cancel, Engine, EngineError, Update};
use anyorder_model::{Cost, Event, Order, RunRecord, TestIndex};
use anyorder_report::{JsonReport, Sink, Terminal};

use crate::args::HowArgs;
use crate::document;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::opened::{Opened, Suites};

/// One command that is being carried out.
pub(crate) struct Session<'a> {
    terminal: &'a mut Terminal,
    json: Option<(PathBuf, JsonReport)>,
    /// What `anyorder report` will know of this command.
    kept: Option<Kept>,
    pub(crate) cancel: Cancel,
}

/// A report that is kept in a project, under the name of its command.
struct Kept {
    project: PathBuf,
    command: &'static str,
    report: JsonReport,
}

impl<'a> Session<'a> {
    /// From now on Ctrl-C ends the command in order, and a second one at once.
    pub(crate) fn new(terminal: &'a mut Terminal, how: &HowArgs, with_tests: bool) -> Result<Self, Failure> {
        let json = how.json.clone().map(|path| (path, JsonReport::new(with_tests)));
        if let Some((path, _)) = &json {
            check_writable(path)?;
            terminal.leave_stdout_to_json(path == Path::new("-"));
        }
        let cancel = Cancel::default();
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            let interrupted = i32::from(Exit::Interrupted as u8);
            let registered =
                signal_hook::flag::register_conditional_shutdown(signal, interrupted, cancel.flag())
                    .and_then(|_| signal_hook::flag::register(signal, cancel.flag()));
            registered.expect("these signals can be handled");
        }
        Ok(Session { terminal, json, kept: None, cancel })
    }

    /// From now on what is told is kept in the project, for `anyorder report`.
    pub(crate) fn keep(&mut self, project: &Path, command: &'static str) {
        self.kept = Some(Kept { project: project.to_owned(), command, report: JsonReport::new(true) });
    }

    pub(crate) fn tell(&mut self, event: &Event) {
        self.terminal.hear(event);
        let reports = self.json.iter_mut().map(|(_, report)| report);
        reports
            .chain(self.kept.iter_mut().map(|kept| &mut kept.report))
            .for_each(|report| report.hear(event));
    }

    /// The file that the JSON report goes to.
    pub(crate) fn report_file(&self) -> Option<PathBuf> {
        self.json.as_ref().map(|(path, _)| path.clone())
    }

    /// Data for other programs, unless the JSON report is that.
    pub(crate) fn data(&mut self, text: &str) {
        self.terminal.data(text);
    }

    /// Lines for the machine that runs us.
    pub(crate) fn commands(&mut self, text: &str) {
        self.terminal.commands(text);
    }

    pub(crate) fn say(&mut self, verb: &str, text: &str) {
        self.terminal.say(verb, text);
    }

    /// Does `work` for each of the suites, and for every further suite that the command of one starts.
    pub(crate) fn each_suite(
        &mut self,
        mut suites: Suites,
        targets: &[String],
        mut work: impl FnMut(&mut Self, &Engine, Duration) -> Result<Done, Failure>,
    ) -> Result<Exit, Failure> {
        let mut exit = Exit::Nothing;
        while let Some(Opened { name, engine, took }) = suites.open_next()? {
            if let Some(name) = name {
                self.say("Module", &name);
            }
            exit = exit.or(self.suites_of(engine, took, targets, &mut work)?);
            if self.cancel.is_cancelled() {
                break;
            }
        }
        self.write_json()?;
        self.keep_report()?;
        Ok(if self.cancel.is_cancelled() { Exit::Interrupted } else { exit })
    }

    /// Does `work` for the suite of `engine`, and for every further suite that the same command starts.
    fn suites_of(
        &mut self,
        engine: Engine,
        mut took: Duration,
        targets: &[String],
        work: &mut impl FnMut(&mut Self, &Engine, Duration) -> Result<Done, Failure>,
    ) -> Result<Exit, Failure> {
        let mut exit = Exit::Nothing;
        let mut next = Some(engine);
        while let Some(engine) = next {
            if engine.session() > 0 && engine.suite().is_empty() {
                next = engine.next_suite()?.0;
                continue;
            }
            self.introduce(&engine, took, targets)?;
            let done = work(self, &engine, took)?;
            let begun = std::time::Instant::now();
            let (following, cost) = engine.next_suite()?;
            took = begun.elapsed();
            exit = exit.or(done.exit);
            (done.closing)(cost).iter().for_each(|event| self.tell(event));
            next = following.filter(|_| !self.cancel.is_cancelled());
        }
        Ok(exit)
    }

    fn introduce(&mut self, engine: &Engine, took: Duration, targets: &[String]) -> Result<(), Failure> {
        let suite = engine.suite();
        if suite.is_empty() {
            let errors = &suite.errors;
            return Err(if errors.is_empty() {
                Failure::no_tests(engine.driver().words(), targets)
            } else {
                Failure::all_unreadable(engine.driver().words(), errors)
            });
        }
        self.tell(&Event::Collected { suite: suite.clone(), took });
        if let [first, ..] = &engine.ready().strays[..] {
            self.tell(&Event::Notice {
                text: format!(
                    "`{first}` is imported from the project itself, not from the copy that the tests run in"
                ),
                hint: Some(
                    "it is installed in a way that fixes its path; what tests write beside it is shared"
                        .to_owned(),
                ),
            });
        }
        Ok(())
    }

    /// A command that was interrupted knows less than the one before.
    fn keep_report(&self) -> Result<(), Failure> {
        match &self.kept {
            Some(Kept { project, command, report }) if !self.cancel.is_cancelled() => {
                Ok(document::keep(project, command, report.value())?)
            }
            _ => Ok(()),
        }
    }

    fn write_json(&mut self) -> Result<(), Failure> {
        let Some((path, report)) = &self.json else { return Ok(()) };
        let document = report.document();
        if path == Path::new("-") {
            self.terminal.leave_stdout_to_json(false);
            self.terminal.data(&document);
            return Ok(());
        }
        std::fs::write(path, document).map_err(|error| Failure::unwritable(path, &error, JSON_HINT))
    }
}

/// What one suite's work has come to.
pub(crate) struct Done {
    pub(crate) exit: Exit,
    /// What to tell at the end, when the cost is known.
    pub(crate) closing: Box<dyn FnOnce(Cost) -> Vec<Event>>,
}

impl Done {
    /// Nothing more to tell than what it has cost.
    pub(crate) fn with(exit: Exit) -> Self {
        Done {
            exit,
            closing: Box::new(|cost| vec![Event::Finished { coverage: None, cost, stopped_early: None }]),
        }
    }
}

/// What there is to know about a test that ends its parent.
pub(crate) fn ends_its_parent(engine: &Engine, test: TestIndex) -> Event {
    Event::Notice {
        text: format!("{} ends the process that its own was forked from", engine.suite().id(test)),
        hint: Some("it costs nobody else an outcome here; in an ordinary run it ends the shell".to_owned()),
    }
}

/// Runs one order with nothing beside it; `None` if it was interrupted.
pub(crate) fn run_once(engine: &Engine, order: Order) -> Result<Option<RunRecord>, EngineError> {
    let mut ran = None;
    let outcome = engine.run(std::iter::once(vec![order]), |update| {
        if let Update::Ran { record, .. } = update {
            ran = Some(record);
        }
        ControlFlow::Continue(())
    });
    match outcome {
        Err(EngineError::Cancelled) => Ok(None),
        other => other.map(|()| ran),
    }
}

const JSON_HINT: &str = "name a file in a directory that you may write to, or `-` for standard output";

/// A report that cannot be written should be known before an hour of work, not after.
fn check_writable(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Ok(());
    }
    // An old report must not be taken for the one that this command did not come to write.
    std::fs::File::create(path).map(drop).map_err(|error| Failure::unwritable(path, &error, JSON_HINT))
}

pub(crate) fn total_duration(record: &RunRecord) -> Duration {
    record.steps.iter().map(|step| step.duration).sum()
}
