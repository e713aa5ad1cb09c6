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

/// Waits until somebody wakes those who wait for `word`, unless it is no longer `seen`; at most a millisecond if `briefly`.
pub(crate) fn wait_while(word: &AtomicU32, seen: u32, briefly: bool) {
    let moment = Time { seconds: 0, nanoseconds: MILLISECOND };
    let limit = if briefly { &raw const moment } else { null() };
    // SAFETY: both pointers are good for as long as the call takes.
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

/// Calls `each` with the numbers that a directory of `/proc` has entries for. `path` ends with a zero.
pub(crate) fn numbers_in(path: &[u8], mut each: impl FnMut(i32)) -> bool {
    const DIRECTORY: usize = 0o200_000;
    let Some(directory) = Descriptor::open(path, DIRECTORY) else { return false };
    let mut entries = [0_u64; 512];
    let start = entries.as_mut_ptr().cast::<u8>();
    loop {
        // SAFETY: the kernel writes no more than the size it is told.
        let size = unsafe {
            call(number::GETDENTS64, [directory.0 as usize, start as usize, size_of_val(&entries), 0, 0])
        };
        if size <= 0 {
            return size == 0;
        }
        let mut at = 0;
        while at < size as usize {
            // SAFETY: the kernel has written whole entries up to `size`: inode and offset (8 bytes each), the length of the
            // entry (2), its kind (1), and its name up to a zero.
            let (length, name) =
                unsafe { (start.add(at + 16).cast::<u16>().read_unaligned(), start.add(at + 19)) };
            // SAFETY: as above.
            if let Some(number) = unsafe { number_from(name) }
                && number != directory.0
            {
                each(number);
            }
            at += length as usize;
        }
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
