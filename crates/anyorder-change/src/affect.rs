//! Which tests may do something else than before.
//!
//! Knows what changed, what each test ran, and what was imported for it. Does not know what tests do to each other.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Selected, Suite, Test, TestId, TestIndex, Why};

use roaring::RoaringBitmap;

use crate::changes::{Changed, How};
use crate::elements::{class_of, last};
use crate::ground::Ground;
use crate::imports::{Concerned, Loaded};
use crate::profiles::{Recorded, function_of};
use crate::remarks::Remarks;
use crate::stamp::Stamper;
use crate::{Changes, Imports, OldProfiles};

/// How many reasons of a test are told.
const REASONS: usize = 8;

/// How affected tests are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rts {
    /// By the code that each test ran when it was profiled; without a profile that holds, by imports.
    #[default]
    Dynamic,
    /// By imports alone.
    Static,
}

/// Tests that may do something else than before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affected {
    /// In the order of the suite.
    pub tests: Vec<Selected>,
    /// What makes all of them affected, if something does.
    pub everything: Option<String>,
    /// Tests that have a profile and are no longer there.
    pub deleted: Vec<TestId>,
    /// Tests that are not affected, but have no profile that holds: to be profiled before [`crate::related`] is asked.
    pub unknown: Vec<TestIndex>,
}

/// The tests of the suite that a change may concern, with the reasons.
pub fn affected(
    suite: &Suite,
    changes: &Changes,
    old: &OldProfiles,
    rts: Rts,
    imports: &Imports,
) -> Affected {
    let judge = Judge::new(changes, old, rts, imports);
    let mut affected = Affected {
        everything: (!changes.everything.is_empty()).then(|| changes.everything.join(", ")),
        deleted: deleted(suite, old, &judge),
        ..Affected::default()
    };
    for test in suite.indices() {
        let recorded = old.get(suite.id(test)).filter(|recorded| judge.holds(recorded));
        let why = judge.reasons(suite.test(test), recorded);
        if !why.is_empty() {
            affected.tests.push(Selected { test, why });
        } else if recorded.is_none() {
            affected.unknown.push(test);
        }
    }
    affected
}

/// All that is needed to judge a test.
struct Judge<'a> {
    changes: &'a Changes,
    old: &'a OldProfiles,
    rts: Rts,
    imports: &'a Imports,
    concerned: [Concerned; 2],
    /// Made when the first profile is looked at.
    stampers: OnceCell<[Stamper<'a>; 2]>,
    /// Functions that have profiles with some parameters.
    known: BTreeSet<(String, String)>,
    remarks: Remarks<'a>,
}

impl<'a> Judge<'a> {
    fn new(changes: &'a Changes, old: &'a OldProfiles, rts: Rts, imports: &'a Imports) -> Self {
        let trees = [&imports.old, &imports.new];
        let recorded = old.by_id.values().map(|recorded| &recorded.test);
        let known = recorded.filter_map(|test| Some((test.file.clone(), function_of(test)?)));
        Judge {
            changes,
            old,
            rts,
            imports,
            concerned: trees.map(|loaded| loaded.concerned(changes)),
            stampers: OnceCell::new(),
            known: known.collect(),
            remarks: Remarks::new(imports),
        }
    }

    /// Whether a profile tells what its test did before the change, or does now.
    fn holds(&self, recorded: &Recorded) -> bool {
        let stamp = |stamper: &Stamper| stamper.stamp(&recorded.test, &recorded.profile, &self.old.root);
        let stampers = self.stampers.get_or_init(|| self.imports.of_stamps().map(Stamper::new));
        stampers.iter().any(|stamper| stamp(stamper) == recorded.stamp)
    }

    fn reasons(&self, test: &Test, recorded: Option<&Recorded>) -> Vec<Why> {
        let everything = self.changes.everything.iter().map(|what| Why::Everything { what: what.clone() });
        let mut why: BTreeSet<Why> = everything.collect();
        if self.is_new(test) {
            why.insert(Why::New);
        }
        let profile = recorded.filter(|_| self.rts == Rts::Dynamic).map(|recorded| &recorded.profile);
        let ground = Ground::new(test, profile, &self.old.root);
        why.extend(self.reasons_on(&ground));
        let own = self.changes.data.iter().filter(|file| **file == test.file);
        why.extend(own.map(|file| Why::Data { file: file.clone() }));
        why.into_iter().take(REASONS).collect()
    }

