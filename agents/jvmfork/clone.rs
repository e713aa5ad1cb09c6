//! The fork itself: parks the other threads, copies the process, and has the copy put itself in order.

use crate::files::Places;
use crate::libc;
use crate::park::{self, Parked};
use crate::refusal::Refusal;
use crate::script::Script;
use crate::sys::{self, call, number};
use crate::threads::{self, Ties};

/// Which side of a fork this is.
pub(crate) enum Side {
    Parent { child: i32 },
    Child,
}

/// How a child ends that cannot put itself in order.
const NO_SCRIPT: i32 = 96;
const NO_THREADS: i32 = 97;

/// A copy of this process with all of its threads, which has carried out `script`. One thread at a time may ask.
pub(crate) fn fork(script: &Script<'_>) -> Result<Side, Refusal> {
    if !libc::prepare() {
        return Err(Refusal::Libc);
    }
    if !park::prepare() {
        return Err(Refusal::NoSignal);
    }
    let _quiet = SignalsBlocked::new();
    let mut ties = Ties::NONE;
    ties.note();
    // The others go on when this goes, on both sides: in the child, those that were made anew.
    let parked = Parked::all()?;
    let places = Places::note()?;
    let result = copy_process();
    if result == 0 {
        ties.tell();
        places.open_anew();
        if !script.carry_out() {
            sys::exit(NO_SCRIPT);
        }
        if !threads::recreate(parked.slots()) {
            sys::exit(NO_THREADS);
        }
        return Ok(Side::Child);
    }
    let result = result as i32;
    if result < 0 { Err(Refusal::Kernel(result)) } else { Ok(Side::Parent { child: result }) }
}

/// `fork` without libc, which would take locks, run handlers, and give the stacks of the other threads away.
fn copy_process() -> isize {
    const SIGCHLD: usize = 17;
    const WRITE_AND_CLEAR_NUMBER: usize = 0x0100_0000 | 0x0020_0000;
    // SAFETY: the child gets memory of its own; its number is written where libc expects it.
    unsafe { call(number::CLONE, [WRITE_AND_CLEAR_NUMBER | SIGCHLD, 0, 0, libc::thread_number_address(), 0]) }
}

/// Keeps signals away from this thread for a while: their handlers might want what a parked thread holds.
struct SignalsBlocked {
    before: u64,
}

impl SignalsBlocked {
    fn new() -> Self {
        SignalsBlocked { before: set_mask(!0) }
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        set_mask(self.before);
    }
}

/// Gives the mask that was.
fn set_mask(mask: u64) -> u64 {
    const SET: usize = 2;
    let mut before = 0_u64;
    // SAFETY: two masks of 8 bytes.
    unsafe { call(number::RT_SIGPROCMASK, [SET, &raw const mask as usize, &raw mut before as usize, 8, 0]) };
    before
}
