//! What a change concerns: the two trees, the profiles that are kept, and new ones where they are needed become a selection.
//!
//! Knows which tests have to be watched before it can be told who shares state with whom. How trees are compared and what makes
//! tests related, `anyorder-change` knows.

use std::path::Path;
use std::sync::Arc;

use anyorder_change::{
    Affected, Changes, How, Imports, OldProfiles, Record, Recorded, Records, Repository, Rts, Select, Since,
    affected, changes, related,
};
use anyorder_engine::Engine;
use anyorder_model::{
    Event, Halted, News, Oracle, Profile, Selected, Selection, Station, Suite, Test, TestId, TestIndex, Why,
};
use anyorder_search::{Noise, ProfileSettings, profile};

use crate::failure::Failure;
use crate::fingerprint::environment;
use crate::oracle::EngineOracle;
use crate::profiles::{Kept, Renewed};

/// What a change concerns.
pub(crate) struct Concern {
    pub(crate) selection: Arc<Selection>,
    /// The commit that files were compared with.
    pub(crate) since: String,
    /// What is other than then.
    pub(crate) changes: Changes,
    /// Whether tests can be shown the files of then. Not if the interpreter or the installed packages are others than then.
    pub(crate) can_go_back: bool,
    /// The last commit that nothing was held against, if there is one.
    pub(crate) green: Option<String>,
    /// The commit to compare with is lost, so nobody knows what was there.
    pub(crate) is_lost: bool,
    /// Why some tests could not be watched; then the selection may lack some.
    pub(crate) stopped_early: Option<Halted>,
}

impl Concern {
    /// How it is told; `is_all` if nothing else is wanted.
    pub(crate) fn event(&self, is_all: bool) -> Event {
        Event::Selected { selection: Arc::clone(&self.selection), since: self.since.clone(), is_all }
    }
}

/// What was typed about it.
pub(crate) struct Wishes<'a> {
    /// The revision to compare with.
    pub(crate) since: Option<&'a str>,
    pub(crate) select: Select,
    pub(crate) rts: Rts,
    /// Whether static fields of classes in jars count.
    pub(crate) third_party: bool,
    pub(crate) noise: &'a Noise,
    /// Whether tests may be watched; else what affected ones do is what they did before.
    pub(crate) may_watch: bool,
}

/// Which tests the change concerns, and why.
pub(crate) fn concern(
    oracle: &mut EngineOracle<'_, '_>,
    engine: &Engine,
    wishes: &Wishes<'_>,
) -> Result<Concern, Failure> {
    let (suite, root) = (engine.suite(), oracle.root().to_owned());
    let mut kept = oracle.memory().profiles()?;
    let (Since { commit, old: mut then, new: mut now }, lost) = since(&root, &kept, wishes.since)?;
    let record = engine.collection().map(|collection| Record::new(collection.clone(), &mut now, &root));
    let records = Records { then: kept.record.take(), now: record };
    records.then.iter().for_each(|record| record.complete(&mut then, &now));
    let (imports, changes) = (Imports::new(&then, &now, &records), changes(&then, &now));
    let states = oracle.memory().states_at(&commit)?;
    let other_environment = kept.other_environment(&commit, &states, &environment(engine));
    let old = OldProfiles::new(&root, kept.profiles.iter().cloned());
    let mut found = affected(suite, &changes, &old, wishes.rts, &imports);
    let (can_go_back, is_lost) = (other_environment.is_none(), lost.is_some());
    if let Some(what) = other_environment.or(lost) {
        make_all_affected(suite, &mut found, &what);
    }
    let unwatched = gone_unwatched(&changes, &found.deleted);
    found.deleted.extend(unwatched);
    let watched = if wishes.may_watch { to_watch(&found, wishes.select) } else { vec![] };
    let (mut new, stopped_early) = watch(oracle, &watched);
    let all = kept.profiles.clone();
    let since_then = take_later(suite, &found, &mut kept.profiles, &imports, &root);
    new.extend(since_then.into_iter().filter(|profile| !watched.contains(&profile.test)));
    if !wishes.may_watch {
        take_as_present(suite, &found, &mut kept.profiles, &mut new);
    }
    let before = OldProfiles::new(&root, kept.profiles);
    let related = related(suite, &found, &before, &new, wishes.select, &imports, wishes.noise);
    if wishes.may_watch {
        let is_stale = |test: &TestIndex| watched.contains(test) || found.unknown.contains(test);
        let holds = |one: &&Recorded| suite.index_of(&one.test.id).is_some_and(|test| !is_stale(&test));
        let holding: Vec<&Recorded> = all.iter().filter(holds).collect();
        let pairs: Vec<(&Test, &Profile)> = holding.iter().map(|one| (&one.test, &one.profile)).collect();
        let [_, stamps] = imports.stamps(&root, &pairs);
        let profiles = holding.into_iter().zip(stamps).collect();
        let record = records.now.as_ref();
        oracle.memory().renew_profiles(&Renewed { root: &root, profiles, record })?;
    }
    let Affected { tests: affected, everything, deleted, .. } = found;
    let selection = Arc::new(Selection { everything, affected, related, deleted });
    let green = kept.green;
    Ok(Concern { selection, since: commit, changes, can_go_back, green, is_lost, stopped_early })
}

