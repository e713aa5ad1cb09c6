//! Profiles that were made earlier, by the names of their tests.

use std::collections::BTreeMap;
use std::path::Path;

use anyorder_model::{Profile, Test, TestId};

use crate::Stamp;

/// Profiles that were made earlier, some perhaps of tests that are no longer there.
#[derive(Clone, Debug, Default)]
pub struct OldProfiles {
    by_id: BTreeMap<TestId, Recorded>,
}

/// A profile with what it was made of.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The test as it was; its index and that of the profile mean nothing any more.
    pub test: Test,
    /// What it did.
    pub profile: Profile,
    /// The sources that it was made of.
    pub stamp: Stamp,
}

impl OldProfiles {
    /// Keeps these. `root` is the suite's, as an absolute path: code outside of it is named by such paths in profiles.
    pub fn new(_root: &Path, recorded: impl IntoIterator<Item = Recorded>) -> Self {
        OldProfiles { by_id: recorded.into_iter().map(|one| (one.test.id.clone(), one)).collect() }
    }

    /// The profile of this test, if there is one.
    pub fn get(&self, id: &TestId) -> Option<&Recorded> {
        self.by_id.get(id)
    }
}
