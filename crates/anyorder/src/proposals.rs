//! Patches become files in `.anyorder/patches`; and, if that is asked for, changes of the project's own files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyorder_model::{Change, Finding, Patch, Proposal, Repair, Strength, Suite};
use anyorder_repair::Repaired;
use anyorder_report::{pull_request, unified_diff};

use crate::apply;
use crate::args::ApplyArgs;
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::project::{PATCHES, Project};
use crate::shell;

/// What is to be done with patches.
pub(crate) struct Wishes {
    /// Whether they are to be one diff.
    pub(crate) is_joint: bool,
    /// Whether the project's own files are to be changed.
    pub(crate) applying: ApplyArgs,
    /// Which findings were named, if any.
    pub(crate) named: Vec<String>,
    /// Whether tests whose order is declared are meant, too.
    pub(crate) is_declared_too: bool,
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
        let is_missing = |proposal: &Proposal| wishes.applying.apply && !proposal.is_applied;
        self.repairs.iter().all(|repair| repair.patch.is_some()) && !self.proposals.iter().any(is_missing)
    }
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
        let changes = from_the_project(&suite.root, &proposal.changes);
        write(&project.directory.join(&proposal.diff), &unified_diff(&changes))?;
        let text = pull_request(suite, findings, &proposal.patches);
        write(&project.directory.join(&proposal.pull_request), text.as_bytes())?;
    }
    let repairs = placed(repaired.repairs, &proposals);
    remove_outdated(&directory, &repairs, &proposals);
    let root = project.directory.join(&suite.root);
    let refused =
        if wishes.applying.apply { apply_first(&root, &directory, &mut proposals, wishes) } else { None };
    Ok(Proposed { proposals, repairs, refused })
}

/// Paths as `git apply` takes them in the project's directory, if the suite's root is below that.
fn from_the_project(root: &str, changes: &[Change]) -> Vec<Change> {
    let is_below =
        root != "." && Path::new(root).components().all(|part| matches!(part, Component::Normal(_)));
    let path = |path: &str| if is_below { format!("{root}/{path}") } else { path.to_owned() };
    changes.iter().map(|change| Change { path: path(&change.path), ..change.clone() }).collect()
}

/// Applies what stands first, if it may be: everything that goes together. Says why it did not.
fn apply_first(root: &Path, notes: &Path, proposals: &mut [Proposal], wishes: &Wishes) -> Option<Failure> {
    let wanted = |proposal: &&mut Proposal| proposal.patches.iter().all(|patch| wishes.accepts(patch));
    let mut wanted: Vec<&mut Proposal> = proposals.iter_mut().filter(wanted).collect();
    match &mut wanted[..] {
        [] => None,
        [proposal] => {
            let applied = apply::apply(root, notes, &proposal.changes, wishes.applying.allow_dirty);
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
            Strength::Unsafe => self.applying.accepts_unsafe || !self.applying.apply,
            Strength::Show => false,
        }
    }
}

/// One proposal for each patch; or one for all that may go together, and one for each of the others.
fn arranged(repaired: &Repaired, wishes: &Wishes) -> Vec<Proposal> {
    let (joint, others): (Vec<&Patch>, Vec<&Patch>) = repaired
        .patches
        .iter()
        .partition(|patch| (wishes.is_joint || wishes.applying.apply) && wishes.accepts(patch));
    let single = |patch: &&Patch| proposal(vec![(*patch).clone()], patch.changes.clone(), wishes);
    let joined = if joint.len() < 2 { None } else { changes_of(repaired, &joint) };
    let first: Vec<Proposal> = match joined {
        Some(changes) => vec![proposal(joint.into_iter().cloned().collect(), changes, wishes)],
        None => joint.iter().map(single).collect(),
    };
    first.into_iter().chain(others.iter().map(single)).collect()
}

/// What some of the patches change together; nothing if that is not known.
pub(crate) fn changes_of(repaired: &Repaired, chosen: &[&Patch]) -> Option<Vec<Change>> {
    let is_safe = |patch: &Patch| patch.strength == Strength::Safe;
    if chosen.len() == repaired.patches.len() {
        return Some(repaired.together.clone());
    }
    let all_safe = repaired.patches.iter().filter(|patch| is_safe(patch)).count();
    if chosen.len() == all_safe && chosen.iter().all(|patch| is_safe(patch)) {
        return Some(repaired.safe.clone());
    }
    let changes: Vec<Change> = chosen.iter().flat_map(|patch| patch.changes.clone()).collect();
    let paths: BTreeSet<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    (paths.len() == changes.len()).then_some(changes)
}

/// What several patches together are called.
const ALL: &str = "all";

/// Where a file of that name stands, from the project's directory.
fn place(name: &str, ending: &str) -> String {
    format!(".anyorder/{PATCHES}/{name}.{ending}")
}

