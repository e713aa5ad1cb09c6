//! A search whose questions and findings are remembered: the store around it, from the first question to the exit code.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyorder_config::Budget;
use anyorder_engine::Engine;
use anyorder_model::{Cost, Event, Finding, FindingId, Halted, Order, Suite};
use anyorder_report::finding_value;
use anyorder_search::{HuntReport, Known};
use anyorder_store::{FoundFinding, HuntEnd, HuntNumber, HuntStart, Store, StoreError};

use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::known::{known, was_new};
use crate::memory::Memory;
use crate::oracle::{EngineOracle, Trouble};
use crate::project::Project;
use crate::session::{Done, Session};
use crate::{fingerprint, foreign};

/// What a search is done on, and what was typed for it.
pub(crate) struct Recorded<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) project: &'a Project,
    /// What decides which tests there are.
    pub(crate) choice: &'a [String],
    /// How much may be spent, in words.
    pub(crate) budget: String,
    /// What earlier hunts found and is tried again: what does not show itself then is gone.
    pub(crate) tries_again: Again,
    /// Whether runs of other machines are replayed.
    pub(crate) replays_foreign: bool,
    /// Whether files have changed since the last command, as a matter of course.
    pub(crate) expects_changes: bool,
}

/// What was known before a search.
#[derive(Default)]
pub(crate) struct Earlier {
    /// What earlier hunts found.
    pub(crate) known: Vec<Known>,
    /// The ids of those that the last check which saw them has told of as new.
    pub(crate) told_new: BTreeSet<String>,
    /// Orders in which a test failed on another machine.
    pub(crate) foreign: Vec<Order>,
}

/// What of earlier hunts is tried again.
pub(crate) enum Again {
    Nothing,
    All,
    /// The findings with these ids.
    These(Vec<FindingId>),
}

impl Again {
    fn has(&self, id: &str) -> bool {
        match self {
            Again::Nothing => false,
            Again::All => true,
            Again::These(ids) => ids.iter().any(|these| these.0 == id),
        }
    }
}

/// What a search has come to, with the CPU time of a plain run of the suite if that was measured.
pub(crate) type Outcome = (HuntReport, Option<f64>);

impl<'a> Recorded<'a> {
    /// A search that looks at all tests once, unless the budget ends it; what earlier hunts found is no matter.
    pub(crate) fn of_all_tests(
        engine: &'a Engine,
        project: &'a Project,
        choice: &'a [String],
        budget: Option<Budget>,
    ) -> Self {
        let budget = budget.map_or_else(|| "all tests".to_owned(), |budget| budget.to_string());
        Recorded {
            engine,
            project,
            choice,
            budget,
            tries_again: Again::Nothing,
            replays_foreign: false,
            expects_changes: false,
        }
    }

    /// Does `search` over an oracle that remembers, given what earlier hunts found; `None` means that it was interrupted.
    pub(crate) fn carry_out(
        &self,
        session: &mut Session<'_>,
        search: impl FnOnce(&mut EngineOracle<'_, '_>, Earlier) -> Result<Option<Outcome>, Failure>,
    ) -> Result<Done, Failure> {
        let suite = self.engine.suite();
        let mut store = self.open(session)?;
        let number = store.begin_hunt(&self.start())?;
        let findings = store.history().known_findings()?;
        let told_new = findings.iter().filter(|finding| was_new(finding)).map(|finding| finding.id.clone());
        let told_new = told_new.collect();
        let mut known = known(suite, &findings);
        known.retain(|(id, _)| self.tries_again.has(id));
        let foreign = self.foreign(session, &store)?;
        let mut oracle = self.oracle(session, &mut store)?;
        let known_only = known.iter().map(|(_, known)| known.clone()).collect();
        let found = search(&mut oracle, Earlier { known: known_only, told_new, foreign })?;
        let (trouble, replayed) = (oracle.trouble.take(), std::mem::take(&mut oracle.replayed));
        let Some((report, suite_cpu_s)) = found else {
            return trouble.map_or_else(|| Ok(interrupted()), |trouble| Err(trouble.into()));
        };
        known.retain(|(_, known)| replayed.contains(&FindingId::new(known.kind, suite.id(known.test))));
        note_findings(&mut store, number, suite, &report, &known)?;
        if self.replays_foreign && report.stopped_early.is_none() {
            store.has_replayed(foreign::session(self.engine), number)?;
        }
        let exit = exit_of(&report);
        store.end_hunt(number, HuntEnd { ended: now(), exit: i32::from(exit as u8) })?;
        finish(session, trouble, report, exit, suite_cpu_s)
    }

