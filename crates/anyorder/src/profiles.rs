//! Profiles of earlier commands: how they are kept between one change and the next.
//!
//! Knows what is written down beside a profile: the test as it was, and a stamp of the sources that it stands on. Where git
//! cannot tell the sources, nothing is kept; whoever looks for it later takes longer, and is right all the same.

use std::collections::BTreeSet;
use std::path::Path;

use anyorder_change::{Record, Recorded, Repository, Stamp};
use anyorder_model::{Collection, Profile, Suite, Test, TestId};
use anyorder_store::{Fingerprint, KeptState, Store, StoreError};
use serde::{Deserialize, Serialize};

use crate::fingerprint::{Environment, INSTALLED};
use crate::git;
use crate::memory::{packed, unpacked};

/// What is kept of tests.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) profiles: Vec<Recorded>,
    /// What the last collection took.
    pub(crate) record: Option<Record>,
    /// The last commit that nothing is held against: what is new is new since then.
    pub(crate) green: Option<String>,
    /// What is installed since something was found that counts, and since which commit.
    red_with: Option<String>,
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

/// What the collection takes is kept under this name.
const COLLECTION: &str = "collection";

/// The last commit that a check had nothing against.
const GREEN: &str = "green";

/// What is installed since something was found that counts, and since which commit.
const RED_WITH: &str = "red with";

/// Notes that nothing is to be held against this commit.
pub(crate) fn note_green(store: &mut Store, session: u32, commit: &str) -> Result<(), StoreError> {
    store.save_note(session, GREEN, commit.as_bytes())
}

/// Notes that something else is installed than at this commit, and that it is to blame for what was found; or that it is not.
pub(crate) fn note_replaced(
    store: &mut Store,
    session: u32,
    blamed: Option<(&str, &Environment)>,
) -> Result<(), StoreError> {
    let line = blamed.map(|(since, environment)| replaced(since, environment)).unwrap_or_default();
    store.save_note(session, RED_WITH, line.as_bytes())
}

fn replaced(since: &str, environment: &Environment) -> String {
    format!("{since} {} {}", environment.interpreter, environment.packages)
}

/// Keeps what tests did just now, and what collecting them took.
pub(crate) fn keep(
    store: &mut Store,
    session: u32,
    suite: &Suite,
    root: &Path,
    profiles: &[Profile],
    collection: Option<&Collection>,
) -> Result<(), StoreError> {
    let now = Repository::around(root).and_then(|repository| repository.now());
    let Ok(mut tree) = now else { return Ok(()) };
    let record = collection.map(|collection| Record::new(collection.clone(), &mut tree, root));
    let tests: Vec<(&Test, &Profile)> =
        profiles.iter().map(|profile| (suite.test(profile.test), profile)).collect();
    let stamps = Stamp::of(&tree, record.as_ref(), root, &tests);
    let rows: Vec<(&TestId, Vec<u8>)> = tests.iter().zip(stamps).map(row).collect();
    store.save_profiles(session, &rows)?;
    save_record(store, session, record.as_ref())?;
    git::head(root).map_or(Ok(()), |commit| store.note_commit(&commit))
}

fn row<'test>(((test, profile), stamp): (&(&'test Test, &Profile), Stamp)) -> (&'test TestId, Vec<u8>) {
    let row = Row { test, profile, stamp: stamp.0 };
    (&test.id, packed(serde_json::to_vec(&row).expect("profiles have a JSON form")))
}

fn save_record(store: &mut Store, session: u32, record: Option<&Record>) -> Result<(), StoreError> {
    let Some(record) = record else { return Ok(()) };
    let json = serde_json::to_vec(record).expect("records have a JSON form");
    store.save_note(session, COLLECTION, &packed(json))
}

/// What is known of tests holds now, too: with the files and the collection of now.
pub(crate) struct Renewed<'a> {
    pub(crate) root: &'a Path,
    /// With the stamps of now.
    pub(crate) profiles: Vec<(&'a Recorded, Stamp)>,
    pub(crate) record: Option<&'a Record>,
}

/// Notes that.
pub(crate) fn renew(store: &mut Store, session: u32, renewed: &Renewed<'_>) -> Result<(), StoreError> {
    let Renewed { root, profiles, record } = renewed;
    let stale = profiles.iter().filter(|(one, stamp)| *stamp != one.stamp);
    let rows = stale.map(|(one, stamp)| row((&(&one.test, &one.profile), *stamp)));
    store.save_profiles(session, &rows.collect::<Vec<_>>())?;
    let ids: Vec<&TestId> = profiles.iter().map(|(one, _)| &one.test.id).collect();
    store.renew_profiles(session, &ids)?;
    save_record(store, session, *record)?;
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
    let record = store.note(session, COLLECTION)?;
    let record = record.and_then(|bytes| serde_json::from_slice(&unpacked(bytes)?).ok());
    let text =
        |name| Ok::<_, StoreError>(store.note(session, name)?.and_then(|it| String::from_utf8(it).ok()));
    let (green, red_with) = (text(GREEN)?, text(RED_WITH)?);
    Ok(Kept {
        profiles: kept.into_iter().filter_map(|kept| read(kept.profile)).collect(),
        record,
        green,
        red_with,
        states,
    })
}

impl Kept {
    /// The commit since which every profile was made, or was found to hold.
    pub(crate) fn commit(&self) -> Option<&str> {
        self.states.last().and_then(|state| state.commit.as_deref())
    }

    /// What is other than when the profiles were made, or than whenever the commit was checked out that is compared with, and no
    /// source file. `then` are the states of that time.
    pub(crate) fn other_environment(
        &self,
        commit: &str,
        then: &[Fingerprint],
        now: &Environment,
    ) -> Option<String> {
        let is_blamed = self.red_with == Some(replaced(commit, now));
        let is_known = then.iter().any(|then| now.differs_from(then).is_none());
        let then = then.iter().filter(|_| !is_known);
        let mut states = self.states.iter().map(|state| &state.fingerprint).chain(then);
        let blamed = is_blamed.then(|| INSTALLED.to_owned());
        blamed.or_else(|| states.find_map(|then| now.differs_from(then)))
    }
}