fn proposal(patches: Vec<Patch>, changes: Vec<Change>, wishes: &Wishes) -> Proposal {
    let name = match &patches[..] {
        [patch] => patch.cures.first().map_or("patch", |id| &id.0),
        _ => ALL,
    };
    let weakest = patches.iter().map(|patch| patch.strength).max().unwrap_or(Strength::Safe);
    let apply = (weakest < Strength::Show).then(|| {
        let mut words = vec!["anyorder", "fix", "--apply"];
        words.extend((weakest == Strength::Unsafe).then_some("--unsafe"));
        words.extend(wishes.is_declared_too.then_some("--declared"));
        match &patches[..] {
            [_] => words.push(name),
            _ => words.extend(wishes.named.iter().map(String::as_str)),
        }
        shell::join(words.into_iter().chain(wishes.suite.iter().map(String::as_str)))
    });
    let (diff, pull_request) = (place(name, "diff"), place(name, "md"));
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
fn remove_outdated(directory: &Path, repairs: &[Repair], proposals: &[Proposal]) {
    let names = repairs.iter().map(|repair| repair.finding.0.as_str()).chain([ALL]);
    let is_of_today = |name: &str| proposals.iter().any(|proposal| proposal.diff == place(name, "diff"));
    for name in names.filter(|name| !is_of_today(name)) {
        let file = |ending: &str| -> PathBuf { directory.join(format!("{name}.{ending}")) };
        // What is not there need not be removed.
        let _ = (fs::remove_file(file("diff")), fs::remove_file(file("md")));
    }
}

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    fs::write(path, content)
        .map_err(|error| Failure::unwritable(path, &error, "see who may write there, or make room"))
}

#[cfg(test)]
mod tests {
    use anyorder_model::{FindingId, PatchSource, Placement, Verified};

    use super::*;

    fn change(path: &str) -> Change {
        Change { path: path.to_owned(), before: None, after: b"x".to_vec() }
    }

    fn patch(cures: &str, path: &str, strength: Strength) -> Patch {
        Patch {
            cures: vec![FindingId(cures.to_owned())],
            source: PatchSource::Restore,
            placement: Placement::Polluter,
            strength,
            summary: String::new(),
            changes: vec![change(path)],
            verified: Verified::default(),
        }
    }

    /// What is in each proposal: the findings, the files, and the command that applies it.
    fn arranged_for(patches: &[Patch], is_joint: bool, typed: &[&str]) -> Vec<String> {
        let has = |flag: &str| typed.contains(&flag);
        let (apply, accepts_unsafe) = (has("--apply"), has("--unsafe"));
        let applying = ApplyArgs { apply, accepts_unsafe, allow_dirty: false };
        let suite = vec!["--python".to_owned(), "a b".to_owned()];
        let wishes = Wishes { is_joint, applying, named: vec![], is_declared_too: false, suite };
        let (patches, together, safe) = (patches.to_vec(), vec![change("all")], vec![change("safe")]);
        let repaired = Repaired { patches, together, safe, repairs: vec![], halted: None };
        let words = |proposal: &Proposal| {
            let ids: Vec<&str> = proposal.patches.iter().map(|patch| patch.cures[0].0.as_str()).collect();
            let paths: Vec<&str> = proposal.changes.iter().map(|change| change.path.as_str()).collect();
            let apply = proposal.apply.as_deref().unwrap_or("-");
            format!("{} {} {} {apply}", ids.join("+"), paths.join("+"), proposal.diff)
        };
        arranged(&repaired, &wishes).iter().map(words).collect()
    }

    #[test]
    fn diffs_are_for_the_directory_of_the_project() {
        let path = |root: &str| from_the_project(root, &[change("tests/a.py")])[0].path.clone();
        assert_eq!(["backend", ".", ".."].map(path), ["backend/tests/a.py", "tests/a.py", "tests/a.py"]);
    }

    #[test]
    fn each_patch_is_a_diff_of_its_own_with_the_command_that_applies_it() {
        let patches = [
            patch("v-1", "a", Strength::Safe),
            patch("v-2", "b", Strength::Unsafe),
            patch("v-3", "c", Strength::Show),
        ];
        assert_eq!(
            arranged_for(&patches, false, &[]),
            [
                "v-1 a .anyorder/patches/v-1.diff anyorder fix --apply v-1 --python 'a b'",
                "v-2 b .anyorder/patches/v-2.diff anyorder fix --apply --unsafe v-2 --python 'a b'",
                "v-3 c .anyorder/patches/v-3.diff -",
            ]
        );
    }

    #[test]
    fn patches_that_go_together_are_one_diff() {
        let patches = [patch("v-1", "a", Strength::Safe), patch("v-2", "a", Strength::Unsafe)];
        let joint = "v-1+v-2 all .anyorder/patches/all.diff anyorder fix --apply --unsafe --python 'a b'";
        assert_eq!(arranged_for(&patches, true, &[]), [joint]);
        assert_eq!(arranged_for(&patches, false, &["--apply", "--unsafe"]), [joint]);
    }

    #[test]
    fn what_is_not_to_be_applied_stands_apart() {
        let patches = [
            patch("v-1", "a", Strength::Safe),
            patch("v-2", "b", Strength::Safe),
            patch("v-3", "b", Strength::Unsafe),
        ];
        let first = |arranged: Vec<String>| arranged[0].split(" .any").next().unwrap().to_owned();
        assert_eq!(first(arranged_for(&patches, false, &["--apply"])), "v-1+v-2 safe");
        assert_eq!(arranged_for(&patches, false, &["--apply"]).len(), 2);
    }

    #[test]
    fn patches_that_were_only_seen_together_with_others_are_not_joined() {
        let patches = [
            patch("v-1", "a", Strength::Safe),
            patch("v-2", "a", Strength::Unsafe),
            patch("v-3", "b", Strength::Show),
        ];
        assert_eq!(arranged_for(&patches, true, &[]).len(), 3);
    }
}
