//! The files of a project at one time, as values.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use anyorder_source::{Digest, Parts};

use crate::settings::that_count;

/// The files of a project at one time. Cheap to clone.
///
/// Paths are relative to the suite's root, with forward slashes; those of files of the repository that are not below the root
/// begin with `../`. Bytes of a path that are not UTF-8 are written as `\xff`.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub(crate) files: BTreeMap<String, Arc<File>>,
}

/// A file. Trees share those that are the same in both, so each is read once.
#[derive(Debug)]
pub(crate) struct File {
    /// Of its contents, and of what sort of file it is.
    pub(crate) digest: Digest,
    /// Kept of Python files only.
    contents: Vec<u8>,
    parts: OnceLock<Option<Parts>>,
}

impl Tree {
    /// A tree with these files.
    pub fn new<P: Into<String>, C: AsRef<[u8]>>(files: impl IntoIterator<Item = (P, C)>) -> Self {
        let files = files.into_iter().map(|(path, contents)| {
            let path = path.into();
            let file = File::new(&path, contents.as_ref(), b"");
            (path, Arc::new(file))
        });
        Tree { files: files.collect() }
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether there is such a file.
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The parts of a Python file; nothing if there is none, or none that can be read.
    pub(crate) fn parts(&self, path: &str) -> Option<&Parts> {
        self.files.get(path).and_then(|file| file.parts())
    }

    /// All Python files.
    pub(crate) fn python(&self) -> impl Iterator<Item = (&str, &File)> {
        self.files.iter().filter(|(path, _)| is_python(path)).map(|(path, file)| (path.as_str(), &**file))
    }
}

impl File {
    /// A file with these contents. `sort` tells links and programs apart from files that hold the same.
    pub(crate) fn new(path: &str, contents: &[u8], sort: &[u8]) -> Self {
        let contents = &*that_count(path, contents);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[u8::try_from(sort.len()).unwrap_or(u8::MAX)]).update(sort).update(contents);
        let contents = if is_python(path) { contents.to_vec() } else { Vec::new() };
        File { digest: short(&hasher), contents, parts: OnceLock::new() }
    }

    /// One of which nobody knows what was in it.
    pub(crate) fn unreadable(digest: Digest) -> Self {
        File { digest, contents: Vec::new(), parts: OnceLock::from(None) }
    }

    /// Nothing if it cannot be read.
    pub(crate) fn parts(&self) -> Option<&Parts> {
        self.parts.get_or_init(|| Parts::read(&self.contents).ok()).as_ref()
    }
}

pub(crate) fn is_python(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == "py")
}

/// As many bytes of a digest as are kept.
pub(crate) fn short(hasher: &blake3::Hasher) -> Digest {
    let mut digest = Digest::default();
    let length = digest.len();
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..length]);
    digest
}
