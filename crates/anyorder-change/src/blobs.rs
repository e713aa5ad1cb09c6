//! Contents that git keeps, many at a time.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread;

use crate::GitError;

/// A file as a commit has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) path: Vec<u8>,
    pub(crate) mode: String,
    pub(crate) id: String,
}

impl Blob {
    /// From `:MODE MODE ID ID LETTER` and the path.
    pub(crate) fn parse(facts: &[u8], path: &[u8]) -> Option<Self> {
        let facts = std::str::from_utf8(facts).ok()?.strip_prefix(':')?;
        let mut words = facts.split(' ');
        let (mode, _, id) = (words.next()?, words.next()?, words.next()?);
        Some(Blob { path: path.to_vec(), mode: mode.to_owned(), id: id.to_owned() })
    }

    /// Whether the commit does not have it.
    pub(crate) fn is_absent(&self) -> bool {
        self.mode == "000000"
    }
}

/// The contents of each.
pub(crate) fn read_blobs(git: &mut Command, blobs: &[Blob]) -> Result<Vec<Vec<u8>>, GitError> {
    if blobs.is_empty() {
        return Ok(Vec::new());
    }
    let refused = |error: std::io::Error| GitError::Refused(error.to_string());
    let git =
        git.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = git.spawn().map_err(|error| GitError::NoGit(error.to_string()))?;
    let mut questions = child.stdin.take().expect("it is piped");
    let mut answers = BufReader::new(child.stdout.take().expect("it is piped"));
    let contents = thread::scope(|scope| {
        // From a thread of its own: git answers before it has read everything, and waits until somebody reads that.
        scope.spawn(move || blobs.iter().try_for_each(|blob| writeln!(questions, "{}", blob.id)));
        blobs.iter().map(|blob| answer(&mut answers, blob)).collect::<Result<Vec<_>, _>>()
    });
    if contents.is_err() {
        child.kill().map_err(refused)?;
    }
    child.wait().map_err(refused)?;
    contents
}

/// One answer: `ID blob SIZE`, the contents, and the end of a line.
fn answer(answers: &mut impl BufRead, blob: &Blob) -> Result<Vec<u8>, GitError> {
    let refused = |why: &str| GitError::Refused(format!("{why}: {}", String::from_utf8_lossy(&blob.path)));
    let mut head = String::new();
    answers.read_line(&mut head).map_err(|error| refused(&error.to_string()))?;
    let size: usize = head
        .trim_end()
        .split_once(" blob ")
        .and_then(|(_, size)| size.parse().ok())
        .ok_or_else(|| refused("the contents of a file are not in this clone"))?;
    let mut contents = vec![0; size + 1];
    answers.read_exact(&mut contents).map_err(|error| refused(&error.to_string()))?;
    contents.pop();
    Ok(contents)
}
