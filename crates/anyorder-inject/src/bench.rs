//! Where mutants are tried out, as the thinking sees it.

use std::sync::Arc;

use anyorder_model::{Halted, Order, RunRecord, Suite, Swap};

use crate::{Flaky, Mutant};

/// Runs orders of a suite, as it is and as mutants have it.
pub trait Bench {
    /// The suite as it is. Mutants have the same tests.
    fn suite(&self) -> &Suite;

    /// How each mutant can be run, if it can be.
    fn fitness(&mut self, mutants: &[&Mutant]) -> Result<Vec<Fitness>, Halted>;

    /// Carries out all that is asked, in parallel as far as that is possible; answers in the order asked.
    fn run(&mut self, asked: &[Ask<'_>]) -> Result<Vec<Vec<RunRecord>>, Halted>;

    /// Hunts in the whole suite as the mutant has it: what the plain runner has confirmed.
    fn hunt(&mut self, mutant: &Mutant) -> Result<Vec<Flaky>, Halted>;

    /// Runs orders with the user's own runner on the changed tree of a mutant, each in a new process.
    fn run_plain(&mut self, asked: &[Ask<'_>]) -> Result<Vec<Vec<RunRecord>>, Halted>;
}

/// Orders, each from the fresh state.
#[derive(Clone, Debug)]
pub struct Ask<'m> {
    /// Whose; of the suite as it is if there is none.
    pub mutant: Option<&'m Mutant>,
    /// Which; what they begin with may run once for all that is asked, up to the change.
    pub orders: Vec<Order>,
    /// The change is made right before the test at this place, and not earlier; only of mutants that are swapped in.
    pub changed_at: Option<usize>,
    /// Whether nothing of it is shared with what else is asked: to see whether it ends alike each time.
    pub is_apart: bool,
    /// The seed of random numbers that tests draw, where a mutant is swapped in; those of the session if there is none.
    pub draw: Option<u32>,
}

impl<'m> Ask<'m> {
    /// Orders of the suite as it is.
    pub fn as_is(orders: Vec<Order>) -> Self {
        Ask { mutant: None, orders, changed_at: None, is_apart: true, draw: None }
    }

    /// Orders of a mutant.
    pub fn of(mutant: &'m Mutant, orders: Vec<Order>) -> Self {
        Ask { mutant: Some(mutant), orders, changed_at: None, is_apart: false, draw: None }
    }

    /// Where a function that is swapped in has to be changed in an order; nothing if nobody runs it.
    pub fn place_in(&self, order: &Order) -> Option<usize> {
        let mutant = self.mutant?;
        let place = self.changed_at.or_else(|| mutant.first_use(order))?;
        // Random numbers are others from the start, as they are in another session.
        Some(if self.draw.is_some() { 0 } else { place })
    }

    /// The change for a suite that stays collected.
    pub fn swap(&self) -> Option<Arc<Swap>> {
        let swap = self.mutant?.swap.as_ref()?;
        Some(match self.draw {
            Some(_) => Arc::new(Swap { draw: self.draw, ..(**swap).clone() }),
            None => Arc::clone(swap),
        })
    }
}

/// How a mutant can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fitness {
    /// The changed function is swapped in, in a process that has collected the suite.
    Swapped,
    /// The suite is collected again, on a changed tree.
    Changed,
    /// Not at all: it does not compile, or its tests are not collected.
    Invalid(String),
}
