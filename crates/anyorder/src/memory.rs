//! What earlier hunts asked and were told: the store, as the oracle sees it.
//!
//! Knows how questions become keys and answers become bytes. A hunt that was killed asks the same questions again, and
//! is answered from here as far as it came.

use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyorder_model::{
    Collection, Fan, Order, PlainAsk, PlainSeen, Profile, Purpose, Rung, Step, Suite, TailRecord, TestId,
};
use anyorder_store::{Fingerprint, OrderDigest, Run, RunKey, Store, StoreError};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fingerprint::Environment;
use crate::look::Look;
use crate::profiles::{self, Kept, Renewed};

pub(crate) struct Memory<'a> {
    /// Nothing if nothing is to be remembered.
    store: Option<&'a mut Store>,
    suite: &'a Suite,
    session: u32,
    waiting: Vec<Waiting>,
    written: Instant,
}

/// An answer that is not written yet.
struct Waiting {
    purpose: String,
    repetition: u32,
    order: Order,
    outcomes: String,
    answer: Vec<u8>,
}

/// So many answers are written together, if they come within this time: a hunt that is killed loses no more.
const TOGETHER: usize = 50;
const SOON: Duration = Duration::from_millis(500);

impl<'a> Memory<'a> {
    pub(crate) fn new(store: &'a mut Store, suite: &'a Suite, session: usize) -> Self {
        Memory { store: Some(store), ..Memory::forgetful(suite, session) }
    }

    /// One that keeps nothing: for a suite that is only tried out.
    pub(crate) fn forgetful(suite: &'a Suite, session: usize) -> Self {
        Memory {
            store: None,
            suite,
            session: u32::try_from(session).unwrap_or(u32::MAX),
            waiting: vec![],
            written: Instant::now(),
        }
    }

    /// Keeps what these tests do, for those who come after the next change.
    pub(crate) fn note_profiles(
        &mut self,
        root: &Path,
        profiles: &[Profile],
        collection: Option<&Collection>,
    ) -> Result<(), StoreError> {
        let Some(store) = &mut self.store else { return Ok(()) };
        profiles::keep(store, self.session, self.suite, root, profiles, collection)
    }

    /// What earlier commands have kept of tests.
    pub(crate) fn profiles(&self) -> Result<Kept, StoreError> {
        self.store
            .as_ref()
            .map_or_else(|| Ok(Kept::default()), |store| profiles::kept(store, self.session, self.suite))
    }

    /// Notes that what is kept of these tests holds now, too.
    pub(crate) fn renew_profiles(&mut self, renewed: &Renewed<'_>) -> Result<(), StoreError> {
        let Some(store) = &mut self.store else { return Ok(()) };
        profiles::renew(store, self.session, renewed)
    }

