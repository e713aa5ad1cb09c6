//! Which findings were there before a change: the suite as it was is shown to the tests at the project's own path, or built
//! elsewhere if it has to be compiled, and each finding's orders run there.
//!
//! Knows how to ask. Where the files cannot be shown, or the suite as it was cannot be built or run, nothing is known, and what is
//! found counts as new.

use std::collections::BTreeSet;
use std::path::Path;

use anyorder_change::Named;
use anyorder_engine::{Engine, Scratch};
use anyorder_model::{
    Age, Fan, Finding, Group, Halted, Kind, Oracle, Order, Outcome, Purpose, Suite, TestId, TestIndex,
};

use anyorder_search::Known;

use crate::args::SuiteArgs;
use crate::git;
use crate::memory::Memory;
use crate::oracle::EngineOracle;
use crate::project::Project;
use crate::recorded::in_words;

/// How often each order runs.
const TIMES: u32 = 3;
/// How many digits of a commit are told.
const SHORT: usize = 9;
/// How many groups of partners of a finding are tried.
const GROUPS: usize = 8;

/// What is known of the time before a change.
pub(crate) struct Past<'a> {
    /// What was checked out.
    pub(crate) commit: &'a str,
    /// Tests that are gone: they may have been partners.
    pub(crate) deleted: &'a [TestId],
    /// Tests that may do something else than before. Groups of others are as old as their tests.
    pub(crate) affected: &'a BTreeSet<TestIndex>,
    /// Files that had another name: the old one and the new one.
    pub(crate) renamed: &'a [(String, String)],
    /// Functions that had another name.
    pub(crate) renamed_functions: &'a [[Named; 2]],
}

impl Past<'_> {
    /// Where a test of now stood then, if it was there.
    fn index_of(&self, id: &TestId, then: &Suite) -> Option<TestIndex> {
        then.index_of(id).or_else(|| then.index_of(&self.old_name(id)?))
    }

    /// Whether a group may do something else to a test than then.
    fn may_be_new(&self, finding: &Finding, group: &Group) -> bool {
        group.iter().chain([&finding.test]).any(|test| self.affected.contains(test))
    }

    fn old_name(&self, id: &TestId) -> Option<TestId> {
        let (file, rest) = id.0.split_once("::")?;
        let (names, parameters) = rest.split_at(rest.find('[').unwrap_or(rest.len()));
        let is_it = |(path, name): &Named| path == file && name.replace('.', "::") == names;
        if let Some([(path, name), _]) = self.renamed_functions.iter().find(|[_, now]| is_it(now)) {
            return Some(TestId(format!("{path}::{}{parameters}", name.replace('.', "::"))));
        }
        let (old, _) = self.renamed.iter().find(|(_, new)| new == file)?;
        Some(TestId(format!("{old}::{rest}")))
    }
}

/// The same where the old files would meet another interpreter or other packages than then: what an earlier command has found was
/// there, unless a check has told of it as new; all else counts as new.
pub(crate) fn tell_age_by_history(known: &[Known], told_new: &BTreeSet<String>, findings: &mut [Finding]) {
    for finding in findings {
        let is_it = |known: &Known| (known.kind, known.test) == (finding.kind, finding.test);
        let is_known = known.iter().any(is_it) && !told_new.contains(&finding.id.0);
        finding.age = Some(if is_known { Age::Before } else { Age::New });
    }
}

/// Notes on each finding whether it was there; else says why that is not known.
pub(crate) fn tell_age(
    oracle: &mut EngineOracle<'_, '_>,
    project: &Project,
    suite: &SuiteArgs,
    past: &Past<'_>,
    findings: &mut [Finding],
) -> Result<(), String> {
    findings.iter_mut().for_each(|finding| finding.age = Some(Age::New));
    let Some(now) =
        Some(oracle.suite().clone()).filter(|_| findings.iter().any(|one| one.kind.is_order_dependent()))
    else {
        return Ok(());
    };
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let then = if now.driver == "pytest" {
        project.with_changes(git::back_to(oracle.root(), past.commit)?)
    } else {
        let commit = past.commit.get(..SHORT).unwrap_or(past.commit);
        let what = format!("the files of {commit}, to see what was there before");
        oracle.session().say("Building", &what);
        elsewhere(project, past.commit, &scratch)?
    };
    let place = oracle.root().strip_prefix(&project.directory).unwrap_or(oracle.root()).to_owned();
    let engine = open(oracle, &then, suite, &place)?;
    let (files, root, limits) = (oracle.files().to_owned(), oracle.root().to_owned(), oracle.limits());
    let memory = Memory::forgetful(engine.suite(), engine.session());
    let mut before = EngineOracle::new(&engine, oracle.session(), memory, files, root);
    before.limit(limits.0, limits.1);
    for finding in findings.iter_mut().filter(|finding| finding.kind.is_order_dependent()) {
        let seen = seen_then(&mut before, [&now, engine.suite()], finding, past);
        let (was_there, new_partners) = seen.map_err(|halted| in_words(halted).to_owned())?;
        if was_there && new_partners.is_empty() {
            finding.age = Some(Age::Before);
        } else if was_there {
            finding.new_partners = new_partners;
        }
    }
    Ok(())
}

/// The project as it was, in a directory of its own.
fn elsewhere(project: &Project, commit: &str, scratch: &Scratch) -> Result<Project, String> {
    let home = scratch.path().canonicalize().map_err(|error| error.to_string())?.join("then");
    git::check_out(&project.directory, commit, &home)?;
    Ok(project.at(&home.join(git::prefix(&project.directory))))
}

