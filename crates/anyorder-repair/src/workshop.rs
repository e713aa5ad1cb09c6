//! The world as repairing sees it: the suite as it is, the suite as a candidate would have it, and the files of both.

use std::collections::BTreeMap;

use anyorder_model::{Change, Halted, Oracle};

/// Answers questions about a suite and about changed copies of it.
pub trait Workshop {
    /// The suite as it is.
    fn as_is(&mut self) -> &mut dyn Oracle;

    /// Whether code that nobody has called yet can do no harm to the user's files.
    fn may_call_anything(&self) -> bool;

    /// From now on as much time may pass as it takes: something is to be brought to its end.
    fn take_time(&mut self);

    /// Does `work` on the suite with these files changed. The user's own files stay as they are.
    fn with(&mut self, changes: &[Change], work: &mut dyn FnMut(&mut dyn Oracle)) -> Result<(), Unopened>;
}

/// Why a changed suite could not be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unopened {
    /// Nothing more can be asked.
    Halted(Halted),
    /// It cannot be collected any more, or not be shown to the tests.
    Refused(String),
}

/// Files of the project, and of packages that it uses.
pub trait Files {
    /// What is in a file: its path is relative to the suite's root, or absolute.
    fn read(&self, path: &str) -> Option<Vec<u8>>;

    /// Where tests have their temporary files, from the root of the disk.
    fn temporary(&self) -> String;
}

/// The project's files with some changed.
#[derive(Clone)]
pub(crate) struct Tree<'a> {
    files: &'a dyn Files,
    changed: BTreeMap<String, Vec<u8>>,
}

impl<'a> Tree<'a> {
    pub(crate) fn new(files: &'a dyn Files) -> Self {
        Tree { files, changed: BTreeMap::new() }
    }

    /// What is in a file now.
    pub(crate) fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.changed.get(path).cloned().or_else(|| self.files.read(path))
    }

    /// Where tests have their temporary files.
    pub(crate) fn temporary(&self) -> String {
        self.files.temporary()
    }

    pub(crate) fn write(&mut self, path: &str, contents: Vec<u8>) {
        self.changed.insert(path.to_owned(), contents);
    }

    /// The same files with nothing changed.
    pub(crate) fn untouched(&self) -> Self {
        Tree::new(self.files)
    }

    /// All that differs from the user's own files.
    pub(crate) fn changes(&self) -> Vec<Change> {
        let change = |(path, after): (&String, &Vec<u8>)| {
            let before = self.files.read(path);
            (before.as_ref() != Some(after)).then(|| Change {
                path: path.clone(),
                before,
                after: after.clone(),
            })
        };
        self.changed.iter().filter_map(change).collect()
    }
}