    /// What is kept of the suite as a whole, under a name.
    pub(crate) fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.as_ref().map_or(Ok(None), |store| store.note(self.session, name))
    }

    /// Keeps something of the suite as a whole.
    pub(crate) fn save_note(&mut self, name: &str, contents: &[u8]) -> Result<(), StoreError> {
        let Some(store) = &mut self.store else { return Ok(()) };
        store.save_note(self.session, name, contents)
    }

    /// Notes that nothing is to be held against this commit.
    pub(crate) fn note_green(&mut self, commit: &str) -> Result<(), StoreError> {
        let Some(store) = &mut self.store else { return Ok(()) };
        profiles::note_green(store, self.session, commit)
    }

    /// Notes whether what is installed is to blame for what was found since a commit.
    pub(crate) fn note_replaced(&mut self, blamed: Option<(&str, &Environment)>) -> Result<(), StoreError> {
        let Some(store) = &mut self.store else { return Ok(()) };
        profiles::note_replaced(store, self.session, blamed)
    }

    /// The states in which profiles were made while this commit was checked out.
    pub(crate) fn states_at(&self, commit: &str) -> Result<Vec<Fingerprint>, StoreError> {
        self.store.as_ref().map_or(Ok(vec![]), |store| store.states_at(commit))
    }

    /// The steps of a fan's prefix, if they are known.
    pub(crate) fn prefix(&self, fan: &Fan) -> Result<Option<Vec<Step>>, StoreError> {
        if fan.prefix.is_empty() {
            return Ok(Some(vec![]));
        }
        self.recall(&prefix_purpose(fan.purpose), fan.repetition, &fan.prefix)
    }

    /// What became of one tail of a fan, if it is known.
    pub(crate) fn tail(&self, fan: &Fan, tail: &Order) -> Result<Option<TailRecord>, StoreError> {
        self.recall(fan.purpose.name(), fan.repetition, &whole(&fan.prefix, tail))
    }

    pub(crate) fn plain(&self, ask: &PlainAsk) -> Result<Option<PlainSeen>, StoreError> {
        self.recall(&plain_purpose(ask), ask.repetition, &ask.order)
    }

    pub(crate) fn look<L: Look>(&self, look: &L) -> Result<Option<L::Record>, StoreError> {
        self.recall(&look.purpose(), look.repetition(), &look.order())
    }

    pub(crate) fn note_prefix(&mut self, fan: &Fan, steps: &[Step]) -> Result<(), StoreError> {
        self.note_answer(prefix_purpose(fan.purpose), fan.repetition, fan.prefix.clone(), steps, &steps)
    }

    pub(crate) fn note_tail(
        &mut self,
        fan: &Fan,
        tail: &Order,
        record: &TailRecord,
    ) -> Result<(), StoreError> {
        let order = whole(&fan.prefix, tail);
        self.note_answer(fan.purpose.name().to_owned(), fan.repetition, order, &record.steps, record)
    }

    pub(crate) fn note_plain(&mut self, ask: &PlainAsk, seen: &PlainSeen) -> Result<(), StoreError> {
        self.note_answer(plain_purpose(ask), ask.repetition, ask.order.clone(), &seen.steps, seen)?;
        self.write()
    }

    pub(crate) fn note_look<L: Look>(&mut self, look: &L, record: &L::Record) -> Result<(), StoreError> {
        self.note_answer(look.purpose(), look.repetition(), look.order(), &L::steps(record), record)
    }

    fn note_answer(
        &mut self,
        purpose: String,
        repetition: u32,
        order: Order,
        steps: &[Step],
        answer: &impl Serialize,
    ) -> Result<(), StoreError> {
        let answer = packed(serde_json::to_vec(answer).expect("answers have a JSON form"));
        self.waiting.push(Waiting { purpose, repetition, order, outcomes: letters(steps), answer });
        let can_wait = self.waiting.len() < TOGETHER && self.written.elapsed() < SOON;
        if can_wait { Ok(()) } else { self.write() }
    }

    /// Writes what is waiting.
    pub(crate) fn write(&mut self) -> Result<(), StoreError> {
        self.written = Instant::now();
        let waiting = std::mem::take(&mut self.waiting);
        let ids: Vec<Vec<&TestId>> = waiting.iter().map(|run| run.order.ids(self.suite)).collect();
        let runs: Vec<Run<'_>> = waiting
            .iter()
            .zip(&ids)
            .map(|(run, ids)| Run {
                key: key(self.session, &run.purpose, run.repetition, ids),
                tests: ids,
                outcomes: &run.outcomes,
                answer: &run.answer,
            })
            .collect();
        self.store.as_mut().map_or(Ok(()), |store| store.record_all(&runs))
    }

    fn recall<T: DeserializeOwned>(
        &self,
        purpose: &str,
        repetition: u32,
        order: &Order,
    ) -> Result<Option<T>, StoreError> {
        let key = key(self.session, purpose, repetition, &order.ids(self.suite));
        let Some(store) = &self.store else { return Ok(None) };
        // What another version has written cannot be read; it is asked again.
        Ok(store.recall(&key)?.and_then(|answer| serde_json::from_slice(&unpacked(answer)?).ok()))
    }
}

fn key<'run>(session: u32, purpose: &'run str, repetition: u32, ids: &[&TestId]) -> RunKey<'run> {
    RunKey { session, purpose, repetition, order: OrderDigest::of(ids) }
}

fn whole(prefix: &Order, tail: &Order) -> Order {
    prefix.tests().iter().chain(tail.tests()).copied().collect()
}

fn prefix_purpose(purpose: Purpose) -> String {
    format!("{} prefix", purpose.name())
}

fn plain_purpose(ask: &PlainAsk) -> String {
    let rung = if ask.rung == Some(Rung::PlainOrdered) { "plain-ordered" } else { "plain" };
    format!("{rung} {}", ask.hash_seed)
}

/// Answers from so many bytes on are packed: mostly names, which all tests have in common.
const LARGE: usize = 4096;

/// Packed, if it is large. JSON never begins as packed bytes do.
pub(crate) fn packed(answer: Vec<u8>) -> Vec<u8> {
    if answer.len() < LARGE {
        return answer;
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&answer).and_then(|()| encoder.finish()).expect("memory can be written to")
}

/// Nothing if it is damaged.
pub(crate) fn unpacked(answer: Vec<u8>) -> Option<Vec<u8>> {
    if answer.first().is_none_or(|&byte| byte != PACKED) {
        return Some(answer);
    }
    let mut text = Vec::new();
    ZlibDecoder::new(answer.as_slice()).read_to_end(&mut text).ok()?;
    Some(text)
}

/// How zlib begins.
const PACKED: u8 = 0x78;

/// One letter for each outcome.
fn letters(steps: &[Step]) -> String {
    steps.iter().map(|step| step.outcome.letter()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_all_sizes_come_back_as_they_were() {
        for size in [0, 10, LARGE - 1, LARGE, 100_000] {
            let answer = serde_json::to_vec(&vec!["os.environ"; size / 10]).unwrap();
            assert_eq!(unpacked(packed(answer.clone())), Some(answer));
        }
        let much = serde_json::to_vec(&vec!["os.environ"; LARGE]).unwrap();
        let few = packed(much.clone());
        assert!(few.len() * 10 < much.len());
        assert_eq!(unpacked(few[..few.len() / 2].to_vec()), None);
    }
}
