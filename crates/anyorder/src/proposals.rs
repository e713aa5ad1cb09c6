//! Patches become files in `.anyorder/patches`; and, if that is asked for, changes of the project's own files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyorder_model::{Change, Finding, Patch, Proposal, Repair, Strength, Suite};
use anyorder_repair::Repaired;
use anyorder_report::{pull_request, unified_diff};

use crate::apply::{self, Unfinished};
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::project::Project;
use crate::shell;

/// What is to be done with patches.
#[derive(Default)]
pub(crate) struct Wishes {
    /// Whether they are to be one diff.
    pub(crate) is_joint: bool,
    /// Whether the project's own files are to be changed.
    pub(crate) applies: bool,
    pub(crate) accepts_unsafe: bool,
    pub(crate) allow_dirty: bool,
    /// Which findings were named, if any.
    pub(crate) named: Vec<String>,
    /// What has to be typed again to mean the same suite.
    pub(crate) suite: Vec<String>,
}

/// What has been done.
#[derive(Default)]
pub(crate) struct Proposed {
    pub(crate) proposals: Vec<Proposal>,
    pub(crate) repairs: Vec<Repair>,
    /// Why patches that were to be applied are not.
    pub(crate) refused: Option<Failure>,
}

impl Proposed {
    /// Whether every finding has a patch; if it was to be applied, one that is.
    pub(crate) fn is_all_done(&self, wishes: &Wishes) -> bool {
        let is_missing = |proposal: &Proposal| wishes.applies && !proposal.is_applied;
        self.repairs.iter().all(|repair| repair.patch.is_some()) && !self.proposals.iter().any(is_missing)
    }
}

/// Completes what a command that was killed has begun to apply.
pub(crate) fn finish_earlier(project: &Project) -> Result<Option<Unfinished>, Failure> {
    Ok(apply::finish_earlier(&project.state_directory(PATCHES)?)?)
}

/// Writes down what was found, and applies it if that is wished.
pub(crate) fn propose(
    project: &Project,
    suite: &Suite,
    findings: &[Finding],
    repaired: Repaired,
    wishes: &Wishes,
) -> Result<Proposed, Failure> {
    let directory = project.state_directory(PATCHES)?;
    let mut proposals = arranged(&repaired, wishes);
    for proposal in &proposals {
        write(&project.directory.join(&proposal.diff), &unified_diff(&proposal.changes))?;
        let text = pull_request(suite, findings, &proposal.patches);
        write(&project.directory.join(&proposal.pull_request), text.as_bytes())?;
    }
    let repairs = placed(repaired.repairs, &proposals);
    remove_outdated(&directory, &repairs);
    let root = project.directory.join(&suite.root);
    let refused = if wishes.applies { apply_first(&root, &directory, &mut proposals, wishes) } else { None };
    Ok(Proposed { proposals, repairs, refused })
}

const PATCHES: &str = "patches";

/// Applies what stands first, if it may be: everything that goes together. Says why it did not.
fn apply_first(root: &Path, notes: &Path, proposals: &mut [Proposal], wishes: &Wishes) -> Option<Failure> {
    let wanted = |proposal: &&mut Proposal| proposal.patches.iter().all(|patch| wishes.accepts(patch));
    let mut wanted: Vec<&mut Proposal> = proposals.iter_mut().filter(wanted).collect();
    match &mut wanted[..] {
        [] => None,
        [proposal] => {
            let applied = apply::apply(root, notes, &proposal.changes, wishes.allow_dirty);
            proposal.is_applied = applied.is_ok();
            applied.err().map(Failure::from)
        }
        several => Some(overlapping(several.len())),
    }
}

fn overlapping(number: usize) -> Failure {
    Failure::new(
        Exit::Usage,
        format!("{number} patches change the same files, and some others are not to be applied"),
    )
    .evidence("nothing is changed: together with the others they were verified, without them they were not")
    .hint("name one finding at a time, or add `--unsafe`")
}

impl Wishes {
    /// Whether a patch may go into a diff that is applied without a further look.
    fn accepts(&self, patch: &Patch) -> bool {
        match patch.strength {
            Strength::Safe => true,
            Strength::Unsafe => self.accepts_unsafe || !self.applies,
            Strength::Show => false,
        }
    }
}

/// One proposal for each patch; or one for all that may go together, and one for each of the others.
fn arranged(repaired: &Repaired, wishes: &Wishes) -> Vec<Proposal> {
    let (joint, others): (Vec<&Patch>, Vec<&Patch>) = repaired
        .patches
        .iter()
        .partition(|patch| (wishes.is_joint || wishes.applies) && wishes.accepts(patch));
    let single = |patch: &&Patch| proposal(vec![(*patch).clone()], patch.changes.clone(), wishes);
    let joined = if joint.len() < 2 { None } else { changes_of(repaired, &joint) };
    let first: Vec<Proposal> = match joined {
        Some(changes) => vec![proposal(joint.into_iter().cloned().collect(), changes, wishes)],
        None => joint.iter().map(single).collect(),
    };
    first.into_iter().chain(others.iter().map(single)).collect()
}

/// What some of the patches change together; nothing if that is not known.
fn changes_of(repaired: &Repaired, patches: &[&Patch]) -> Option<Vec<Change>> {
    if patches.len() == repaired.patches.len() {
        return Some(repaired.together.clone());
    }
    let changes: Vec<Change> = patches.iter().flat_map(|patch| patch.changes.clone()).collect();
    let paths: BTreeSet<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    (paths.len() == changes.len()).then_some(changes)
}

fn proposal(patches: Vec<Patch>, changes: Vec<Change>, wishes: &Wishes) -> Proposal {
    let name = match &patches[..] {
        [patch] => patch.cures.first().map_or("patch", |id| &id.0),
        _ => "all",
    };
    let place = |ending: &str| format!(".anyorder/{PATCHES}/{name}.{ending}");
    let weakest = patches.iter().map(|patch| patch.strength).max().unwrap_or(Strength::Safe);
    let apply = (weakest < Strength::Show).then(|| {
        let mut words = vec!["anyorder", "fix", "--apply"];
        words.extend((weakest == Strength::Unsafe).then_some("--unsafe"));
        match &patches[..] {
            [_] => words.push(name),
            _ => words.extend(wishes.named.iter().map(String::as_str)),
        }
        shell::join(words.into_iter().chain(wishes.suite.iter().map(String::as_str)))
    });
    let (diff, pull_request) = (place("diff"), place("md"));
    Proposal { patches, changes, diff, pull_request, apply, is_applied: false }
}

/// The repairs, with the places of their patches in the proposals.
fn placed(mut repairs: Vec<Repair>, proposals: &[Proposal]) -> Vec<Repair> {
    let patches: Vec<&Patch> = proposals.iter().flat_map(|proposal| &proposal.patches).collect();
    for repair in &mut repairs {
        repair.patch = patches.iter().position(|patch| patch.cures.contains(&repair.finding));
    }
    repairs
}

/// A patch of an earlier day that nobody has found again must not be taken for one of today.
fn remove_outdated(directory: &Path, repairs: &[Repair]) {
    for repair in repairs.iter().filter(|repair| repair.patch.is_none()) {
        let file = |ending: &str| -> PathBuf { directory.join(format!("{}.{ending}", repair.finding)) };
        // What is not there need not be removed.
        let _ = (fs::remove_file(file("diff")), fs::remove_file(file("md")));
    }
}

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    fs::write(path, content)
        .map_err(|error| Failure::unwritable(path, &error, "see who may write there, or make room"))
}
