//! Copies of the project, one for each worker, for where the kernel refuses layers.
//!
//! A copy is brought back to a remembered state before each order: files are compared by what the system says of them
//! (a change cannot hide from `ctime`), and only those that differ are written again. A state that several orders go on
//! from is remembered with the contents that changed on the way there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::change::Kept;
use super::content::{self, Content, Mark, is_out_of_reach, mark_of, pristine_content, remove};
use super::roots;
use crate::error::EngineError;

/// Everything in a copy, by its path inside it.
type Contents = BTreeMap<PathBuf, Arc<Content>>;

/// A state of a copy that can be brought back.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot(Arc<Contents>);

/// The copies of one project.
#[derive(Debug)]
pub(crate) struct Copies {
    /// The work tree that the project belongs to.
    original: PathBuf,
    /// Where the pristine contents, what was saved, and the copies are.
    directory: PathBuf,
    pristine: Snapshot,
    saved: AtomicU64,
}

/// One copy, together with a directory for temporary files.
#[derive(Debug)]
pub(crate) struct Copy {
    root: PathBuf,
    /// What is known to be there, with the mark that files have as long as it is.
    present: BTreeMap<PathBuf, (Arc<Content>, Option<Mark>)>,
}

/// A larger work tree is not copied.
const LARGEST: u64 = 4 << 30;

const TREE: &str = "project";
const TEMPORARY: &str = "tmp";

impl Copies {
    /// Copies the work tree of `project` once, into `directory`.
    pub(crate) fn new(project: &Path, directory: PathBuf) -> io::Result<Self> {
        let original = roots::repository(project);
        let store = directory.join("pristine");
        fs::create_dir_all(&store)?;
        let mut contents = Contents::new();
        contents.insert(PathBuf::from(TREE), Arc::new(Content::Directory { mode: 0o755 }));
        contents.insert(PathBuf::from(TEMPORARY), Arc::new(Content::Directory { mode: 0o700 }));
        let mut open = vec![PathBuf::new()];
        let (mut number, mut size) = (0, 0);
        while let Some(inside) = open.pop() {
            for entry in fs::read_dir(original.join(&inside)).into_iter().flatten().flatten() {
                let relative = inside.join(entry.file_name());
                let Ok(metadata) = entry.metadata() else { continue };
                number += 1;
                size += if metadata.is_file() { metadata.size() } else { 0 };
                if size > LARGEST {
                    return Err(io::Error::other(format!(
                        "`{}` is too large to be copied",
                        original.display()
                    )));
                }
                let saved = store.join(number.to_string());
                let content = match pristine_content(&entry.path(), &metadata, saved) {
                    Err(error) if is_out_of_reach(&error) => continue,
                    content => content?,
                };
                let Some(content) = content else { continue };
                if matches!(content, Content::Directory { .. }) {
                    open.push(relative.clone());
                }
                contents.insert(Path::new(TREE).join(relative), Arc::new(content));
            }
        }
        Ok(Copies { original, directory, pristine: Snapshot(Arc::new(contents)), saved: AtomicU64::new(0) })
    }

    /// From now on the state that nobody has touched has these files.
    pub(crate) fn show(&mut self, kept: &[Kept]) -> Result<(), EngineError> {
        let original = self.original.canonicalize().map_err(EngineError::Scratch)?;
        let contents = Arc::make_mut(&mut self.pristine.0);
        for file in kept {
            let inside = file.path.strip_prefix(&original).unwrap_or(&file.path);
            let Some(source) = &file.source else {
                contents.remove(&Path::new(TREE).join(inside));
                continue;
            };
            let mode = fs::metadata(source).map_err(EngineError::Scratch)?.mode() & 0o7777;
            for above in inside.ancestors().skip(1) {
                let directory = Arc::new(Content::Directory { mode: 0o755 });
                let there = contents.entry(Path::new(TREE).join(above)).or_insert(directory);
                if !is_directory(Some(there)) {
                    return Err(file.refused("it is in a directory that is not copied"));
                }
            }
            let content = Content::File { source: source.clone(), mode };
            contents.insert(Path::new(TREE).join(inside), Arc::new(content));
        }
        Ok(())
    }

    /// The state that nobody has touched yet.
    pub(crate) fn pristine(&self) -> &Snapshot {
        &self.pristine
    }

    /// A copy in that state.
    pub(crate) fn copy(&self, number: usize) -> io::Result<Copy> {
        let root = self.directory.join(number.to_string());
        fs::create_dir_all(&root)?;
        let mut copy = Copy { root, present: BTreeMap::new() };
        copy.restore(&self.pristine)?;
        Ok(copy)
    }

    /// Where `path` of the user's tree is in a copy.
    pub(crate) fn moved(&self, path: &Path, copy: &Copy) -> PathBuf {
        path.strip_prefix(&self.original).map_or_else(|_| path.to_owned(), |inside| copy.tree().join(inside))
    }

    /// The work tree that was copied.
    pub(crate) fn original(&self) -> &Path {
        &self.original
    }