    fn reasons_on(&self, ground: &Ground<'_>) -> Vec<Why> {
        let reach = [&self.imports.old, &self.imports.new].map(|loaded| ground.reach(loaded));
        let mut why = Vec::new();
        let mut noticed: BTreeMap<How, bool> = BTreeMap::new();
        for (at, changed) in self.changes.elements.iter().enumerate() {
            let how = changed.how;
            if !*noticed.entry(how).or_insert_with(|| self.remarks.may_notice(how, ground, &reach)) {
                continue;
            }
            let sides = self.concerned.iter().zip(&reach);
            let is_imported = sides.into_iter().any(|(side, reach)| !side.elements[at].is_disjoint(reach));
            let is_loaded =
                [&self.imports.old, &self.imports.new].iter().zip(&reach).any(|(loaded, reach)| {
                    loaded.graph.number(&changed.at.file).is_some_and(|number| reach.contains(number))
                });
            let (element, at) = (changed.element.clone(), changed.at.clone());
            if is_loaded && self.is_touched(ground, changed) {
                why.push(Why::Touches { element, at });
            } else if is_imported || is_loaded && ground.touched.is_none() {
                why.push(Why::Imports { element, at });
            }
        }
        for (at, file) in self.changes.data.iter().enumerate() {
            let comes_or_goes = ![&self.imports.old, &self.imports.new]
                .iter()
                .all(|loaded| loaded.tree.files.contains_key(file));
            let is_concerned = |(side, reach): (&Concerned, &RoaringBitmap)| {
                let opening = &side.data[at];
                opening.concerns(reach, ground.opened.as_ref()) || comes_or_goes && opening.may_concern(reach)
            };
            if self.concerned.iter().zip(&reach).any(is_concerned) {
                why.push(Why::Data { file: file.clone() });
            }
        }
        why
    }

    /// Whether the test ran a function, or may find another one by its name than before.
    fn is_touched(&self, ground: &Ground<'_>, changed: &Changed) -> bool {
        let file = &changed.at.file;
        if let (Some(_), Some(name)) = (&ground.touched, &changed.name) {
            return ground.knows(file, name);
        }
        let (Some(touched), Some(function)) = (&ground.touched, &changed.function) else { return false };
        let is_other = changed.how != How::Body && ground.may_look_up(function);
        let comes_or_goes = matches!(changed.how, How::Added | How::Deleted);
        let is_dispatched = || {
            comes_or_goes
                && class_of(function).is_some_and(|class| touched.has_method_of(file, class))
                && self.has_sibling(file, function)
        };
        touched.has(file, function) || is_other || is_dispatched()
    }

    /// Whether other methods begin alike, as `visit_a` and `visit_b`: such are called by names that are put together.
    fn has_sibling(&self, file: &str, function: &str) -> bool {
        let start = |name: &str| {
            last(name).trim_start_matches('_').split_once('_').map(|(start, _)| start.to_owned())
        };
        let Some(own) = start(function).filter(|start| start != "test") else { return false };
        let parts =
            [&self.imports.old, &self.imports.new].into_iter().filter_map(|loaded| loaded.tree.parts(file));
        let mut names = parts.flat_map(|parts| &parts.parts).map(|part| &part.name);
        names.any(|name| {
            name != function
                && class_of(name) == class_of(function)
                && start(name).is_some_and(|start| start == own)
        })
    }

    /// Whether a test was not there before, or not with these parameters.
    fn is_new(&self, test: &Test) -> bool {
        let Some(function) = function_of(test) else { return false };
        let is_there = |loaded: &Loaded, name: &str| {
            loaded.tree.parts(&test.file).is_some_and(|parts| parts.part(name).is_some())
        };
        let has_come = |name: &str| is_there(&self.imports.new, name) && !is_there(&self.imports.old, name);
        let has_come = has_come(&function) || class_of(&function).is_some_and(has_come);
        let is_file_new = !self.imports.old.tree.files.contains_key(&test.file);
        let has_other_parameters =
            self.old.get(&test.id).is_none() && self.known.contains(&(test.file.clone(), function));
        has_come || is_file_new || has_other_parameters
    }
}

/// Tests with profiles that are no longer there. Those that were only not collected this time are; and parameters that went are
/// deleted by this change only if it may concern them, or their profile tells what they did right before it.
fn deleted(suite: &Suite, old: &OldProfiles, judge: &Judge<'_>) -> Vec<TestId> {
    let imports = judge.imports;
    let collected: BTreeSet<(&str, String)> =
        suite.tests().iter().filter_map(|test| Some((test.file.as_str(), function_of(test)?))).collect();
    let is_gone = |recorded: &&Recorded| {
        let test = &recorded.test;
        let Some(function) = function_of(test) else { return true };
        let was_there = |loaded: &Loaded| {
            loaded.tree.parts(&test.file).is_some_and(|parts| parts.part(&function).is_some())
        };
        let is_in_file = was_there(&imports.new);
        let is_collected = collected.contains(&(test.file.as_str(), function.clone()));
        !is_in_file && (was_there(&imports.old) || !imports.new.tree.files.contains_key(&test.file))
            || is_collected && (judge.holds(recorded) || !judge.reasons(test, None).is_empty())
    };
    let absent = old.by_id.values().filter(|recorded| suite.index_of(&recorded.test.id).is_none());
    absent.filter(is_gone).map(|recorded| recorded.test.id.clone()).collect()
}
