//! The tree of a revision and the tree that is worked on, from `git`.
//!
//! Knows which files git has and which it would offer to add. The only place here that starts a process or reads a disk;
//! nothing is written, not even git's own index.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::Tree;
use crate::blobs::{Blob, read_blobs};
use crate::git_error::GitError;
use crate::tree::File;

const LINK: &[u8] = b"link";
const PROGRAM: &[u8] = b"program";
const REPOSITORY: &[u8] = b"repository";

/// A repository, seen from the root of a suite in it.
#[derive(Clone, Debug)]
pub struct Repository {
    /// The directory that everything is tracked from.
    top: PathBuf,
    /// Where the root is in it, with a slash at the end; empty if it is the same.
    prefix: Vec<u8>,
}

/// Two trees to compare.
#[derive(Clone, Debug)]
pub struct Since {
    /// The commit that was meant, in full.
    pub commit: String,
    /// The files of that commit.
    pub old: Tree,
    /// The files as they are now: tracked or not, committed or not, but none that git ignores.
    pub new: Tree,
}

impl Repository {
    /// The repository that the root of a suite is part of.
    pub fn around(root: &Path) -> Result<Self, GitError> {
        let ask = |question: &str| {
            let answer = run(git(root).args(["rev-parse", question]))?;
            let line = answer.map_err(|complaint| {
                let is_outside = complaint.contains("not a git repository");
                if is_outside {
                    GitError::NoRepository(root.display().to_string())
                } else {
                    GitError::Refused(complaint)
                }
            })?;
            Ok(line.strip_suffix(b"\n").map_or(line.clone(), <[u8]>::to_vec))
        };
        let top = ask("--show-toplevel")?;
        let prefix = ask("--show-prefix")?;
        Ok(Repository { top: PathBuf::from(OsString::from_vec(top)), prefix })
    }

