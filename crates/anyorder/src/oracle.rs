//! Answers the search's questions: from memory, or else by running what is asked.
//!
//! Knows the engine, the memory and the clock. Does not know why anything is asked.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyorder_engine::{Engine, EngineError, PlainRequest, Update};
use anyorder_model::{
    Event, Fan, FanRecord, Halted, News, Oracle, Order, Outcome, PlainAsk, PlainSeen, Progress, RunRecord,
    Rung, Step, Suite, TailRecord, TestIndex,
};
use anyorder_store::StoreError;

use crate::memory::Memory;
use crate::session::{Session, ends_its_parent};

pub(crate) struct EngineOracle<'a, 's> {
    engine: &'a Engine,
    session: &'a mut Session<'s>,
    memory: Memory<'a>,
    /// Where files go that printed command lines mention.
    files: PathBuf,
    begun: Instant,
    allowance: Option<Duration>,
    progress: Progress,
    /// Orders that the runner does not keep when it is only told ids.
    regrouped: BTreeSet<Vec<TestIndex>>,
    /// Why nothing can be run any more.
    pub(crate) trouble: Option<Trouble>,
}

/// Why nothing can be answered any more.
#[derive(Debug)]
pub(crate) enum Trouble {
    Engine(EngineError),
    Store(StoreError),
}

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Self {
        Trouble::Engine(error)
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Trouble::Store(error)
    }
}

/// How often progress is shown while plain runs are waited for.
const TICK: Duration = Duration::from_millis(100);

impl<'a, 's> EngineOracle<'a, 's> {
    pub(crate) fn new(
        engine: &'a Engine,
        session: &'a mut Session<'s>,
        memory: Memory<'a>,
        files: PathBuf,
    ) -> Self {
        EngineOracle {
            engine,
            session,
            memory,
            files,
            begun: Instant::now(),
            allowance: None,
            progress: Progress::default(),
            regrouped: BTreeSet::new(),
            trouble: None,
        }
    }

    /// From now on nothing is run when this much time has passed since `begun`.
    pub(crate) fn limit(&mut self, begun: Instant, allowance: Option<Duration>) {
        (self.begun, self.allowance) = (begun, allowance);
    }

