//! What a change of a Java project concerns, by the class files of now and those that were kept.
//!
//! Nobody builds the files of then for this, so what they were is known only where classes were kept.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use anyorder_change::{Changes, ClassRule, Classes, Since, Tree, changes, select_classes};
use anyorder_engine::Engine;
use anyorder_model::{Oracle, Selected, Selection, Suite, TestId, Why};
use serde::{Deserialize, Serialize};

use crate::concern::{Concern, Wishes, since};
use crate::failure::Failure;
use crate::git;
use crate::memory::{packed, unpacked};
use crate::oracle::EngineOracle;

/// Classes are kept under this name, of so many commits.
const NOTE: &str = "classes";
const KEPT: usize = 5;

/// The classes of a commit, and the tests in them.
#[derive(Serialize, Deserialize)]
struct Built {
    commit: String,
    classes: Classes,
    tests: BTreeSet<TestId>,
}

impl Built {
    /// The tests whose classes are no longer there.
    fn gone(&self, now: &Classes) -> Vec<TestId> {
        self.tests.iter().filter(|test| !now.have_class_of(test)).cloned().collect()
    }
}

/// Which tests the change concerns, and why.
pub(crate) fn concern_of_classes(
    oracle: &mut EngineOracle<'_, '_>,
    engine: &Engine,
    wishes: &Wishes<'_>,
) -> Result<Concern, Failure> {
    let root = oracle.root().to_owned();
    let kept = oracle.memory().profiles()?;
    let built = kept_classes(oracle)?;
    let (Since { commit, old, new }, lost) = since(&root, &kept, wishes.since)?;
    let changes = changes(&old, &new);
    let class_path = engine.driver().class_path();
    let classes = Classes::on(&class_path).map_err(|error| unreadable(&error))?;
    let others = wishes.third_party.then(|| Classes::in_jars_on(&class_path)).transpose();
    let others = others.map_err(|error| unreadable(&error))?;
    let then = built.iter().find(|built| built.commit == commit);
    let rule = ClassRule {
        old: then.map(|built| &built.classes),
        new: &classes,
        others: others.as_ref(),
        gone: &then.map_or_else(Vec::new, |built| built.gone(&classes)),
        files: &files_of(&changes),
        select: wishes.select,
    };
    let is_lost = lost.is_some();
    let selection = match lost.or_else(|| gone_unknown(&changes, &new).filter(|_| then.is_none())) {
        Some(what) => all(engine.suite(), &what),
        None => select_classes(engine.suite(), rule),
    };
    if wishes.may_watch {
        keep_classes(oracle, built, classes)?;
    }
    Ok(Concern {
        selection: Arc::new(selection),
        since: commit,
        changes,
        can_go_back: true,
        green: kept.green,
        is_lost,
        stopped_early: None,
    })
}

fn unreadable(error: &io::Error) -> Failure {
    Failure::usage(format!("cannot read the classes of the build: {error}"), "compile the project again")
}

fn kept_classes(oracle: &mut EngineOracle<'_, '_>) -> Result<Vec<Built>, Failure> {
    let note = oracle.memory().note(NOTE)?;
    Ok(note.and_then(|bytes| serde_json::from_slice(&unpacked(bytes)?).ok()).unwrap_or_default())
}

/// Keeps the classes of now, if they are those of a commit.
fn keep_classes(
    oracle: &mut EngineOracle<'_, '_>,
    mut built: Vec<Built>,
    classes: Classes,
) -> Result<(), Failure> {
    let root = oracle.root().to_owned();
    let Some(commit) = git::head(&root).filter(|_| git::is_clean(&root)) else { return Ok(()) };
    // Not all of them may be meant this time.
    let mut tests: BTreeSet<TestId> = oracle.suite().tests().iter().map(|test| test.id.clone()).collect();
    for known in built.extract_if(.., |built| built.commit == commit) {
        tests.extend(known.tests);
    }
    built.push(Built { commit, classes, tests });
    built.drain(..built.len().saturating_sub(KEPT));
    let json = serde_json::to_vec(&built).expect("classes have a JSON form");
    Ok(oracle.memory().save_note(NOTE, &packed(json))?)
}

/// All files that differ.
fn files_of(changes: &Changes) -> Vec<String> {
    changes.data.iter().chain(&changes.everything).cloned().collect()
}

/// A source file that is gone, where nobody knows what its classes were and did.
fn gone_unknown(changes: &Changes, now: &Tree) -> Option<String> {
    let is_java = |path: &String| path.rsplit_once('.').is_some_and(|(_, ending)| ending == "java");
    let is_gone = |path: &&String| is_java(path) && !now.has(path);
    let gone = changes.data.iter().find(is_gone)?;
    Some(format!("{gone}, which is gone, and whose classes were not kept"))
}

fn all(suite: &Suite, what: &str) -> Selection {
    let why = || vec![Why::Everything { what: what.to_owned() }];
    let affected = suite.indices().map(|test| Selected { test, why: why() }).collect();
    Selection { everything: Some(what.to_owned()), affected, ..Selection::default() }
}