/// The two trees: since what was typed, else since nothing was held against a commit, else since all profiles were made. If that
/// commit is lost, nobody knows what has changed, and the reason says so.
pub(crate) fn since(
    root: &Path,
    kept: &Kept,
    typed: Option<&str>,
) -> Result<(Since, Option<String>), Failure> {
    let repository = Repository::around(root)?;
    let Some(revision) = typed.or(kept.green.as_deref()).or(kept.commit()) else {
        return Ok((repository.since("HEAD")?, None));
    };
    match repository.since(revision) {
        Err(_) if typed.is_none() => {
            let lost = format!("{revision}, the commit to compare with, which is lost");
            Ok((repository.since("HEAD")?, Some(lost)))
        }
        since => Ok((since?, None)),
    }
}

/// Something concerns all tests that is no file of the project.
fn make_all_affected(suite: &Suite, found: &mut Affected, what: &str) {
    let why = || vec![Why::Everything { what: what.to_owned() }];
    found.tests = suite.indices().map(|test| Selected { test, why: why() }).collect();
    found.everything = Some(what.to_owned());
    found.unknown.clear();
}

/// Test functions that are gone, and of which nobody knows what they did.
fn gone_unwatched(changes: &Changes, known: &[TestId]) -> Vec<TestId> {
    let gone = changes.elements.iter().filter(|changed| changed.how == How::Deleted);
    let functions = gone.filter_map(|changed| Some((&changed.at.file, changed.function.as_ref()?)));
    let is_test = |name: &str| name.rsplit('.').next().is_some_and(|last| last.starts_with("test"));
    let tests = functions.filter(|(_, name)| is_test(name));
    let ids = tests.map(|(file, name)| format!("{file}::{}", name.replace('.', "::")));
    let is_known = |id: &String| known.iter().any(|TestId(known)| known.split('[').next() == Some(id));
    ids.filter(|id| !is_known(id)).map(TestId).collect()
}

/// Takes out what affected tests did after the change, or at some other time than before it: a profile may have been made when
/// half of the change was there, or all of it. Gives back what they did with the files of now.
fn take_later(
    suite: &Suite,
    found: &Affected,
    kept: &mut Vec<Recorded>,
    imports: &Imports,
    root: &Path,
) -> Vec<Profile> {
    let index = |recorded: &Recorded| {
        let test = suite.index_of(&recorded.test.id)?;
        found.tests.iter().any(|selected| selected.test == test).then_some(test)
    };
    let (affected, others): (Vec<Recorded>, Vec<Recorded>) =
        std::mem::take(kept).into_iter().partition(|recorded| index(recorded).is_some());
    let pairs: Vec<(&Test, &Profile)> = affected.iter().map(|one| (&one.test, &one.profile)).collect();
    let [then, now] = imports.stamps(root, &pairs);
    *kept = others;
    let mut later = Vec::new();
    for (at, recorded) in affected.into_iter().enumerate() {
        if recorded.stamp == now[at] {
            later.extend(index(&recorded).map(|test| Profile { test, ..recorded.profile.clone() }));
        }
        if recorded.stamp == then[at] {
            kept.push(recorded);
        }
    }
    later
}

