//! What a change of a Java project concerns, by the class files of now and those that were kept.
//!
//! Nobody builds the files of then, so whether a finding was there before is told by what earlier commands have found.

use std::sync::Arc;

use anyorder_change::{Changes, ClassRule, Classes, Since, changes, select_classes};
use anyorder_engine::Engine;
use anyorder_model::{Selected, Selection, Suite, Why};
use serde::{Deserialize, Serialize};

use crate::concern::{Concern, Wishes, since};
use crate::failure::Failure;
use crate::git;
use crate::memory::{packed, unpacked};
use crate::oracle::EngineOracle;

/// Classes are kept under this name, of so many commits.
const NOTE: &str = "classes";
const KEPT: usize = 5;

/// The classes of a commit.
#[derive(Serialize, Deserialize)]
struct Built {
    commit: String,
    classes: Classes,
}

/// Which tests the change concerns, and why.
pub(crate) fn concern_of_classes(
    oracle: &mut EngineOracle<'_, '_>,
    engine: &Engine,
    wishes: &Wishes<'_>,
) -> Result<Concern, Failure> {
    let root = oracle.root().to_owned();
    let kept = oracle.memory().profiles()?;
    let mut built: Vec<Built> = oracle
        .memory()
        .note(NOTE)?
        .and_then(|bytes| serde_json::from_slice(&unpacked(bytes)?).ok())
        .unwrap_or_default();
    let (Since { commit, old, new }, lost) = since(&root, &kept, wishes.since)?;
    let changes = changes(&old, &new);
    let unreadable = |error: std::io::Error| {
        Failure::usage(format!("cannot read the classes of the build: {error}"), "compile the project again")
    };
    let classes = Classes::on(engine.driver().class_path()).map_err(unreadable)?;
    let then = built.iter().find(|built| built.commit == commit).map(|built| &built.classes);
    let files = files_of(&changes);
    let rule = ClassRule { old: then, new: &classes, files: &files, select: wishes.select };
    let selection = match &lost {
        Some(what) => all(engine.suite(), what),
        None => select_classes(engine.suite(), rule),
    };
    if let Some(commit) = git::head(&root).filter(|_| wishes.may_watch && git::is_clean(&root)) {
        built.retain(|built| built.commit != commit);
        built.push(Built { commit, classes });
        built.drain(..built.len().saturating_sub(KEPT));
        let json = serde_json::to_vec(&built).expect("classes have a JSON form");
        oracle.memory().save_note(NOTE, &packed(json))?;
    }
    Ok(Concern {
        selection: Arc::new(selection),
        since: commit,
        changes,
        can_go_back: false,
        green: kept.green,
        is_lost: lost.is_some(),
        stopped_early: None,
    })
}

/// All files that differ.
fn files_of(changes: &Changes) -> Vec<String> {
    changes.data.iter().chain(&changes.everything).cloned().collect()
}

fn all(suite: &Suite, what: &str) -> Selection {
    let why = || vec![Why::Everything { what: what.to_owned() }];
    let affected = suite.indices().map(|test| Selected { test, why: why() }).collect();
    Selection { everything: Some(what.to_owned()), affected, ..Selection::default() }
}
