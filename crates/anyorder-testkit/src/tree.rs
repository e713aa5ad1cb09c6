//! What a directory holds, in a form that can be compared: paths, kinds, modes and contents, but no times.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A directory at one moment.
#[derive(Debug, PartialEq, Eq)]
pub struct Digest(BTreeMap<PathBuf, Entry>);

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    /// Permissions and kind, as the system keeps them in one number.
    mode: u32,
    /// Of a file's bytes or a link's target; 0 for everything else.
    contents: u64,
}

/// Everything at and below `root`, except `.anyorder` directly in it, which is anyorder's own.
///
/// A root that does not exist holds nothing, not even itself.
pub fn digest(root: &Path) -> Digest {
    let mut entries = BTreeMap::new();
    read(root, Path::new(""), &mut entries);
    Digest(entries)
}

fn read(root: &Path, relative: &Path, entries: &mut BTreeMap<PathBuf, Entry>) {
    let place = root.join(relative);
    // What vanishes while we look is as good as gone before.
    let Ok(metadata) = fs::symlink_metadata(&place) else { return };
    let contents = if metadata.is_file() {
        fs::read(&place).map_or(0, |bytes| hash(&bytes))
    } else {
        fs::read_link(&place).map_or(0, |target| hash(target.as_os_str().as_bytes()))
    };
    entries.insert(relative.to_owned(), Entry { mode: metadata.permissions().mode(), contents });
    if metadata.is_dir() {
        for entry in fs::read_dir(&place).into_iter().flatten().flatten() {
            let below = relative.join(entry.file_name());
            if below != Path::new(".anyorder") {
                read(root, &below, entries);
            }
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

impl Digest {
    /// The same without one path, and whatever is below it.
    #[must_use]
    pub fn without(mut self, relative: &Path) -> Self {
        self.0.retain(|path, _| !path.starts_with(relative));
        self
    }

    /// The same without directories of this name, wherever they are.
    #[must_use]
    pub fn without_any(mut self, name: &str) -> Self {
        self.0.retain(|path, _| !path.iter().any(|part| part == name));
        self
    }

    /// What is different in `after`, one line each.
    pub fn changes(&self, after: &Digest) -> Vec<String> {
        let mut changes = Vec::new();
        for (path, before) in &self.0 {
            match after.0.get(path) {
                None => changes.push(format!("deleted: {}", path.display())),
                Some(now) if now.mode != before.mode => {
                    changes.push(format!("mode {:o} -> {:o}: {}", before.mode, now.mode, path.display()));
                }
                Some(now) if now != before => changes.push(format!("written: {}", path.display())),
                Some(_) => {}
            }
        }
        let made = after.0.keys().filter(|path| !self.0.contains_key(*path));
        changes.extend(made.map(|path| format!("made: {}", path.display())));
        changes
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn set_mode(home: &Path, mode: u32) {
        fs::set_permissions(home.join("file"), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn changes_after(change: impl FnOnce(&Path)) -> Vec<String> {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("file"), "text").unwrap();
        set_mode(home.path(), 0o644);
        fs::create_dir(home.path().join("below")).unwrap();
        symlink("file", home.path().join("link")).unwrap();
        let before = digest(home.path());
        change(home.path());
        before.changes(&digest(home.path()))
    }

    #[test]
    fn every_kind_of_change_is_told() {
        assert_eq!(changes_after(|_| {}), [""; 0]);
        assert_eq!(changes_after(|home| fs::write(home.join("file"), "tex2").unwrap()), ["written: file"]);
        assert_eq!(changes_after(|home| fs::write(home.join("new"), "").unwrap()), ["made: new"]);
        assert_eq!(changes_after(|home| fs::remove_dir(home.join("below")).unwrap()), ["deleted: below"]);
        let relinked = |home: &Path| {
            fs::remove_file(home.join("link")).unwrap();
            symlink("below", home.join("link")).unwrap();
        };
        assert_eq!(changes_after(relinked), ["written: link"]);
        assert_eq!(changes_after(|home| set_mode(home, 0o600)), ["mode 100644 -> 100600: file"]);
    }

    #[test]
    fn only_the_directory_at_the_top_is_anyorder_s_own() {
        assert_eq!(changes_after(|home| fs::create_dir(home.join(".anyorder")).unwrap()), [""; 0]);
        let below = |home: &Path| fs::create_dir(home.join("below/.anyorder")).unwrap();
        assert_eq!(changes_after(below), ["made: below/.anyorder"]);
    }

    #[test]
    fn a_directory_that_has_vanished_has_lost_everything() {
        let lost = changes_after(|home| fs::remove_dir_all(home).unwrap());
        assert_eq!(lost, ["deleted: ", "deleted: below", "deleted: file", "deleted: link"]);
    }
}
