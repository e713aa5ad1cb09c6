//! The kernel, without libc in between. Knows numbers and calling conventions; decides nothing.

use core::arch::asm;
use core::ptr::null;
use core::sync::atomic::AtomicU32;

/// Numbers of system calls on x86-64.
pub(crate) mod number {
    pub(crate) const CLOSE: usize = 3;
    pub(crate) const FSTAT: usize = 5;
    pub(crate) const LSEEK: usize = 8;
    pub(crate) const RT_SIGACTION: usize = 13;
    pub(crate) const RT_SIGPROCMASK: usize = 14;
    pub(crate) const GETPID: usize = 39;
    pub(crate) const CLONE: usize = 56;
    pub(crate) const WAIT4: usize = 61;
    pub(crate) const FCNTL: usize = 72;
    pub(crate) const GETPPID: usize = 110;
    pub(crate) const SIGALTSTACK: usize = 131;
    pub(crate) const PRCTL: usize = 157;
    pub(crate) const GETTID: usize = 186;
    pub(crate) const FUTEX: usize = 202;
    pub(crate) const GETDENTS64: usize = 217;
    pub(crate) const CLOCK_GETTIME: usize = 228;
    pub(crate) const EXIT_GROUP: usize = 231;
    pub(crate) const TGKILL: usize = 234;
    pub(crate) const WAITID: usize = 247;
    pub(crate) const OPENAT: usize = 257;
    pub(crate) const SET_ROBUST_LIST: usize = 273;
    pub(crate) const GET_ROBUST_LIST: usize = 274;
    pub(crate) const DUP3: usize = 292;
    pub(crate) const RSEQ: usize = 334;
}

/// Relative to the working directory, if a path is relative at all.
const HERE: usize = -100_isize as usize;

pub(crate) const INTERRUPTED: isize = -4;