/// The suite of then that stood in this place of the project.
fn open(
    oracle: &mut EngineOracle<'_, '_>,
    then: &Project,
    suite: &SuiteArgs,
    place: &Path,
) -> Result<Engine, String> {
    let mut suites = then.suites(oracle.session(), suite).map_err(|failure| failure.problem.what)?;
    while let Some(opened) = suites.open_next().map_err(|error| error.to_string())? {
        let root = then.directory.join(&opened.engine.suite().root);
        if opened.name.is_none() || root == then.directory.join(place) {
            return Ok(opened.engine);
        }
    }
    Err("there was no suite".to_owned())
}

/// Whether a finding showed itself then; and after which groups it did not, although it does now.
fn seen_then(
    oracle: &mut dyn Oracle,
    [now, then]: [&Suite; 2],
    finding: &Finding,
    past: &Past<'_>,
) -> Result<(bool, Vec<Group>), Halted> {
    let mut new_partners = Vec::new();
    if !was_there(oracle, finding.kind, &orders(now, then, finding, past))? {
        return Ok((false, new_partners));
    }
    let groups = finding.polluters.iter().flatten().filter(|group| past.may_be_new(finding, group));
    for group in groups.take(GROUPS) {
        let at = |test: &TestIndex| past.index_of(now.id(*test), then);
        let shown = match (group.iter().map(at).collect::<Option<Vec<_>>>(), at(&finding.test)) {
            (Some(before), Some(test)) => was_there(oracle, finding.kind, &[(before, test)])?,
            _ => false,
        };
        if !shown {
            new_partners.push(group.clone());
        }
    }
    Ok((true, new_partners))
}

/// The orders that show a finding, as far as the suite of then has their tests: those before its test.
fn orders(now: &Suite, then: &Suite, finding: &Finding, past: &Past<'_>) -> Vec<(Vec<TestIndex>, TestIndex)> {
    let at = |test: TestIndex| past.index_of(now.id(test), then);
    let Some(test) = at(finding.test) else { return vec![] };
    let own = vec![vec![finding.test]];
    let groups: &[Group] = match finding.kind {
        Kind::NonIdempotent => &own,
        _ => finding.polluters.as_ref().or(finding.setters.as_ref()).map_or(&[], Vec::as_slice),
    };
    let known = groups.iter().filter_map(|group| group.iter().map(|&test| at(test)).collect());
    let gone = past.deleted.iter().filter_map(|id| then.index_of(id)).map(|partner| vec![partner]);
    let gone = gone.filter(|_| finding.kind != Kind::NonIdempotent);
    let all = known.take(GROUPS).chain(gone.take(GROUPS));
    all.map(|before: Vec<TestIndex>| (before, test)).collect()
}

/// Whether one of the orders shows it each time.
fn was_there(
    oracle: &mut dyn Oracle,
    kind: Kind,
    orders: &[(Vec<TestIndex>, TestIndex)],
) -> Result<bool, Halted> {
    let Some((_, test)) = orders.first() else { return Ok(false) };
    let alone = ends(oracle, &[], *test)?;
    let is_dependent = |behind: &[Outcome]| {
        let all =
            |outcomes: &[Outcome], is_red: bool| outcomes.iter().all(|outcome| outcome.is_red() == is_red);
        let alone_is_red = kind == Kind::Brittle;
        all(&alone, alone_is_red) && all(behind, !alone_is_red)
    };
    for (before, test) in orders {
        if is_dependent(&ends(oracle, before, *test)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// How a test ends behind others, each time.
fn ends(oracle: &mut dyn Oracle, before: &[TestIndex], test: TestIndex) -> Result<Vec<Outcome>, Halted> {
    let fan = |repetition| Fan {
        purpose: Purpose::Known,
        repetition,
        prefix: Order(before.to_vec()),
        tails: vec![Order(vec![test])],
    };
    let records = oracle.run((0..TIMES).map(fan).collect())?;
    let last = records.iter().filter_map(|record| record.tails.first()?.steps.last());
    Ok(last.map(|step| step.outcome).collect())
}

#[cfg(test)]
mod tests {
    use anyorder_model::Test;

    use super::*;

    fn suite(ids: &[&str]) -> Suite {
        let test = |id: &&str| Test::in_file(*id, "");
        Suite::new("pytest", ids.iter().map(test).collect())
    }

    #[test]
    fn orders_of_then_have_old_names_and_tests_that_are_gone() {
        let named = |(file, name): (&str, &str)| (file.to_owned(), name.to_owned());
        let now = suite(&["new.py::p", "b.py::v", "b.py::q", "b.py::T::u[1]"]);
        let then = suite(&["b.py::v", "old.py::p", "b.py::gone", "b.py::T::w[1]"]);
        let polluters = Some(vec![vec![TestIndex(0)], vec![TestIndex(2)]]);
        let finding = Finding { polluters, ..Finding::new(Kind::Victim, TestIndex(1), now.id(TestIndex(1))) };
        let deleted = [TestId("b.py::gone".to_owned())];
        let renamed = [("old.py".to_owned(), "new.py".to_owned())];
        let (affected, functions) = (BTreeSet::new(), [[("b.py", "T.w"), ("b.py", "T.u")].map(named)]);
        let past = Past {
            commit: "",
            deleted: &deleted,
            affected: &affected,
            renamed: &renamed,
            renamed_functions: &functions,
        };
        let victim = TestIndex(0);
        assert_eq!(
            orders(&now, &then, &finding, &past),
            [(vec![TestIndex(1)], victim), (vec![TestIndex(2)], victim)]
        );
        assert_eq!(past.index_of(now.id(TestIndex(3)), &then), Some(TestIndex(3)));
        let unknown = Finding { test: TestIndex(2), ..finding };
        assert_eq!(orders(&now, &then, &unknown, &past), []);
    }
}
