//! Profiles of earlier commands: how they are kept between one change and the next.
//!
//! Knows what is written down beside a profile: the test as it was, and a stamp of the sources that it stands on. Where git
//! cannot tell the sources, nothing is kept; whoever looks for it later takes longer, and is right all the same.

use std::collections::BTreeSet;
use std::path::Path;

use anyorder_change::{Recorded, Repository, Stamp};
use anyorder_model::{Profile, Suite, Test, TestId, TestIndex};
use anyorder_store::{KeptState, Store, StoreError};
use serde::{Deserialize, Serialize};

use crate::fingerprint::Environment;
use crate::git;
use crate::memory::{packed, unpacked};

/// What is kept of tests.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) profiles: Vec<Recorded>,
    /// The states that profiles of tests of this suite belong to, the last one first.
    states: Vec<KeptState>,
}

/// One profile as the store has it.
#[derive(Serialize, Deserialize)]
struct Row<T, P> {
    test: T,
    profile: P,
    stamp: [u8; 16],
}

/// Keeps what tests did just now.
pub(crate) fn keep(
    store: &mut Store,
    session: u32,
    suite: &Suite,
    root: &Path,
    profiles: &[Profile],
) -> Result<(), StoreError> {
    let Ok(tree) = Repository::around(root).and_then(|repository| repository.now()) else { return Ok(()) };
    let tests: Vec<(&Test, &Profile)> =
        profiles.iter().map(|profile| (suite.test(profile.test), profile)).collect();
    let stamps = Stamp::of(&tree, root, &tests);
    let rows: Vec<(&TestId, Vec<u8>)> = tests.iter().zip(stamps).map(row).collect();
    store.save_profiles(session, &rows)?;
    git::head(root).map_or(Ok(()), |commit| store.note_commit(&commit))
}

fn row<'test>(((test, profile), stamp): (&(&'test Test, &Profile), Stamp)) -> (&'test TestId, Vec<u8>) {
    let row = Row { test, profile, stamp: stamp.0 };
    (&test.id, packed(serde_json::to_vec(&row).expect("profiles have a JSON form")))
}

/// Notes that what is kept of these tests holds now, too.
pub(crate) fn renew(
    store: &mut Store,
    session: u32,
    root: &Path,
    tests: &[&TestId],
) -> Result<(), StoreError> {
    store.renew_profiles(session, tests)?;
    git::head(root).map_or(Ok(()), |commit| store.note_commit(&commit))
}

/// What is kept. What another version has written cannot be read, and counts as not there.
pub(crate) fn kept(store: &Store, session: u32, suite: &Suite) -> Result<Kept, StoreError> {
    let read = |bytes: Vec<u8>| -> Option<Recorded> {
        let row: Row<Test, Profile> = serde_json::from_slice(&unpacked(bytes)?).ok()?;
        Some(Recorded { test: row.test, profile: row.profile, stamp: Stamp(row.stamp) })
    };
    let kept = store.profiles(session)?;
    let there = kept.iter().filter(|kept| suite.index_of(&kept.test).is_some());
    let numbers: BTreeSet<i64> = there.map(|kept| kept.state).collect();
    let mut states = store.states()?;
    states.retain(|state| numbers.contains(&state.number));
    Ok(Kept { profiles: kept.into_iter().filter_map(|kept| read(kept.profile)).collect(), states })
}

impl Kept {
    /// The commit since which every profile was made, or was found to hold.
    pub(crate) fn commit(&self) -> Option<&str> {
        self.states.last().and_then(|state| state.commit.as_deref())
    }

    /// What is other than when the profiles were made, and no source file.
    pub(crate) fn other_environment(&self, now: &Environment) -> Option<String> {
        let fingerprints = || self.states.iter().map(|state| &state.fingerprint);
        if fingerprints().any(|then| then.interpreter != now.interpreter) {
            return Some(now.interpreter.clone());
        }
        let is_other = fingerprints().any(|then| then.packages != now.packages);
        is_other.then(|| "installed packages".to_owned())
    }
}

/// Tests of the suite that have something kept.
pub(crate) fn with_profiles(suite: &Suite, kept: &[Recorded]) -> Vec<TestIndex> {
    kept.iter().filter_map(|recorded| suite.index_of(&recorded.test.id)).collect()
}
