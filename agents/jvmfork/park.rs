//! Stops every other thread of the process in a signal handler, and lets them go again.
//!
//! A parked thread has left in its `Slot` what it takes to make it anew in another process. A thread counts as parked
//! when its slot is complete and it does nothing but wait.

use core::arch::naked_asm;
use core::sync::atomic::Ordering::SeqCst;
use core::sync::atomic::{AtomicI32, AtomicU32, AtomicU64};

use crate::refusal::Refusal;
use crate::shared::Shared;
use crate::sys::{self, Numbers, SECOND, call, number};
use crate::tally::Tally;
use crate::threads::Slot;

/// How long it may take until all threads are parked. A thread that blocks the signal never is.
const PATIENCE: i64 = 3 * SECOND;

/// More threads than this are not forked.
const MOST_THREADS: usize = 4096;

/// The number of this fork, odd while threads may park for it, and below it how many slots are taken.
///
/// Both in one word: a thread whose signal comes late, after its fork was given up, must not take a slot of the next one.
static GATE: AtomicU64 = AtomicU64::new(0);

/// How many of the slots that are taken are complete.
static PARKED: Tally = Tally::new();

/// The last fork whose threads may go on.
static RELEASED: AtomicU32 = AtomicU32::new(0);

/// The signal; 0 until the handler is in place.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// A thread that did not park when it should have.
static UNPARKED: AtomicI32 = AtomicI32::new(0);

/// A slot is written by the thread that has taken it, and read by the forking thread after it was counted as parked.
static SLOTS: Shared<[Slot; MOST_THREADS]> = Shared::new([Slot::EMPTY; MOST_THREADS]);
static SIGNALLED: Shared<[i32; MOST_THREADS]> = Shared::new([0; MOST_THREADS]);

/// All other threads, waiting. They go on when this is dropped.
pub(crate) struct Parked {
    fork: u32,
    count: usize,
}

impl Parked {
    /// Parks all other threads, or says why that cannot be. Then none is parked, and no harm done.
    pub(crate) fn all() -> Result<Parked, Refusal> {
        let threads = Numbers::open(b"/proc/self/task\0").ok_or(Refusal::NoThreads)?;
        let fork = open_gate();
        let tried = signal_until_all_wait(&threads);
        let parked = Parked { fork, count: close_gate(fork) };
        if tried.is_err() {
            parked.note_who_is_missing(&threads);
        }
        tried.map(|()| parked)
    }

    /// What is known of the threads.
    pub(crate) fn slots(&self) -> &[Slot] {
        // SAFETY: these slots are complete, and their owners wait.
        unsafe { &(&*SLOTS.get())[..self.count] }
    }

    fn note_who_is_missing(&self, threads: &Numbers) {
        let this = sys::thread();
        threads.each(|thread| {
            if thread != this && self.slots().iter().all(|slot| slot.number != thread) {
                UNPARKED.store(thread, SeqCst);
            }
        });
    }
}

impl Drop for Parked {
    fn drop(&mut self) {
        RELEASED.store(self.fork, SeqCst);
        sys::wake(&RELEASED);
    }
}

/// The thread because of which there was no fork; 0 if it never came to that.
pub(crate) fn unparked() -> i32 {
    UNPARKED.load(SeqCst)
}

/// From now on threads may take slots, for the fork whose number this gives.
fn open_gate() -> u32 {
    let fork = current();
    PARKED.reset();
    GATE.store(u64::from(fork - 1) << 32, SeqCst);
    fork
}

/// From now on nobody takes a slot. Waits for those who are about to complete theirs: they only run our handler.
fn close_gate(fork: u32) -> usize {
    let taken = taken(GATE.swap(u64::from(fork) << 32, SeqCst));
    while !PARKED.reaches(taken) {}
    taken as usize
}

fn taken(gate: u64) -> u32 {
    gate as u32
}

fn signal_until_all_wait(threads: &Numbers) -> Result<(), Refusal> {
    let deadline = sys::now() + PATIENCE;
    let mut signalled = 0;
    loop {
        signal_others(threads, &mut signalled);
        // One that was signalled may end instead, and others may have begun meanwhile.
        PARKED.reaches(signalled as u32);
        let parked = PARKED.count();
        let others = threads.directories().ok_or(Refusal::NoThreads)?.saturating_sub(1);
        // This is exact. A listing is not: it may end early if a thread does. And only one that is not parked could begin another.
        if others == parked {
            return Ok(());
        }
        if others as usize > MOST_THREADS {
            return Err(Refusal::TooMany);
        }
        if sys::now() > deadline {
            return Err(Refusal::NotParked);
        }
    }
}

