//! Workers: as many at a time as the user allows, deepest work first, so that few states have to be kept.

use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyorder_model::{Order, RunRecord, TestIndex};

use crate::error::EngineError;
use crate::lab::Lab;
use crate::lock::Locked;
use crate::settings::Isolation;
use crate::tree::{Route, Ticket, Tree};
use crate::walk::{Task, Yield};

/// What the engine tells while it runs.
#[derive(Debug)]
pub enum Update<R = RunRecord> {
    /// What was asked for has run.
    Ran {
        /// Its number, from 1, in the sequence of all that was asked for.
        number: u64,
        /// What happened.
        record: R,
    },
    /// A test was found to end the process that its own was forked from.
    EndsItsParent {
        /// The test.
        test: TestIndex,
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

/// Orders that may share the execution of what they begin with, each from the fresh state.
#[derive(Clone, Debug, Default)]
pub struct Batch(pub Vec<Route>);

impl From<Vec<Order>> for Batch {
    fn from(orders: Vec<Order>) -> Self {
        Batch(orders.into_iter().map(Route::from).collect())
    }
}

struct Queue<'a> {
    tasks: Vec<Task>,
    batches: Box<dyn Iterator<Item = Batch> + Send + 'a>,
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
    batches: impl Iterator<Item = Batch> + Send + 'a,
    hear: impl FnMut(Update) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let queue = Queue { tasks: vec![], batches: Box::new(batches), next_ticket: 1, busy: 0, error: None };
    let pool = Pool { queue: Mutex::new(queue), news: Condvar::new() };
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for worker in 0..lab.settings.workers {
            let (pool, sender) = (&pool, sender.clone());
            scope.spawn(move || pool.work(lab, lab.disk.desk_of(worker), &sender));
        }
        drop(sender);
        listen(lab, &receiver, hear);
    });
    lab.halt.run_is_over();
    pool.queue.into_inner().expect("no worker panicked").error.map_or(Ok(()), Err)
}

/// Passes on what workers say, and that time passes, until the last of them is done. `Break` ends what is going on.
pub(crate) fn listen<R>(
    lab: &Lab,
    workers: &Receiver<Update<R>>,
    mut hear: impl FnMut(Update<R>) -> ControlFlow<()>,
) {
    let mut last_tick = Instant::now();
    loop {
        let update = match workers.recv_timeout(TICK.saturating_sub(last_tick.elapsed())) {
            Ok(update) => update,
            Err(RecvTimeoutError::Timeout) => {
                last_tick = Instant::now();
                lab.tick()
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if hear(update).is_break() {
            lab.halt.stop_run();
        }
    }
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
    fn work(&self, lab: &Arc<Lab>, desk: usize, updates: &Sender<Update>) {
        while let Some(task) = self.next_task(lab, desk, updates) {
            let turn = Turn { pool: self, lab };
            let done = task.perform(lab, desk).and_then(|done| Ok((done, lab.suspects.examine(lab, desk)?)));
            let mut queue = self.queue.locked();
            match done {
                Ok((done, guilty)) => {
                    queue.tasks.extend(tell(done, updates));
                    guilty.into_iter().for_each(|test| drop(updates.send(Update::EndsItsParent { test })));
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

    /// The deepest task there is for this desk, or else a new batch's; waits while others may still hand out tasks.
    fn next_task(&self, lab: &Arc<Lab>, desk: usize, updates: &Sender<Update>) -> Option<Task> {
        let mut queue = self.queue.locked();
        loop {
            if lab.halt.is_called() {
                queue.tasks.clear();
                return None;
            }
            let fits = |task: &Task| task.desk().is_none_or(|only| only == desk);
            if let Some(place) = queue.tasks.iter().rposition(fits) {
                queue.busy += 1;
                return Some(queue.tasks.remove(place));
            }
            if let Some(batch) = queue.batches.next() {
                for (isolation, tree) in queue.trees_of(lab, batch) {
                    let tasks = tell(Task::from_root(tree, isolation), updates);
                    queue.tasks.extend(tasks);
                }
                self.news.notify_all();
            } else if queue.busy == 0 && queue.tasks.is_empty() {
                return None;
            } else {
                queue = self.news.wait(queue).expect("no worker panics with the queue locked");
            }
        }
    }
}

impl Queue<'_> {
    /// Orders of a batch share what they begin with, unless they have to be run in different ways.
    fn trees_of(&mut self, lab: &Lab, batch: Batch) -> Vec<(Isolation, Tree)> {
        let numbered = (self.next_ticket..).zip(batch.0);
        let (forked, own): (Vec<_>, Vec<_>) =
            numbered.partition(|(_, route)| lab.isolation_of(&route.order) == Isolation::Fork);
        self.next_ticket += (forked.len() + own.len()) as Ticket;
        [(Isolation::Process, own), (Isolation::Fork, forked)]
            .into_iter()
            .filter(|(_, orders)| !orders.is_empty())
            .map(|(isolation, orders)| (isolation, Tree::new(&orders)))
            .collect()
    }
}

/// Passes records on; gives what is left to do.
fn tell(done: Yield, updates: &Sender<Update>) -> Vec<Task> {
    for (number, record) in done.records {
        let _ = updates.send(Update::Ran { number, record });
    }
    done.tasks
}
