//! A change of the project that lets tests end the same way in any order, and how far that was verified.

use serde::{Deserialize, Serialize};

use crate::FindingId;

/// One file of the project, as a patch would have it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Change {
    /// Where it is, relative to the suite's root, with `/` between names.
    pub path: String,
    /// What is in it now; nothing if it is not there.
    pub before: Option<Vec<u8>>,
    /// What a patch puts there.
    pub after: Vec<u8>,
}

/// A verified change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Patch {
    /// The findings that it cures.
    pub cures: Vec<FindingId>,
    /// Where it comes from.
    pub source: PatchSource,
    /// Where it stands.
    pub placement: Placement,
    /// How safe it is to apply unseen.
    pub strength: Strength,
    /// What it does, in one sentence without a full stop.
    pub summary: String,
    /// The files, each once.
    pub changes: Vec<Change>,
    /// What has been seen with it.
    pub verified: Verified,
}

/// Patches that were written down as one diff, for somebody to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// What is in it; nearly always one.
    pub patches: Vec<Patch>,
    /// The files, each once, as all of its patches together would have them.
    pub changes: Vec<Change>,
    /// The file that holds it as a unified diff, relative to the project.
    pub diff: String,
    /// The file that holds a text for a pull request, relative to the project.
    pub pull_request: String,
    /// The command line that applies it; nothing if it is only shown.
    pub apply: Option<String>,
    /// Whether the project's files are changed already.
    pub is_applied: bool,
}

/// Where a patch comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PatchSource {
    /// Statements of a test that cleans up.
    Cleaner,
    /// Statements of a test that sets up.
    Setter,
    /// A clean-up of the suite that was wrong.
    Correction,
    /// A call of code that resets the state.
    Reset,
    /// The cells themselves are put back.
    Restore,
}

impl PatchSource {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            PatchSource::Cleaner => "cleaner",
            PatchSource::Setter => "setter",
            PatchSource::Correction => "correction",
            PatchSource::Reset => "reset",
            PatchSource::Restore => "restore",
        }
    }
}

/// Where a patch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// In the tests that leave the state.
    Polluter,
    /// In the tests that suffer from it, or need it.
    Test,
    /// Around all tests of a file.
    File,
    /// Around all tests below a directory.
    Directory,
    /// In the code under test.
    Code,
}

impl Placement {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Placement::Polluter => "polluter",
            Placement::Test => "test",
            Placement::File => "file",
            Placement::Directory => "directory",
            Placement::Code => "code",
        }
    }
}

/// How safe a patch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// It passed everything, and touches only how tests set up and clean up.
    Safe,
    /// It passed everything, but relies on what somebody who knows the code should look at.
    Unsafe,
    /// To be looked at; it is not applied.
    Show,
}

impl Strength {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Strength::Safe => "safe",
            Strength::Unsafe => "unsafe",
            Strength::Show => "show",
        }
    }
}

/// What has been seen with a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// Orders in which tests failed, and pass now.
    pub failing: usize,
    /// Orders in which tests passed, and still do.
    pub passing: usize,
    /// Random orders of the whole suite in which nothing new fails.
    pub sweeps: usize,
    /// Plain runs of the user's own runner that confirmed it.
    pub plain: usize,
}

impl Verified {
    /// What holds for patches that were verified together, of which one or the other has seen this.
    #[must_use]
    pub fn together(self, other: Verified) -> Verified {
        Verified {
            failing: self.failing + other.failing,
            passing: self.passing.max(other.passing),
            sweeps: self.sweeps.min(other.sweeps),
            plain: self.plain.min(other.plain),
        }
    }
}

/// What became of the search for a patch of one finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repair {
    /// Which finding.
    pub finding: FindingId,
    /// The place of its patch in the list of all patches; nothing if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<usize>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoPatch>,
    /// How many candidates there were.
    pub generated: usize,
    /// How many of them were tried.
    pub tried: usize,
}

/// Why there is no patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoPatch {
    /// The author fixed the order on purpose.
    Declared,
    /// The state behind it is not known.
    NoCause,
    /// Nothing is known that could put the state back.
    NoReset,
    /// The files cannot be edited.
    NotEditable,
    /// What there was did not help.
    DoesNotHelp,
    /// What helped made another test fail.
    BreaksOthers,
    /// With what helped, a test would not notice any more when what it checks is wrong.
    Weakens,
    /// What helped did so in forks, not in the user's own runner.
    NotConfirmed,
    /// Time ran out.
    OutOfResources,
}

impl NoPatch {
    /// All of them.
    pub const ALL: [NoPatch; 9] = [
        NoPatch::Declared,
        NoPatch::NoCause,
        NoPatch::NoReset,
        NoPatch::DoesNotHelp,
        NoPatch::BreaksOthers,
        NoPatch::Weakens,
        NoPatch::NotConfirmed,
        NoPatch::NotEditable,
        NoPatch::OutOfResources,
    ];

    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            NoPatch::Declared => "declared",
            NoPatch::NoCause => "no-cause",
            NoPatch::NoReset => "no-reset",
            NoPatch::DoesNotHelp => "does-not-help",
            NoPatch::BreaksOthers => "breaks-others",
            NoPatch::Weakens => "weakens",
            NoPatch::NotConfirmed => "not-confirmed",
            NoPatch::NotEditable => "not-editable",
            NoPatch::OutOfResources => "out-of-resources",
        }
    }
}