    pub(crate) fn session(&mut self) -> &mut Session<'s> {
        self.session
    }

    /// Where files go that printed command lines mention.
    pub(crate) fn files(&self) -> &Path {
        &self.files
    }

    fn is_out_of_time(&self) -> bool {
        self.allowance.is_some_and(|allowance| self.begun.elapsed() > allowance)
    }

    /// Why an answer cannot be given, before it is asked for.
    fn halted(&self) -> Result<(), Halted> {
        if self.session.cancel.is_cancelled() {
            return Err(Halted::Interrupted);
        }
        if self.is_out_of_time() { Err(Halted::Budget) } else { Ok(()) }
    }

    /// Turns what went wrong into an end of the search.
    fn broken(&mut self, trouble: Trouble) -> Halted {
        match trouble {
            Trouble::Engine(EngineError::Cancelled) if self.is_out_of_time() => Halted::Budget,
            Trouble::Engine(EngineError::Cancelled) => Halted::Interrupted,
            trouble => {
                self.trouble = Some(trouble);
                Halted::Broken
            }
        }
    }

    fn advance(&mut self, orders: usize) {
        self.progress.orders_done += orders as u64;
        let planned = self.progress.orders.max(1) as f64;
        self.progress.share = (self.progress.orders_done as f64 / planned).min(1.0);
    }

    fn recall(&mut self, fans: &[Fan]) -> Result<Vec<Answer>, StoreError> {
        let answers: Result<Vec<Answer>, StoreError> =
            fans.iter().map(|fan| Answer::from_memory(fan, &self.memory)).collect();
        let answers = answers?;
        self.advance(answers.iter().map(Answer::known).sum());
        Ok(answers)
    }

    /// Runs what is missing.
    fn complete(&mut self, fans: &[Fan], answers: &mut [Answer]) -> Result<(), Trouble> {
        let mut places = Vec::new();
        let mut batches = Vec::new();
        for (at, (fan, answer)) in fans.iter().zip(&*answers).enumerate() {
            let missing: Vec<usize> = answer.missing().collect();
            places.extend(missing.iter().map(|&tail| (at, tail)));
            batches.push(missing.iter().map(|&tail| whole(fan, tail)).collect::<Vec<Order>>());
        }
        batches.retain(|batch| !batch.is_empty());
        let (mut done, mut failed) = (0, None);
        let engine = self.engine;
        engine.run(batches.into_iter(), |update| {
            match update {
                Update::Ran { number, record } => {
                    let place = usize::try_from(number - 1).expect("orders fit into memory");
                    let (at, tail) = places[place];
                    let noted = answers[at].note(&fans[at], tail, record, &mut self.memory);
                    failed = failed.take().or(noted.err());
                    self.advance(1);
                    done += 1;
                }
                Update::EndsItsParent { test } => self.session.tell(&ends_its_parent(engine, test)),
                Update::Tick { running, .. } => {
                    self.progress.running = running;
                    self.session.tell(&Event::Progressed(self.progress.clone()));
                }
            }
            let goes_on = failed.is_none() && !self.is_out_of_time();
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        self.memory.write()?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        if done < places.len() { Err(EngineError::Cancelled.into()) } else { Ok(()) }
    }

    /// Runs plain orders side by side, as many as there are workers.
    fn run_plainly(&mut self, asked: &[PlainAsk]) -> Result<Vec<PlainSeen>, Trouble> {
        let (engine, files, regrouped) = (self.engine, self.files.clone(), &self.regrouped);
        let next = AtomicUsize::new(0);
        let deadline = self.allowance.map(|allowance| self.begun + allowance);
        let has_time = move || deadline.is_none_or(|deadline| Instant::now() < deadline);
        let (sender, receiver) = mpsc::channel();
        let mut seen: Vec<Option<PlainSeen>> = vec![None; asked.len()];
        let mut trouble = None;
        thread::scope(|scope| {
            for worker in 0..engine.settings().workers.min(asked.len()) {
                let (sender, next, files) = (sender.clone(), &next, &files);
                scope.spawn(move || {
                    while let Some(ask) =
                        asked.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| has_time())
                    {
                        let request = PlainRequest {
                            rung: ask.rung.or_else(|| {
                                regrouped.contains(ask.order.tests()).then_some(Rung::PlainOrdered)
                            }),
                            files: Some(files),
                            seed: Some(ask.hash_seed),
                            worker,
                            ..PlainRequest::new(&ask.order)
                        };
                        let run = engine.run_plain(request, |_| {});
                        let has_failed = run.is_err();
                        let _ = sender.send((ask, run));
                        if has_failed {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            loop {
                match receiver.recv_timeout(TICK) {
                    Ok((ask, run)) => match run.map(seen_plainly) {
                        Ok(one) => {
                            let place = asked
                                .iter()
                                .position(|other| std::ptr::eq(other, ask))
                                .expect("it was asked");
                            let noted = self.memory.note_plain(ask, &one);
                            trouble = trouble.take().or(noted.err().map(Trouble::from));
                            seen[place] = Some(one);
                            self.progress.orders_done += 1;
                        }
                        Err(error) => trouble = trouble.take().or(Some(error.into())),
                    },
                    Err(RecvTimeoutError::Timeout) => {
                        let done = self.progress.orders_done as f64 / self.progress.orders.max(1) as f64;
                        self.progress.share = done.min(1.0);
                        self.session.tell(&Event::Progressed(self.progress.clone()));
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        });
        let is_complete = seen.iter().all(Option::is_some);
        let trouble = trouble.or_else(|| (!is_complete).then(|| EngineError::Cancelled.into()));
        trouble.map_or_else(|| Ok(seen.into_iter().flatten().collect()), Err)
    }
}

impl Oracle for EngineOracle<'_, '_> {
    fn suite(&self) -> &Suite {
        self.engine.suite()
    }

    fn run(&mut self, fans: Vec<Fan>) -> Result<Vec<FanRecord>, Halted> {
        let mut answers = self.recall(&fans).map_err(|error| self.broken(error.into()))?;
        if answers.iter().any(|answer| answer.missing().next().is_some()) {
            self.halted()?;
            self.complete(&fans, &mut answers).map_err(|trouble| self.broken(trouble))?;
        }
        Ok(answers.into_iter().map(Answer::record).collect())
    }

    fn run_plain(&mut self, asked: Vec<PlainAsk>) -> Result<Vec<PlainSeen>, Halted> {
        let known: Result<Vec<Option<PlainSeen>>, StoreError> =
            asked.iter().map(|ask| self.memory.plain(ask)).collect();
        let known = known.map_err(|error| self.broken(error.into()))?;
        let missing: Vec<PlainAsk> = asked
            .iter()
            .zip(&known)
            .filter(|(_, known)| known.is_none())
            .map(|(ask, _)| ask.clone())
            .collect();
        if !missing.is_empty() {
            self.halted()?;
        }
        let mut new = self.run_plainly(&missing).map_err(|trouble| self.broken(trouble))?.into_iter();
        let seen: Vec<PlainSeen> =
            known.into_iter().filter_map(|known| known.or_else(|| new.next())).collect();
        let is_regrouped =
            |(ask, seen): &(&PlainAsk, &PlainSeen)| ask.rung.is_none() && seen.rung == Rung::PlainOrdered;
        let regrouped =
            asked.iter().zip(&seen).filter(is_regrouped).map(|(ask, _)| ask.order.tests().to_vec());
        self.regrouped.extend(regrouped);
        Ok(seen)
    }

    fn spent(&self) -> f64 {
        self.allowance
            .map_or(0.0, |allowance| (self.begun.elapsed().as_secs_f64() / allowance.as_secs_f64()).min(1.0))
    }

    fn tell(&mut self, news: News) {
        if let News::Began(_, orders) = &news {
            self.progress = Progress { orders: orders.unwrap_or(0), ..Progress::default() };
        }
        self.session.tell(&Event::News(news));
    }
}

/// What is known of one fan.
struct Answer {
    prefix: Option<Vec<Step>>,
    tails: Vec<Option<TailRecord>>,
}

impl Answer {
    fn from_memory(fan: &Fan, memory: &Memory<'_>) -> Result<Self, StoreError> {
        let Some(prefix) = memory.prefix(fan)? else {
            return Ok(Answer { prefix: None, tails: vec![None; fan.tails.len()] });
        };
        let tails: Result<_, _> = fan.tails.iter().map(|tail| memory.tail(fan, tail)).collect();
        Ok(Answer { prefix: Some(prefix), tails: tails? })
    }

    fn known(&self) -> usize {
        self.tails.iter().flatten().count()
    }

    fn missing(&self) -> impl Iterator<Item = usize> {
        self.tails.iter().enumerate().filter(|(_, tail)| tail.is_none()).map(|(at, _)| at)
    }

    /// The record of one tail has arrived.
    fn note(
        &mut self,
        fan: &Fan,
        tail: usize,
        record: RunRecord,
        memory: &mut Memory<'_>,
    ) -> Result<(), StoreError> {
        let mut prefix = record.steps;
        let steps = prefix.split_off(fan.prefix.len());
        let late = late(&mut prefix);
        if self.prefix.is_none() {
            memory.note_prefix(fan, &prefix)?;
            self.prefix = Some(prefix);
        }
        let record = TailRecord { late, steps };
        memory.note_tail(fan, &fan.tails[tail], &record)?;
        self.tails[tail] = Some(record);
        Ok(())
    }

    fn record(self) -> FanRecord {
        FanRecord {
            prefix: self.prefix.unwrap_or_default(),
            tails: self.tails.into_iter().flatten().collect(),
        }
    }
}

/// Takes the error of a put-off tear-down away from the prefix, where the record charges it.
fn late(prefix: &mut [Step]) -> Option<anyorder_model::Signature> {
    let last = prefix.last_mut().filter(|last| last.is_late)?;
    last.outcome = Outcome::Passed;
    last.phase = None;
    last.is_late = false;
    last.signature.take()
}

fn whole(fan: &Fan, tail: usize) -> Order {
    fan.prefix.tests().iter().chain(fan.tails[tail].tests()).copied().collect()
}

fn seen_plainly(run: anyorder_engine::PlainRun) -> PlainSeen {
    PlainSeen {
        is_as_asked: run.is_faithful(),
        steps: run.record.steps,
        rung: run.rung,
        command: run.command,
    }
}
