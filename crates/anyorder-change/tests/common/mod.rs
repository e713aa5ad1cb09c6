//! Projects and profiles, written down by hand.

#![allow(dead_code, reason = "each file of tests uses a part of it")]

use std::path::Path;

use anyorder_change::{
    Affected, Changes, Imports, OldProfiles, Recorded, Records, Rts, Stamp, Tree, affected, changes,
};
use anyorder_model::{
    Cell, CellKind, Code, Outcome, Profile, Selected, Step, Suite, Test, TestId, TestIndex, Why, Write,
};

pub(crate) const ROOT: &str = "/project";
/// No code, or no reads.
pub(crate) const NONE: &[&str] = &[];

pub(crate) fn tree<P: AsRef<str>, C: AsRef<str>>(files: &[(P, C)]) -> Tree {
    Tree::new(files.iter().map(|(path, contents)| (path.as_ref(), contents.as_ref())))
}

pub(crate) fn test(id: &str) -> Test {
    let file = id.split("::").next().unwrap().to_owned();
    Test { id: TestId(id.to_owned()), group: file.clone(), file, line: 1, markers: vec![] }
}

pub(crate) fn suite(ids: &[&str]) -> Suite {
    Suite::new("pytest", ids.iter().map(|id| test(id)).collect())
}

/// A profile with this code, as `file:function`, and these reads.
pub(crate) fn ran<S: AsRef<str>, T: AsRef<str>>(code: &[S], reads: &[T]) -> Profile {
    let code = code.iter().map(|place| {
        let (file, function) = place.as_ref().split_once(':').unwrap();
        Code { file: file.to_owned(), function: function.to_owned(), line: 1 }
    });
    Profile {
        test: TestIndex(0),
        alone: Step::bare(TestIndex(0), Outcome::Passed),
        again: None,
        writes: vec![],
        reads: reads.iter().map(|name| name.as_ref().to_owned()).collect(),
        code: code.collect(),
        opened: None,
    }
}

/// A cell that code mentions by its own path.
pub(crate) fn write(path: &str) -> Write {
    let cell = Cell {
        path: path.to_owned(),
        kind: CellKind::Global,
        before: "0".to_owned(),
        after: "1".to_owned(),
        names: vec![path.to_owned()],
        key: path.to_owned(),
        place: String::new(),
    };
    Write { cell, is_torn_down: false, is_unstable: false, is_elsewhere: false }
}

/// Profiles that were made in this tree.
pub(crate) fn recorded(tree: &Tree, profiles: Vec<(&str, Profile)>) -> OldProfiles {
    let tests: Vec<(Test, Profile)> = profiles.into_iter().map(|(id, profile)| (test(id), profile)).collect();
    let borrowed: Vec<(&Test, &Profile)> = tests.iter().map(|(test, profile)| (test, profile)).collect();
    let stamps = Stamp::of(tree, None, Path::new(ROOT), &borrowed);
    let all = tests.into_iter().zip(stamps);
    OldProfiles::new(Path::new(ROOT), all.map(|((test, profile), stamp)| Recorded { test, profile, stamp }))
}

/// Between two trees.
pub(crate) struct Between {
    pub(crate) changes: Changes,
    pub(crate) imports: Imports,
}

pub(crate) fn between(old: &Tree, new: &Tree) -> Between {
    Between { changes: changes(old, new), imports: Imports::new(old, new, &Records::default()) }
}

impl Between {
    pub(crate) fn affected(&self, suite: &Suite, old: &OldProfiles, rts: Rts) -> Affected {
        affected(suite, &self.changes, old, rts, &self.imports)
    }
}

/// The tests of a selection, by name.
pub(crate) fn names<'a>(suite: &'a Suite, selected: &[Selected]) -> Vec<&'a str> {
    selected.iter().map(|one| suite.id(one.test).0.as_str()).collect()
}

/// Why a test is selected, in a few words.
pub(crate) fn why(suite: &Suite, selected: &[Selected], id: &str) -> Vec<String> {
    let is_it = |one: &&Selected| suite.id(one.test).0 == id;
    let one = selected.iter().find(is_it).unwrap_or_else(|| panic!("{id} is not selected"));
    one.why.iter().map(said).collect()
}

fn said(why: &Why) -> String {
    match why {
        Why::New => "new".to_owned(),
        Why::Touches { element, at } => format!("touches {element} at {}:{}", at.file, at.line),
        Why::Imports { element, at } => format!("imports {element} at {}:{}", at.file, at.line),
        Why::Data { file } => format!("data {file}"),
        Why::Loads { class } => format!("loads {class}"),
        Why::Everything { what } => format!("everything {what}"),
        Why::Shares { cell, with } => format!("shares {cell} with {with}"),
        Why::Opaque { what } => format!("opaque {what}"),
    }
}
