//! Forks a running HotSpot JVM together with all of its threads. x86-64 Linux with glibc.
//!
//! `fork` copies a process with one thread: the one that called it. A JVM without its other threads hangs as soon as it
//! has to collect garbage, to compile or to end. So here the others come along, in three steps:
//!
//! 1. **Park** (`park.rs`): every other thread is sent a signal, and waits inside the handler.
//! 2. **Clone** (`clone.rs`): the process is copied by the bare system call. The child has the memory of all threads, their
//!    stacks and thread-local storage among it, and one thread.
//! 3. **Re-create** (`threads.rs`): for each parked thread the child makes a new one *on the old stack*, with the old
//!    thread-local storage, which then returns from the signal handler to wherever it was.
//!
//! Before the third step, while the child has one thread, it opens its files anew (`files.rs`), and carries out the system
//! calls that Java has prepared for it (`script.rs`).
//!
//! Between parking and release any other thread may hold any lock, that of the allocator for instance. Nothing here may
//! need one: no allocation, no libc, only system calls. The crate has no `std`, so that this cannot happen by mistake.
//!
//! `docs/jvm-fork.md` tells the whole story. This is no member of the workspace: the build script of `anyorder-junit`
//! compiles it, and the binary carries it along.

#![no_std]

mod clone;
mod files;
mod jni;
mod libc;
mod park;
mod refusal;
mod script;
mod shared;
mod sys;
mod tally;
mod threads;

/// Nothing here is meant to panic; if something does, this process is in no state to go on.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    sys::exit(99)
}

/// The compiled `core` asks for this by name, for unwinding, which does not happen here.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
