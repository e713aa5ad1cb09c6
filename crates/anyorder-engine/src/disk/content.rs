//! What is at one path: seen, kept where no test can reach it, and written again.
//!
//! Knows files, directories and links one at a time; does not know which of them belong to a state.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    Directory {
        mode: u32,
    },
    Link(PathBuf),
    /// A file as it stands elsewhere, where no test can reach it.
    File {
        source: PathBuf,
        mode: u32,
    },
}

/// What the system says of a file; any change shows here.
pub(super) type Mark = (u64, u64, i64, i64);

impl Content {
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        match self {
            Content::Link(target) => symlink(target, path),
            Content::Directory { mode } => {
                if !path.is_dir() {
                    fs::create_dir(path)?;
                }
                fs::set_permissions(path, fs::Permissions::from_mode(*mode))
            }
            Content::File { source, .. } => copy_file(source, path),
        }
    }
}

/// Something that has gone meanwhile, or that this user may not read, and so neither may the tests.
pub(super) fn is_out_of_reach(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
}

/// `None` for what is not copied at all: sockets and the like, and our own state.
pub(super) fn pristine_content(
    path: &Path,
    metadata: &Metadata,
    saved: PathBuf,
) -> io::Result<Option<Content>> {
    if metadata.is_dir() && is_left_in_place(path) {
        return Ok(Some(Content::Link(path.to_owned())));
    }
    let is_usual = metadata.is_dir() || metadata.is_symlink() || metadata.is_file();
    if !is_usual || path.file_name().is_some_and(|name| name == ".anyorder") {
        return Ok(None);
    }
    content(path, metadata, saved).map(Some)
}

/// Large, and not what tests write to: installed packages.
fn is_left_in_place(directory: &Path) -> bool {
    directory.join("pyvenv.cfg").exists() || directory.file_name().is_some_and(|name| name == "node_modules")
}

/// What is at `path`; a file's bytes are kept as `saved`.
pub(super) fn content(path: &Path, metadata: &Metadata, saved: PathBuf) -> io::Result<Content> {
    let mode = metadata.mode() & 0o7777;
    if metadata.is_dir() {
        return Ok(Content::Directory { mode });
    }
    if metadata.is_symlink() {
        return fs::read_link(path).map(Content::Link);
    }
    if metadata.is_file() {
        copy_file(path, &saved)?;
    } else {
        fs::write(&saved, "")?; // a socket or a pipe: nobody is at its other end any more
    }
    Ok(Content::File { source: saved, mode })
}

/// Contents, permissions and time of change.
pub(super) fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let modified = fs::metadata(from)?.modified()?;
    fs::File::options().read(true).open(to)?.set_modified(modified)
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) }; // with the directory it was in
    if metadata.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

pub(super) fn mark_of(metadata: &Metadata) -> Mark {
    (metadata.ino(), metadata.size(), metadata.ctime(), metadata.ctime_nsec())
}
