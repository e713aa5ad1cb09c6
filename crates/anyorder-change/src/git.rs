//! The tree of a revision and the tree that is worked on, from `git`.

use std::path::{Path, PathBuf};

use crate::Tree;

/// A repository, seen from the root of a suite in it.
#[derive(Clone, Debug)]
pub struct Repository {
    root: PathBuf,
}

/// Two trees to compare.
#[derive(Clone, Debug)]
pub struct Since {
    /// The commit that was meant, in full.
    pub commit: String,
    /// The files of that commit.
    pub old: Tree,
    /// The files as they are now: tracked and not, whether committed or not, but none that git ignores.
    pub new: Tree,
}

/// Why git could not tell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// There is no `git`, or it cannot be started.
    #[error("`git` could not be started: {0}")]
    NoGit(String),
    /// The root is part of no repository.
    #[error("`{0}` is not in a git repository")]
    NoRepository(String),
}

impl GitError {
    /// One thing to try.
    pub fn hint(&self) -> String {
        String::new()
    }
}

impl Repository {
    /// The repository that the root of a suite is part of.
    pub fn around(root: &Path) -> Result<Self, GitError> {
        Ok(Repository { root: root.to_owned() })
    }

    /// The files of `revision` itself, not of where it parted from us, and the files as they are now.
    pub fn since(&self, _revision: &str) -> Result<Since, GitError> {
        Err(GitError::NoRepository(self.root.display().to_string()))
    }

    /// The files as they are now.
    pub fn now(&self) -> Result<Tree, GitError> {
        Ok(Tree::default())
    }
}