/// Where nobody may look at what affected tests do now, what they did before stands for it.
fn take_as_present(suite: &Suite, found: &Affected, kept: &mut Vec<Recorded>, new: &mut Vec<Profile>) {
    for selected in &found.tests {
        let is_it = |one: &Recorded| one.test.id == *suite.id(selected.test);
        let is_known = new.iter().any(|profile| profile.test == selected.test);
        if let Some(at) = kept.iter().position(is_it).filter(|_| !is_known) {
            new.push(Profile { test: selected.test, ..kept.swap_remove(at).profile });
        }
    }
}

/// The tests whose profiles are needed: of those that do something else now, and, if anybody does, of those that nobody has
/// watched.
fn to_watch(found: &Affected, select: Select) -> Vec<TestIndex> {
    let mut tests: Vec<TestIndex> = found.tests.iter().map(|selected| selected.test).collect();
    let is_anybody = !tests.is_empty() || !found.deleted.is_empty();
    if is_anybody && matches!(select, Select::Cells | Select::Class) {
        tests.extend(&found.unknown);
    }
    tests
}

fn watch(oracle: &mut EngineOracle<'_, '_>, tests: &[TestIndex]) -> (Vec<Profile>, Option<Halted>) {
    if tests.is_empty() || !oracle.can_watch() {
        return (vec![], None);
    }
    oracle.tell(News::Began(Station::Profile, Some(tests.len() as u64)));
    let report = profile(oracle, tests, &ProfileSettings::default());
    (report.profiles, report.stopped_early)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use anyorder_change::{Stamp, Tree};
    use anyorder_model::{Outcome, Step};

    use super::*;

    #[test]
    fn tests_that_are_gone_are_known_by_their_code_if_nobody_has_watched_them() {
        let old =
            "class TestA:\n    def test_b(self): pass\n    def help(self): pass\n\ndef test_c(x): pass\n";
        let changes = changes(&Tree::new([("test_x.py", old)]), &Tree::new([("test_x.py", "")]));
        let id = |name: &str| TestId(format!("test_x.py::{name}"));
        assert_eq!(gone_unwatched(&changes, &[]), [id("TestA::test_b"), id("test_c")]);
        assert_eq!(gone_unwatched(&changes, &[id("test_c[1]")]), [id("TestA::test_b")]);
    }

    #[test]
    fn what_affected_tests_did_stands_for_what_they_do_unless_that_is_known() {
        let suite = Suite::new("pytest", ["a", "b", "c"].map(|id| Test::in_file(id, "")).to_vec());
        let nothing = |test| Profile {
            test: TestIndex(test),
            alone: Step::bare(TestIndex(test), Outcome::Passed),
            again: None,
            writes: vec![],
            reads: BTreeSet::new(),
            code: vec![],
            opened: None,
        };
        let recorded =
            |id: &str| Recorded { test: Test::in_file(id, ""), profile: nothing(0), stamp: Stamp([0; 16]) };
        let selected = |test| Selected { test: TestIndex(test), why: vec![Why::New] };
        let found = Affected { tests: vec![selected(1), selected(2)], ..Affected::default() };
        let mut kept: Vec<Recorded> = ["a", "b", "c"].map(recorded).to_vec();
        let mut new = vec![nothing(2)];
        take_as_present(&suite, &found, &mut kept, &mut new);
        let tests: Vec<TestIndex> = new.iter().map(|profile| profile.test).collect();
        assert_eq!(tests, [TestIndex(2), TestIndex(1)]);
        let ids: Vec<&str> = kept.iter().map(|one| one.test.id.0.as_str()).collect();
        assert_eq!(ids, ["a", "c"]);
    }

    #[test]
    fn nobody_is_watched_where_nothing_is_affected_or_gone() {
        let unknown = vec![TestIndex(1)];
        let nothing = Affected { unknown, ..Affected::default() };
        assert_eq!(to_watch(&nothing, Select::Cells), []);
        let gone = Affected { deleted: vec![TestId("t".to_owned())], ..nothing };
        assert_eq!(to_watch(&gone, Select::Cells), [TestIndex(1)]);
        assert_eq!(to_watch(&gone, Select::All), []);
    }
}
