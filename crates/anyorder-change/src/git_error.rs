//! Why git could not tell what has changed.

/// Why git could not tell what has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// There is no `git`, or it cannot be started.
    #[error("`git` could not be started: {0}")]
    NoGit(String),
    /// The root is part of no repository.
    #[error("`{0}` is not in a git repository, so there is nothing to compare with")]
    NoRepository(String),
    /// Nothing was ever committed.
    #[error("the repository has no commit yet, so there is nothing to compare with")]
    NoCommit,
    /// There is no such commit here.
    #[error("{}", no_revision(revision, *is_shallow))]
    NoRevision {
        /// As typed.
        revision: String,
        /// Whether only a part of the history is here.
        is_shallow: bool,
    },
    /// Git was asked and did not answer.
    #[error("git could not tell what has changed: {0}")]
    Refused(String),
}

fn no_revision(revision: &str, is_shallow: bool) -> String {
    let why = if is_shallow { "; this clone is shallow: it holds a part of the history only" } else { "" };
    format!("git knows no commit `{revision}` here{why}")
}

impl GitError {
    /// One thing to try.
    pub fn hint(&self) -> String {
        match self {
            GitError::NoGit(_) => "install git, or see to it that it is on the `PATH`".to_owned(),
            GitError::NoRepository(_) => "run this in a clone of the project; a hunt needs none".to_owned(),
            GitError::NoCommit => "commit something first".to_owned(),
            GitError::NoRevision { revision, is_shallow: true } => match revision.split_once('/') {
                Some((remote, branch)) => {
                    format!("`git fetch --depth=1 {remote} {branch}:refs/remotes/{revision}` brings it")
                }
                None => "`git fetch --unshallow` brings the rest; in a GitHub workflow, `fetch-depth: 0`"
                    .to_owned(),
            },
            GitError::NoRevision { .. } => {
                "`git log --oneline --all` lists the commits that are here".to_owned()
            }
            GitError::Refused(_) => "`git status` in the project may say more".to_owned(),
        }
    }
}
