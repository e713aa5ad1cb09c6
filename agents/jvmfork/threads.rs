//! Threads: what has to be known of one, and how it is made anew in a copy of its process.
//!
//! Memory is copied with the process. What the kernel itself knows of a thread is not: that is saved here and told again.

use core::arch::naked_asm;
use core::mem::offset_of;

use crate::libc::{self, RestartableSequences};
use crate::park;
use crate::sys::{self, SECOND, call, number};
use crate::tally::Tally;

/// What the kernel knows of a thread and does not pass on.
#[repr(C)]
pub(crate) struct Ties {
    /// The list of mutexes that the kernel unlocks if the thread dies: where it begins, and the size of its head.
    robust_list: [usize; 2],
    /// Where handlers run that want a stack of their own: address, flags, size.
    signal_stack: [usize; 3],
    name: [u8; 16],
}

const GET_NAME: usize = 16;
const SET_NAME: usize = 15;

impl Ties {
    pub(crate) const NONE: Ties = Ties { robust_list: [0; 2], signal_stack: [0; 3], name: [0; 16] };

    /// Those of the calling thread.
    pub(crate) fn note(&mut self) {
        let [list, size] = self.robust_list.each_mut().map(|word| &raw mut *word as usize);
        // SAFETY: everything is as large as what the kernel writes there.
        unsafe {
            call(number::GET_ROBUST_LIST, [0, list, size, 0, 0]);
            call(number::SIGALTSTACK, [0, self.signal_stack.as_mut_ptr() as usize, 0, 0, 0]);
            call(number::PRCTL, [GET_NAME, self.name.as_mut_ptr() as usize, 0, 0, 0]);
        }
    }

    /// Makes them the calling thread's.
    pub(crate) fn tell(&self) {
        // SAFETY: the kernel reads as much as it has written.
        unsafe {
            call(number::SET_ROBUST_LIST, [self.robust_list[0], self.robust_list[1], 0, 0, 0]);
            call(number::SIGALTSTACK, [self.signal_stack.as_ptr() as usize, 0, 0, 0, 0]);
            call(number::PRCTL, [SET_NAME, self.name.as_ptr() as usize, 0, 0, 0]);
        }
    }
}

/// A thread that is parked.
#[repr(C)]
pub(crate) struct Slot {
    /// Its number.
    pub(crate) number: i32,
    /// Its stack, where the handler waits.
    stack: usize,
    /// Its control block.
    thread_pointer: usize,
    /// Where glibc keeps its number. The kernel sets that to zero when the thread ends.
    number_at: usize,
    ties: Ties,
}

impl Slot {
    pub(crate) const EMPTY: Slot =
        Slot { number: 0, stack: 0, thread_pointer: 0, number_at: 0, ties: Ties::NONE };

    /// Describes the calling thread.
    pub(crate) fn fill(&mut self, stack: usize) {
        self.number = sys::thread();
        self.stack = stack;
        self.thread_pointer = sys::thread_pointer();
        self.number_at = libc::thread_number_address();
        self.ties.note();
    }
}

/// How many threads have been made anew.
static RESUMED: Tally = Tally::new();

/// Threads that share everything, as libc makes them: memory, file system, files, handlers, process, semaphores; with their own
/// thread-local storage; their number is written on both sides of their beginning, and removed at their end.
const THREAD: usize = 0x100 | 0x200 | 0x400 | 0x800 | 0x1_0000 | 0x4_0000 | 0x8_0000 | 0x10_0000 | 0x20_0000;

/// How long it may take until all are there.
const PATIENCE: i64 = 20 * SECOND;

/// Makes the parked threads anew. They wait with the others until they are released; false if that cannot be done.
pub(crate) fn recreate(slots: &[Slot]) -> bool {
    RESUMED.reset();
    for slot in slots {
        // SAFETY: the stack and the storage belong to a thread that does not exist in this process.
        if unsafe { clone_thread(slot, THREAD) } < 0 {
            return false;
        }
    }
    let deadline = sys::now() + PATIENCE;
    while !RESUMED.reaches(slots.len() as u32) {
        if sys::now() > deadline {
            return false;
        }
    }
    true
}

/// `clone`, whose new thread goes on where `park::handler` waits, with the stack as it was there.
///
/// # Safety
/// Nobody else uses the stack and the storage of the thread that `slot` describes.
#[unsafe(naked)]
unsafe extern "C" fn clone_thread(slot: &Slot, flags: usize) -> isize {
    naked_asm!(
        "mov r9, rdi", // the kernel leaves this one alone, in both threads
        "mov rdi, rsi",
        "mov rsi, [r9 + {stack}]",
        "mov rdx, [r9 + {number_at}]",
        "mov r10, rdx",
        "mov r8, [r9 + {thread_pointer}]",
        "mov eax, {clone}",
        "syscall",
        "test rax, rax",
        "jz 2f",
        "ret",
        "2:",
        "mov rdi, r9",
        "call {resume}",
        "jmp {leave}",
        stack = const offset_of!(Slot, stack),
        number_at = const offset_of!(Slot, number_at),
        thread_pointer = const offset_of!(Slot, thread_pointer),
        clone = const number::CLONE,
        resume = sym resume,
        leave = sym park::leave,
    )
}

/// The first thing that a new thread does.
extern "C" fn resume(slot: &Slot) {
    let fork = park::current();
    slot.ties.tell();
    RestartableSequences::register();
    RESUMED.add();
    park::wait_for_release(fork);
}
