//! Why changes were not made.

use std::io;

use crate::exit_code::Exit;
use crate::failure::Failure;

/// Why nothing was changed; or, of `Unfinished`, not all.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApplyError {
    #[error("the patch no longer applies: `{path}` is not what it was made for")]
    Outdated { path: String },
    #[error("the patch would change `{path}`, which is outside of the project")]
    Outside { path: String },
    #[error("the patch would change `{path}`, which is no ordinary file")]
    NotAFile { path: String },
    #[error("the patch would change `{path}`, which is write-protected")]
    ReadOnly { path: String },
    #[error("the patch would change {} that git does not have", files(paths.len()))]
    Uncommitted { paths: Vec<String> },
    #[error("git could not say whether `{path}` has uncommitted changes")]
    GitSilent { path: String, words: String },
    #[error("the changed files could not be written, so nothing is changed: {0}")]
    NotWritten(io::Error),
    #[error("the patch is applied in part only: {0}")]
    Unfinished(io::Error),
}

impl ApplyError {
    pub(super) fn not_written(error: io::Error) -> Self {
        ApplyError::NotWritten(error)
    }

    pub(super) fn unfinished(error: io::Error) -> Self {
        ApplyError::Unfinished(error)
    }

    fn evidence(&self) -> String {
        match self {
            ApplyError::Uncommitted { paths } => paths.join("\n"),
            ApplyError::GitSilent { words, .. } => words.clone(),
            ApplyError::Outdated { .. } => "somebody has edited it since; nothing is changed".to_owned(),
            _ => String::new(),
        }
    }

    fn hint(&self) -> &'static str {
        match self {
            ApplyError::Outdated { .. } => "`anyorder fix` looks for a patch of the file as it is now",
            ApplyError::Outside { .. } => "change it where it belongs; the diff is in `.anyorder/patches`",
            ApplyError::NotAFile { .. } | ApplyError::ReadOnly { .. } => {
                "make it a file that you may write to, or apply the diff in `.anyorder/patches` yourself"
            }
            ApplyError::Uncommitted { .. } => {
                "commit them first, so that the patch can be told from your own changes, or add `--allow-dirty`"
            }
            ApplyError::GitSilent { .. } => "see what `git status` says, or add `--allow-dirty`",
            ApplyError::NotWritten(_) => "make room, or see who may write there, and try again",
            ApplyError::Unfinished(_) => "the next `anyorder` here completes it",
        }
    }
}

fn files(number: usize) -> String {
    if number == 1 { "a file with changes".to_owned() } else { format!("{number} files with changes") }
}

impl From<ApplyError> for Failure {
    fn from(error: ApplyError) -> Self {
        Failure::new(Exit::Usage, error.to_string()).evidence(error.evidence()).hint(error.hint())
    }
}