    /// The files of `revision` itself, not of where it parted from us, and the files as they are now.
    pub fn since(&self, revision: &str) -> Result<Since, GitError> {
        let commit = self.commit(revision)?;
        let new = self.now()?;
        let different = self.different(&commit)?;
        let names: BTreeSet<&[u8]> = different.iter().map(|file| file.path.as_slice()).collect();
        let mut old = Tree::default();
        let tracked = self.names(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", &commit])?;
        for path in tracked.iter().filter(|path| !names.contains(path.as_slice())) {
            let path = self.relative(path);
            // Git has another repository inside this one as a single thing; we have its files.
            let inside = format!("{path}/");
            let inside =
                new.files.range(inside.clone()..).take_while(|(below, _)| below.starts_with(&inside));
            let same = new.files.get_key_value(&path).into_iter().chain(inside);
            old.files.extend(same.map(|(path, file)| (path.clone(), Arc::clone(file))));
        }
        for (path, file) in self.old_files(different)? {
            old.files.insert(path, Arc::new(file));
        }
        Ok(Since { commit, old, new })
    }

    /// The files as they are now.
    pub fn now(&self) -> Result<Tree, GitError> {
        let listed = anyorder_store::source_files(&self.top);
        let mut tree = Tree::default();
        for path in listed {
            let name = self.relative(path.as_os_str().as_bytes());
            if let Some(file) = read(&name, &self.top.join(&path)) {
                tree.files.insert(name, Arc::new(file));
            }
        }
        Ok(tree)
    }

    fn commit(&self, revision: &str) -> Result<String, GitError> {
        let asked = format!("{revision}^{{commit}}");
        let say = |words: &[&str]| run(git(&self.top).arg("rev-parse").args(words));
        if let Ok(commit) = say(&["--verify", "--quiet", "--end-of-options", &asked])? {
            return Ok(text(&commit));
        }
        if say(&["--verify", "--quiet", "HEAD"])?.is_err() {
            return Err(GitError::NoCommit);
        }
        let is_shallow = say(&["--is-shallow-repository"])?.is_ok_and(|answer| text(&answer) == "true");
        Err(GitError::NoRevision { revision: revision.to_owned(), is_shallow })
    }

    /// The files that git tracks and that differ between the commit and now, as the commit has them.
    fn different(&self, commit: &str) -> Result<Vec<Blob>, GitError> {
        let options =
            ["--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-submodules=none", "--no-relative"];
        let output = ask(git(&self.top).arg("diff").args(options).args([commit, "--"]))?;
        let mut fields = output.split(|&byte| byte == 0);
        let mut found = Vec::new();
        while let (Some(facts), Some(path)) = (fields.next(), fields.next()) {
            found.extend(Blob::parse(facts, path));
        }
        Ok(found)
    }

    fn old_files(&self, different: Vec<Blob>) -> Result<Vec<(String, File)>, GitError> {
        let was_there: Vec<Blob> = different.into_iter().filter(|blob| !blob.is_absent()).collect();
        let (modules, blobs): (Vec<Blob>, Vec<Blob>) =
            was_there.into_iter().partition(|blob| blob.mode == "160000");
        let contents = read_blobs(&mut git(&self.top), &blobs)?;
        let read = blobs.into_iter().zip(contents).map(|(blob, contents)| {
            let name = self.relative(&blob.path);
            let sort = match blob.mode.as_str() {
                "120000" => LINK,
                "100755" => PROGRAM,
                _ => b"",
            };
            let file = File::new(&name, &contents, sort);
            (name, file)
        });
        let mut files: Vec<(String, File)> = read.collect();
        for module in modules {
            let name = self.relative(&module.path);
            let file = File::new(&name, module.id.as_bytes(), REPOSITORY);
            files.push((name, file));
        }
        Ok(files)
    }

    fn names(&self, words: &[&str]) -> Result<Vec<Vec<u8>>, GitError> {
        let output = ask(git(&self.top).args(words))?;
        Ok(output.split(|&byte| byte == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect())
    }

    /// As the suite's root sees a path of the repository.
    fn relative(&self, path: &[u8]) -> String {
        if let Some(below) = path.strip_prefix(self.prefix.as_slice()) {
            return written(below);
        }
        let mut steps: Vec<&[u8]> =
            self.prefix.split(|&byte| byte == b'/').filter(|step| !step.is_empty()).collect();
        let mut rest = path;
        while let Some(below) = steps.first().and_then(|step| rest.strip_prefix(*step)?.strip_prefix(b"/")) {
            steps.remove(0);
            rest = below;
        }
        format!("{}{}", "../".repeat(steps.len()), written(rest))
    }
}

/// Bytes that are no text are written out.
fn written(path: &[u8]) -> String {
    let chunks = path.utf8_chunks().flat_map(|chunk| {
        let odd = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
        std::iter::once(chunk.valid().to_owned()).chain(odd)
    });
    chunks.collect()
}

/// Nothing if it is no file, or is gone.
fn read(name: &str, path: &Path) -> Option<File> {
    let status = fs::symlink_metadata(path).ok()?;
    if status.is_symlink() {
        let target = fs::read_link(path).ok()?;
        return Some(File::new(name, target.as_os_str().as_bytes(), LINK));
    }
    // Opening anything but a file could wait for ever.
    if !status.is_file() {
        return None;
    }
    let sort = if status.permissions().mode() & 0o100 == 0 { b"".as_slice() } else { PROGRAM };
    Some(File::new(name, &fs::read(path).unwrap_or_default(), sort))
}

fn git(directory: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(directory).env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
    // A hook that runs us has these set, for its own index and directory.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        git.env_remove(OsStr::new(name));
    }
    git.stdin(Stdio::null());
    git
}

/// What it printed, or what it complained of.
fn run(git: &mut Command) -> Result<Result<Vec<u8>, String>, GitError> {
    let output = git.output().map_err(|error| GitError::NoGit(error.to_string()))?;
    let complaint = || text(&output.stderr);
    Ok(if output.status.success() { Ok(output.stdout) } else { Err(complaint()) })
}

/// What it printed; it has no reason to complain.
fn ask(git: &mut Command) -> Result<Vec<u8>, GitError> {
    run(git)?.map_err(GitError::Refused)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}
