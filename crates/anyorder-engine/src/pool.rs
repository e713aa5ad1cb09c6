//! Workers: as many at a time as the user allows, deepest work first, so that few states have to be kept.

use std::ops::ControlFlow;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyorder_model::{Order, RunRecord, TestIndex};

use crate::engine::Lab;
use crate::error::EngineError;
use crate::lock::Locked;
use crate::tree::{Ticket, Tree};
use crate::walk::{Task, Yield};

/// What the engine tells while it runs.
#[derive(Debug)]
pub enum Update {
    /// An order has run.
    Ran {
        /// Its number, from 1, in the sequence of all orders.
        number: u64,
        /// What happened.
        record: RunRecord,
    },
    /// Some time has passed.
    Tick {
        /// A test that is running.
        running: Option<TestIndex>,
        /// Executions of tests so far.
        test_runs: u64,
    },
}

/// How often the caller hears of time passing.
const TICK: Duration = Duration::from_millis(100);

struct Queue<'a> {
    tasks: Vec<Task>,
    batches: Box<dyn Iterator<Item = Vec<Order>> + Send + 'a>,
    next_ticket: Ticket,
    busy: usize,
    error: Option<EngineError>,
}

struct Pool<'a> {
    queue: Mutex<Queue<'a>>,
    news: Condvar,
}

/// Runs all orders of all batches; tells `hear` of each. `Break` ends everything that is going on.
pub(crate) fn run<'a>(
    lab: &Arc<Lab>,
    batches: impl Iterator<Item = Vec<Order>> + Send + 'a,
    mut hear: impl FnMut(Update) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let queue = Queue { tasks: vec![], batches: Box::new(batches), next_ticket: 1, busy: 0, error: None };
    let pool = Pool { queue: Mutex::new(queue), news: Condvar::new() };
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..lab.settings.workers {
            let (pool, sender) = (&pool, sender.clone());
            scope.spawn(move || pool.work(lab, &sender));
        }
        drop(sender);
        let mut last_tick = Instant::now();
        loop {
            let update = match receiver.recv_timeout(TICK.saturating_sub(last_tick.elapsed())) {
                Ok((number, record)) => Update::Ran { number, record },
                Err(RecvTimeoutError::Timeout) => {
                    last_tick = Instant::now();
                    lab.tick()
                }
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if hear(update).is_break() {
                lab.halt.stop_run();
            }
        }
    });
    lab.halt.run_is_over();
    pool.queue.into_inner().expect("no worker panicked").error.map_or(Ok(()), Err)
}

/// One task in a worker's hands. Others wait for its end, so it ends even when the worker panics.
struct Turn<'pool, 'a> {
    pool: &'pool Pool<'a>,
    lab: &'pool Lab,
}

impl Drop for Turn<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.lab.halt.stop_run();
        }
        self.pool.queue.locked().busy -= 1;
        self.pool.news.notify_all();
    }
}

impl Pool<'_> {
    fn work(&self, lab: &Arc<Lab>, records: &Sender<(Ticket, RunRecord)>) {
        while let Some(task) = self.next_task(lab, records) {
            let turn = Turn { pool: self, lab };
            let done = task.perform(lab);
            let mut queue = self.queue.locked();
            match done {
                Ok(Yield { records: new, tasks }) => {
                    queue.tasks.extend(tasks);
                    new.into_iter().for_each(|record| drop(records.send(record)));
                }
                Err(error) => {
                    lab.halt.stop_run();
                    queue.error.get_or_insert(error);
                }
            }
            drop(queue);
            drop(turn);
        }
    }

    /// The deepest task there is, or else a new batch's; waits while others may still hand out tasks.
    fn next_task(&self, lab: &Arc<Lab>, records: &Sender<(Ticket, RunRecord)>) -> Option<Task> {
        let mut queue = self.queue.locked();
        loop {
            if lab.halt.is_called() {
                queue.tasks.clear();
                return None;
            }
            if let Some(task) = queue.tasks.pop() {
                queue.busy += 1;
                return Some(task);
            }
            if let Some(batch) = queue.batches.next() {
                let tree = Tree::new(&batch, queue.next_ticket);
                queue.next_ticket += batch.len() as Ticket;
                let Yield { records: new, tasks } = Task::from_root(tree);
                new.into_iter().for_each(|record| drop(records.send(record)));
                queue.tasks = tasks;
            } else if queue.busy == 0 {
                return None;
            } else {
                queue = self.news.wait(queue).expect("no worker panics with the queue locked");
            }
        }
    }
}
