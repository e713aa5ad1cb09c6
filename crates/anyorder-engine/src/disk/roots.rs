//! Which directories a suite may write to, and what inside them has to stay as it is.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Where programs keep what belongs to the user. Not `XDG_RUNTIME_DIR`: it is for talking to other programs.
const HOMES: [&str; 5] = ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

/// The directories that every order gets for itself: outer ones first, none inside another on the same file system.
pub(crate) fn roots(project: &Path) -> Vec<PathBuf> {
    let homes = HOMES.iter().filter_map(env::var_os).map(PathBuf::from);
    let wanted = [env::temp_dir(), PathBuf::from("/tmp"), repository(project)];
    let found: BTreeSet<PathBuf> = wanted
        .into_iter()
        .chain(homes)
        .filter_map(|path| path.canonicalize().ok())
        .filter(|path| path.is_dir() && path.parent().is_some())
        .collect();
    let mut roots: Vec<PathBuf> = Vec::new();
    for path in found {
        let is_covered = |root: &PathBuf| path.starts_with(root) && device(root) == device(&path);
        if !roots.iter().any(is_covered) {
            roots.push(path);
        }
    }
    roots
}

/// The work tree that `project` belongs to, or `project` itself.
pub(crate) fn repository(project: &Path) -> PathBuf {
    project.ancestors().find(|path| path.join(".git").exists()).unwrap_or(project).to_owned()
}

fn device(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().map(|metadata| metadata.dev())
}

/// What must show through a layer over `roots`: file systems that are mounted inside them, which a layer would hide, and
/// sockets that somebody listens on, which cannot be reached through a layer; and what is `kept`.
pub(crate) fn shown_through(roots: &[PathBuf], scratch: &Path, kept: &[PathBuf]) -> Vec<PathBuf> {
    let inside = |path: &Path| roots.iter().any(|root| path.starts_with(root) && path != root);
    let found = mount_points().into_iter().chain(listening_sockets()).chain(kept.iter().cloned());
    let mut shown: Vec<PathBuf> = found.filter(|path| inside(path) && !path.starts_with(scratch)).collect();
    if inside(scratch) {
        shown.push(scratch.to_owned());
    }
    shown.sort();
    shown.dedup();
    shown.retain(|path| !roots.contains(path));
    shown
}

fn mount_points() -> Vec<PathBuf> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    table
        .lines()
        .filter_map(|line| line.split(' ').nth(4))
        .map(|path| PathBuf::from(unescaped(path)))
        .collect()
}

/// Spaces and the like stand in the table as three octal digits.
fn unescaped(path: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(path.to_owned(), |path, (code, character)| path.replace(code, character))
}

fn listening_sockets() -> Vec<PathBuf> {
    let table = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let paths = table.lines().skip(1).filter_map(|line| line.split_ascii_whitespace().nth(7));
    paths.filter(|path| path.starts_with('/')).map(PathBuf::from).filter(|path| path.exists()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_inside_another_needs_no_layer_of_its_own() {
        let directory = tempfile::tempdir().unwrap();
        let roots = roots(directory.path());
        assert!(roots.iter().any(|root| directory.path().canonicalize().unwrap().starts_with(root)));
        for root in &roots {
            assert!(
                !roots.iter().any(|other| {
                    other != root && root.starts_with(other) && device(other) == device(root)
                })
            );
        }
    }

    #[test]
    fn a_socket_that_somebody_listens_on_shows_through() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().canonicalize().unwrap();
        let socket = path.join("server");
        let _server = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(shown_through(std::slice::from_ref(&path), Path::new("/nowhere"), &[]).contains(&socket));
    }
}
