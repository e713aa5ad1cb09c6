//! Orders for the user's own runner: what is remembered of them, and running the rest side by side.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyorder_engine::{EngineError, PlainRequest};
use anyorder_model::{Event, Halted, PlainAsk, PlainSeen, Rung};
use anyorder_store::StoreError;

use super::{EngineOracle, Trouble};

/// How often progress is shown while plain runs are waited for.
const TICK: Duration = Duration::from_millis(100);

impl EngineOracle<'_, '_> {
    pub(super) fn run_asked_plainly(&mut self, asked: &[PlainAsk]) -> Result<Vec<PlainSeen>, Halted> {
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

fn seen_plainly(run: anyorder_engine::PlainRun) -> PlainSeen {
    PlainSeen {
        is_as_asked: run.is_faithful(),
        steps: run.record.steps,
        rung: run.rung,
        command: run.command,
    }
}
