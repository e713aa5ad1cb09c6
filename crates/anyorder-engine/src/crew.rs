//! A crew: as many workers as the user allows, each of whom takes the next question until there is none.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::error::EngineError;
use crate::lab::Lab;
use crate::lock::Locked;
use crate::pool::{Update, listen};

/// What workers share.
struct Crew<'a, Q, F> {
    asked: &'a [Q],
    answer: F,
    next: AtomicUsize,
    error: Mutex<Option<EngineError>>,
}

/// Has all of `asked` answered at some desk; tells `hear` of each answer. `Break` ends everything that is going on.
pub(crate) fn run<Q: Sync, R: Send>(
    lab: &Arc<Lab>,
    asked: &[Q],
    answer: impl Fn(&Arc<Lab>, usize, &Q) -> Result<R, EngineError> + Sync,
    hear: impl FnMut(Update<R>) -> ControlFlow<()>,
) -> Result<(), EngineError> {
    let crew = Crew { asked, answer, next: AtomicUsize::new(0), error: Mutex::default() };
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for worker in 0..lab.settings.workers.min(asked.len()) {
            let (crew, sender) = (&crew, sender.clone());
            scope.spawn(move || crew.work(lab, lab.disk.desk_of(worker), &sender));
        }
        drop(sender);
        listen(lab, &receiver, hear);
    });
    lab.halt.run_is_over();
    crew.error.into_inner().expect("no worker panicked").map_or(Ok(()), Err)
}

impl<Q, F> Crew<'_, Q, F> {
    fn work<R>(&self, lab: &Arc<Lab>, desk: usize, updates: &Sender<Update<R>>)
    where
        F: Fn(&Arc<Lab>, usize, &Q) -> Result<R, EngineError>,
    {
        while !lab.halt.is_called() {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(question) = self.asked.get(place) else { return };
            let done = (self.answer)(lab, desk, question)
                .and_then(|record| Ok((record, lab.suspects.examine(lab, desk)?)));
            match done {
                Ok((record, guilty)) => {
                    guilty.into_iter().for_each(|test| drop(updates.send(Update::EndsItsParent { test })));
                    if !lab.halt.is_called() {
                        let _ = updates.send(Update::Ran { number: place as u64 + 1, record });
                    }
                }
                Err(error) => {
                    lab.halt.stop_run();
                    self.error.locked().get_or_insert(error);
                }
            }
        }
    }
}