/// Signals the threads that have not been.
fn signal_others(threads: &Numbers, signalled: &mut usize) {
    let (process, this, signal) = (sys::process(), sys::thread(), SIGNAL.load(SeqCst));
    // SAFETY: only the forking thread comes here.
    let list = unsafe { &mut *SIGNALLED.get() };
    threads.each(|thread| {
        if thread == this || *signalled == MOST_THREADS || list[..*signalled].contains(&thread) {
            return;
        }
        let arguments = [process as usize, thread as usize, signal as usize, 0, 0];
        // SAFETY: takes no pointers, and the handler is in place.
        if unsafe { call(number::TGKILL, arguments) } == 0 {
            list[*signalled] = thread;
            *signalled += 1;
        }
    });
}

/// Where a signalled thread comes in. All that a function must keep for its caller is on the stack when it waits, so
/// the stack pointer is all that is needed to go on from here, in this process or in a copy of it.
#[unsafe(naked)]
extern "C" fn handler() {
    naked_asm!(
        "push rbp", "push rbx", "push r12", "push r13", "push r14", "push r15",
        "sub rsp, 8", // calls want the stack to be aligned
        "mov rdi, rsp",
        "call {park}",
        "jmp {leave}",
        park = sym park,
        leave = sym leave,
    )
}

/// The end of `handler`, for a thread whose stack is as it was there.
#[unsafe(naked)]
pub(crate) extern "C" fn leave() {
    naked_asm!("add rsp, 8", "pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp", "ret",)
}

extern "C" fn park(stack: usize) {
    let Some((fork, place)) = take_slot() else { return };
    // SAFETY: this thread has taken the slot.
    unsafe { (*SLOTS.get())[place].fill(stack) };
    PARKED.add();
    wait_for_release(fork);
}

/// The fork that goes on, and a place in the row of slots.
fn take_slot() -> Option<(u32, usize)> {
    let mut gate = GATE.load(SeqCst);
    loop {
        let (open, place) = ((gate >> 32) as u32, taken(gate) as usize);
        if open % 2 == 0 || place == MOST_THREADS {
            return None;
        }
        match GATE.compare_exchange(gate, gate + 1, SeqCst, SeqCst) {
            Ok(_) => return Some((open + 1, place)),
            Err(other) => gate = other,
        }
    }
}

pub(crate) fn wait_for_release(fork: u32) {
    loop {
        let released = RELEASED.load(SeqCst);
        if released >= fork {
            return;
        }
        sys::wait_while(&RELEASED, released);
    }
}

/// The fork that goes on now.
pub(crate) fn current() -> u32 {
    RELEASED.load(SeqCst) + 2
}

#[repr(C)]
struct Action {
    handler: usize,
    flags: usize,
    restorer: usize,
    mask: u64,
}

/// Where the kernel has a handler return to.
#[unsafe(naked)]
extern "C" fn restorer() {
    naked_asm!("mov eax, 15", "syscall") // rt_sigreturn
}

fn address(function: extern "C" fn()) -> usize {
    function as *const () as usize
}

/// Puts the handler in place, on a signal that nobody uses.
pub(crate) fn prepare() -> bool {
    const REAL_TIME: core::ops::Range<i32> = 44..60;
    const RESTORER_RESTART: usize = 0x0400_0000 | 0x1000_0000;
    if SIGNAL.load(SeqCst) != 0 {
        return true;
    }
    // While a thread is in the handler no other signal may come: it would run on a stack that is being copied.
    let ours =
        Action { handler: address(handler), flags: RESTORER_RESTART, restorer: address(restorer), mask: !0 };
    for signal in REAL_TIME {
        let mut theirs = Action { handler: 0, flags: 0, restorer: 0, mask: 0 };
        // SAFETY: both actions are as the kernel wants them, with a mask of 8 bytes; nobody has a handler here.
        unsafe {
            let number = signal as usize;
            call(number::RT_SIGACTION, [number, 0, &raw mut theirs as usize, 8, 0]);
            if theirs.handler == 0
                && call(number::RT_SIGACTION, [number, &raw const ours as usize, 0, 8, 0]) == 0
            {
                SIGNAL.store(signal, SeqCst);
                return true;
            }
        }
    }
    false
}
