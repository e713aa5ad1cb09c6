//! The files of a project at one time, as values.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The files of a project at one time. Cheap to clone.
///
/// Paths are relative to the suite's root, with forward slashes; files of the repository that are not below the root begin
/// with `../`. Bytes of a path that are not UTF-8 are written as `\xff`.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    files: BTreeMap<String, Arc<[u8]>>,
}

impl Tree {
    /// A tree with these files.
    pub fn new<P: Into<String>, C: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, C)>) -> Self {
        let files = files.into_iter().map(|(path, contents)| (path.into(), Arc::from(contents.into())));
        Tree { files: files.collect() }
    }
}