    /// Remembers the present state of `copy`.
    pub(crate) fn snapshot(&self, copy: &mut Copy) -> io::Result<Snapshot> {
        let mut contents = Contents::new();
        for (path, metadata) in copy.walk() {
            let content = match copy.known(&path, &metadata) {
                Some(content) => content,
                None => Arc::new(self.save(&copy.root.join(&path), &metadata)?),
            };
            copy.note(&path, &content);
            contents.insert(path, content);
        }
        copy.present.retain(|path, _| contents.contains_key(path));
        Ok(Snapshot(Arc::new(contents)))
    }

    fn save(&self, path: &Path, metadata: &Metadata) -> io::Result<Content> {
        let number = self.saved.fetch_add(1, Ordering::Relaxed);
        content::content(path, metadata, self.directory.join(format!("pristine/s{number}")))
    }
}

impl Copy {
    /// The project's work tree in this copy.
    pub(crate) fn tree(&self) -> PathBuf {
        self.root.join(TREE)
    }

    /// The directory for temporary files.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.root.join(TEMPORARY)
    }

    /// Makes everything as it was.
    pub(crate) fn restore(&mut self, snapshot: &Snapshot) -> io::Result<()> {
        let mut right = BTreeSet::new();
        for (path, metadata) in self.walk() {
            let known = self.known(&path, &metadata);
            let wanted = snapshot.0.get(&path);
            if known.as_ref().zip(wanted).is_some_and(|(known, wanted)| known == wanted) {
                right.insert(path);
            } else if !is_directory(wanted) || !metadata.is_dir() {
                remove(&self.root.join(&path))?;
            }
        }
        for (path, content) in snapshot.0.iter() {
            if !right.contains(path) {
                content.write(&self.root.join(path))?;
                self.note(path, content);
            }
        }
        self.present.retain(|path, _| snapshot.0.contains_key(path));
        Ok(())
    }

    /// Everything there is, directories before what is in them.
    fn walk(&self) -> Vec<(PathBuf, Metadata)> {
        let mut found = Vec::new();
        let mut open = vec![PathBuf::new()];
        while let Some(inside) = open.pop() {
            for entry in fs::read_dir(self.root.join(&inside)).into_iter().flatten().flatten() {
                let Ok(metadata) = entry.metadata() else { continue };
                let path = inside.join(entry.file_name());
                if metadata.is_dir() {
                    open.push(path.clone());
                }
                found.push((path, metadata));
            }
        }
        found
    }

    /// What is at `path`, unless it has changed since it was noted.
    fn known(&self, path: &Path, metadata: &Metadata) -> Option<Arc<Content>> {
        let (content, mark) = self.present.get(path)?;
        let is_same = match **content {
            Content::Directory { mode } => metadata.is_dir() && metadata.mode() & 0o7777 == mode,
            Content::Link(_) | Content::File { .. } => *mark == Some(mark_of(metadata)),
        };
        is_same.then(|| Arc::clone(content))
    }

    fn note(&mut self, path: &Path, content: &Arc<Content>) {
        let mark = fs::symlink_metadata(self.root.join(path)).ok().as_ref().map(mark_of);
        self.present.insert(path.to_owned(), (Arc::clone(content), mark));
    }
}

fn is_directory(content: Option<&Arc<Content>>) -> bool {
    content.is_some_and(|content| matches!(**content, Content::Directory { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn listing(root: &Path) -> Vec<(PathBuf, Option<String>)> {
        let copy = Copy { root: root.to_owned(), present: BTreeMap::new() };
        let mut found: Vec<_> = copy
            .walk()
            .into_iter()
            .map(|(path, _)| (path.clone(), fs::read_to_string(root.join(path)).ok()))
            .collect();
        found.sort();
        found
    }

    #[test]
    fn a_copy_comes_back_to_every_state_that_was_remembered() {
        let base = tempfile::tempdir().unwrap();
        let project = base.path().join("p");
        fs::create_dir_all(project.join("sub")).unwrap();
        fs::write(project.join("a"), "one").unwrap();
        fs::write(project.join("sub/b"), "two").unwrap();
        symlink("a", project.join("link")).unwrap();
        let copies = Copies::new(&project, base.path().join("copies")).unwrap();
        let mut copy = copies.copy(0).unwrap();
        let pristine = listing(&copy.root);
        assert_eq!(listing(&project).len() + 2, pristine.len());

        fs::write(copy.tree().join("a"), "two").unwrap();
        fs::remove_dir_all(copy.tree().join("sub")).unwrap();
        fs::write(copy.temporary().join("t"), "three").unwrap();
        fs::remove_file(copy.tree().join("link")).unwrap();
        fs::create_dir(copy.tree().join("link")).unwrap();
        let (changed, kept) = (listing(&copy.root), copies.snapshot(&mut copy).unwrap());

        for (snapshot, expected) in
            [(copies.pristine(), &pristine), (&kept, &changed), (copies.pristine(), &pristine)]
        {
            fs::write(copy.tree().join("rubbish"), "").unwrap();
            fs::write(copy.tree().join("a"), "six").unwrap();
            copy.restore(snapshot).unwrap();
            assert_eq!(&listing(&copy.root), expected);
        }
        assert_eq!(fs::read_to_string(project.join("a")).unwrap(), "one");
    }
}