    /// Orders of other machines that no hunt has replayed yet.
    fn foreign(&self, session: &mut Session<'_>, store: &Store) -> Result<Vec<Order>, Failure> {
        if !self.replays_foreign {
            return Ok(vec![]);
        }
        let orders = foreign::to_replay(store, self.engine)?;
        if !orders.is_empty() {
            let number = orders.len();
            let runs = if number == 1 { "1 run".to_owned() } else { format!("{number} runs") };
            session.say("Imported", &format!("{runs} of other machines, replayed first"));
        }
        Ok(orders)
    }

    /// Opens the store, and tells why it may hold less than one would expect.
    pub(crate) fn open(&self, session: &mut Session<'_>) -> Result<Store, Failure> {
        let report = session.report_file();
        let fingerprint = fingerprint::of(self.project, self.engine, self.choice, report.as_deref());
        let store = Store::open(&self.project.directory, &fingerprint)?;
        if let [_, ..] = store.changed()
            && !self.expects_changes
        {
            let changed = store.changed().join(", ");
            session.tell(&Event::Notice {
                text: format!("earlier runs do not count any more: changed since then: {changed}"),
                hint: None,
            });
        }
        if let Some(path) = store.set_aside() {
            let text = format!("the old history could not be read; it is kept as {}", path.display());
            session.tell(&Event::Notice { text, hint: None });
        }
        Ok(store)
    }

    /// An oracle that remembers what it was asked.
    pub(crate) fn oracle<'b, 's>(
        &'b self,
        session: &'b mut Session<'s>,
        store: &'b mut Store,
    ) -> Result<EngineOracle<'b, 's>, Failure> {
        let files = self.project.state_directory("plain")?;
        let memory = Memory::new(store, self.engine.suite(), self.engine.session());
        Ok(EngineOracle::new(self.engine, session, memory, files, self.root()))
    }

    /// Where the paths of the suite begin.
    pub(crate) fn root(&self) -> PathBuf {
        self.project.directory.join(&self.engine.suite().root)
    }

    fn start(&self) -> HuntStart {
        HuntStart {
            began: now(),
            argv: std::env::args().collect(),
            seed: self.engine.settings().seed,
            budget: self.budget.clone(),
        }
    }
}

fn note_findings(
    store: &mut Store,
    hunt: HuntNumber,
    suite: &Suite,
    report: &HuntReport,
    known: &[(String, Known)],
) -> Result<(), StoreError> {
    for finding in &report.findings {
        let json = finding_value(suite, finding).to_string();
        let test = suite.id(finding.test);
        let found = FoundFinding { id: &finding.id.0, kind: finding.kind.name(), test, json: &json };
        store.save_finding(hunt, &found)?;
    }
    if report.stopped_early.is_none() {
        let is_gone = |id: &String| !report.findings.iter().any(|finding| finding.id.0 == *id);
        for (id, _) in known.iter().filter(|(id, _)| is_gone(id)) {
            store.not_reproduced(hunt, id)?;
        }
    }
    Ok(())
}

fn exit_of(report: &HuntReport) -> Exit {
    let has_found = report.findings.iter().any(Finding::counts);
    match (has_found, report.stopped_early) {
        (true, _) => Exit::Found,
        (false, Some(_)) => Exit::Unfinished,
        (false, None) => Exit::Nothing,
    }
}

fn finish(
    session: &mut Session<'_>,
    trouble: Option<Trouble>,
    report: HuntReport,
    exit: Exit,
    suite_cpu_s: Option<f64>,
) -> Result<Done, Failure> {
    if let Some(trouble) = trouble {
        let failure = Failure::from(trouble);
        if report.findings.is_empty() {
            return Err(failure);
        }
        session.tell(&Event::Notice { text: failure.problem.what, hint: failure.problem.hint });
    }
    let stopped_early = report.stopped_early.map(in_words);
    let closing = move |cost: Cost| {
        let found = report.findings.into_iter().map(|finding| Event::Found(Box::new(finding)));
        let doubtful = report.unconfirmed.into_iter().map(|finding| Event::Unconfirmed(Box::new(finding)));
        let cost = Cost { suite_cpu_s, ..cost };
        let end = Event::Finished { coverage: Some(report.coverage), cost, stopped_early };
        found.chain(doubtful).chain([end]).collect()
    };
    Ok(Done { exit, closing: Box::new(closing) })
}

/// Why nothing more was asked.
pub(crate) fn in_words(halted: Halted) -> &'static str {
    match halted {
        Halted::Budget => "the budget is spent",
        Halted::Interrupted => "interrupted",
        Halted::Broken => "the suite could not be run any more",
    }
}

fn interrupted() -> Done {
    let closing = |cost| vec![Event::Finished { coverage: None, cost, stopped_early: Some("interrupted") }];
    Done { exit: Exit::Interrupted, closing: Box::new(closing) }
}

/// Seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "when a hunt took place is a fact about the world")]
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