/// What the kernel says; an error is a small negative number.
///
/// # Safety
/// As for the call itself: what the arguments point to has to be there, and as large as the kernel takes it to be.
#[inline(always)]
pub(crate) unsafe fn call(number: usize, arguments: [usize; 5]) -> isize {
    let [a, b, c, d, e] = arguments;
    let result;
    // SAFETY: the kernel keeps all registers but these three; the rest is the caller's promise.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") 0_usize,
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Ends this process and all of its threads, with nothing run on the way out.
pub(crate) fn exit(status: i32) -> ! {
    loop {
        // SAFETY: takes no pointers.
        unsafe { call(number::EXIT_GROUP, [status as usize, 0, 0, 0, 0]) };
    }
}

pub(crate) fn process() -> i32 {
    // SAFETY: takes no pointers.
    unsafe { call(number::GETPID, [0; 5]) as i32 }
}

pub(crate) fn thread() -> i32 {
    // SAFETY: takes no pointers.
    unsafe { call(number::GETTID, [0; 5]) as i32 }
}

pub(crate) fn parent() -> i32 {
    // SAFETY: takes no pointers.
    unsafe { call(number::GETPPID, [0; 5]) as i32 }
}

/// The address of this thread's control block, which thread-local storage is relative to.
#[inline(always)]
pub(crate) fn thread_pointer() -> usize {
    let address;
    // SAFETY: on x86-64 the first word of the block is its own address.
    unsafe { asm!("mov {}, fs:[0]", out(reg) address, options(nostack, readonly, preserves_flags)) };
    address
}

#[repr(C)]
pub(crate) struct Time {
    seconds: i64,
    nanoseconds: i64,
}

pub(crate) const MILLISECOND: i64 = 1_000_000;
pub(crate) const SECOND: i64 = 1_000 * MILLISECOND;

/// Nanoseconds on a clock that nobody sets.
pub(crate) fn now() -> i64 {
    const MONOTONIC: usize = 1;
    let mut time = Time { seconds: 0, nanoseconds: 0 };
    // SAFETY: the kernel writes one `Time`.
    unsafe { call(number::CLOCK_GETTIME, [MONOTONIC, &raw mut time as usize, 0, 0, 0]) };
    time.seconds * SECOND + time.nanoseconds
}

const WAIT_PRIVATE: usize = 128;
const WAKE_PRIVATE: usize = 129;

/// Waits until somebody wakes those who wait for `word`, unless it is no longer `seen`.
pub(crate) fn wait_while(word: &AtomicU32, seen: u32) {
    futex_wait(word, seen, null());
}

/// The same for a millisecond at most.
pub(crate) fn wait_a_moment_while(word: &AtomicU32, seen: u32) {
    let moment = Time { seconds: 0, nanoseconds: MILLISECOND };
    futex_wait(word, seen, &raw const moment);
}

/// `limit` is null, or good for as long as this takes.
fn futex_wait(word: &AtomicU32, seen: u32, limit: *const Time) {
    // SAFETY: the word is there for as long as the call takes, and so is the limit, the caller's promise.
    unsafe { call(number::FUTEX, [word.as_ptr() as usize, WAIT_PRIVATE, seen as usize, limit as usize, 0]) };
}

/// Wakes all who wait for `word`.
pub(crate) fn wake(word: &AtomicU32) {
    // SAFETY: the word is only looked up by its address.
    unsafe { call(number::FUTEX, [word.as_ptr() as usize, WAKE_PRIVATE, i32::MAX as usize, 0, 0]) };
}

/// A descriptor that closes when it goes.
pub(crate) struct Descriptor(pub(crate) i32);

const CLOSE_ON_EXEC: usize = 0o2_000_000;

impl Descriptor {
    /// `path` ends with a zero.
    pub(crate) fn open(path: &[u8], flags: usize) -> Option<Descriptor> {
        debug_assert!(path.last() == Some(&0));
        // SAFETY: the path ends with a zero.
        let result =
            unsafe { call(number::OPENAT, [HERE, path.as_ptr() as usize, flags | CLOSE_ON_EXEC, 0, 0]) };
        (result >= 0).then_some(Descriptor(result as i32))
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: takes no pointers; the number is ours.
        unsafe { call(number::CLOSE, [self.0 as usize, 0, 0, 0, 0]) };
    }
}

/// A directory of `/proc` whose entries are numbers.
pub(crate) struct Numbers(Descriptor);

impl Numbers {
    /// `path` ends with a zero.
    pub(crate) fn open(path: &[u8]) -> Option<Numbers> {
        const DIRECTORY: usize = 0o200_000;
        Descriptor::open(path, DIRECTORY).map(Numbers)
    }

    /// How many directories it has. The kernel keeps count of them as of links, and tells it at one blow.
    pub(crate) fn directories(&self) -> Option<u32> {
        const ITSELF_AND_ITS_NAME: u32 = 2;
        Status::of(self.0.0).map(|status| status.links().saturating_sub(ITSELF_AND_ITS_NAME))
    }

    /// Calls `each` with the numbers; some may be left out if others go at the same time.
    pub(crate) fn each(&self, mut each: impl FnMut(i32)) {
        const START: usize = 0;
        let mut entries = [0_u64; 512];
        let (directory, start) = (self.0.0 as usize, entries.as_mut_ptr().cast::<u8>());
        // SAFETY: takes no pointers.
        unsafe { call(number::LSEEK, [directory, 0, START, 0, 0]) };
        loop {
            // SAFETY: the kernel writes no more than the size it is told.
            let size =
                unsafe { call(number::GETDENTS64, [directory, start as usize, size_of_val(&entries), 0, 0]) };
            if size <= 0 {
                return;
            }
            let mut at = 0;
            while at < size as usize {
                // SAFETY: the kernel has written whole entries up to `size`: inode and offset (8 bytes each), the length of
                // the entry (2), its kind (1), and its name up to a zero.
                let (length, number) = unsafe {
                    (start.add(at + 16).cast::<u16>().read_unaligned(), number_from(start.add(at + 19)))
                };
                if let Some(number) = number {
                    each(number);
                }
                at += length as usize;
            }
        }
    }
}

/// What `fstat` says of an open file.
pub(crate) struct Status([u32; 36]);

impl Status {
    pub(crate) fn of(descriptor: i32) -> Option<Status> {
        let mut status = Status([0; 36]);
        let place = status.0.as_mut_ptr() as usize;
        // SAFETY: on x86-64 the kernel writes 144 bytes.
        let result = unsafe { call(number::FSTAT, [descriptor as usize, place, 0, 0, 0]) };
        (result == 0).then_some(status)
    }

    /// A 64-bit field at 16, of which nobody needs the upper half.
    fn links(&self) -> u32 {
        self.0[4]
    }

    /// The mode is at 24.
    pub(crate) fn is_regular_file(&self) -> bool {
        const KIND: u32 = 0o170_000;
        const REGULAR: u32 = 0o100_000;
        self.0[6] & KIND == REGULAR
    }
}

/// # Safety
/// `name` ends with a zero.
unsafe fn number_from(mut name: *const u8) -> Option<i32> {
    let mut number = 0_i32;
    // SAFETY: stops at the zero, the caller's promise.
    unsafe {
        while *name != 0 {
            let digit = (*name).wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            number = number.wrapping_mul(10).wrapping_add(digit as i32);
            name = name.add(1);
        }
    }
    Some(number)
}
