//! What has to be known of glibc's own book-keeping: where a thread's number is, and where its restartable sequences are.
//!
//! Asked once, before anything is parked. A libc that answers otherwise is refused.

use core::ffi::{CStr, c_char, c_void};
use core::ptr::null_mut;
use core::sync::atomic::AtomicIsize;
use core::sync::atomic::Ordering::SeqCst;

use crate::sys::{self, call, number};

#[link(name = "c")]
unsafe extern "C" {
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// From a thread's control block to the field that holds its number; 0 while unknown.
static NUMBER: AtomicIsize = AtomicIsize::new(0);

/// From a thread's control block to what it shares with the kernel for restartable sequences; 0 if there is no such thing.
static SEQUENCES: AtomicIsize = AtomicIsize::new(0);

/// Whether this is a libc that we know our way in.
pub(crate) fn prepare() -> bool {
    if NUMBER.load(SeqCst) == 0 {
        let Some(offset) = number_offset() else { return false };
        NUMBER.store(offset, SeqCst);
        SEQUENCES.store(sequences_offset().unwrap_or(0), SeqCst);
    }
    true
}

/// Where the calling thread's number is kept.
pub(crate) fn thread_number_address() -> usize {
    sys::thread_pointer().wrapping_add_signed(NUMBER.load(SeqCst))
}

/// The kernel knows the address, because it clears the number when the thread ends. Kernels that do not tell it have us look
/// for the number where every glibc so far has had it.
fn number_offset() -> Option<isize> {
    const GET_CLEARED_ADDRESS: usize = 40;
    let (block, this) = (sys::thread_pointer(), sys::thread());
    let mut address = 0_usize;
    // SAFETY: the kernel writes one word.
    let told = unsafe { call(number::PRCTL, [GET_CLEARED_ADDRESS, &raw mut address as usize, 0, 0, 0]) };
    // SAFETY: the kernel would write to this address; and a control block is larger than the range below.
    let holds_number = |address: usize| unsafe { (address as *const i32).read_volatile() } == this;
    if told == 0 && address != 0 {
        return holds_number(address).then(|| address.wrapping_sub(block) as isize);
    }
    (0x200..0x400).step_by(4).find(|offset| holds_number(block + offset)).map(|offset| offset as isize)
}

/// glibc tells since 2.35, as it does whether it uses them.
fn sequences_offset() -> Option<isize> {
    let find = |name: &CStr| {
        // SAFETY: looks for a name among all libraries; there is no other thread's work in it.
        let found = unsafe { dlsym(null_mut(), name.as_ptr()) };
        (!found.is_null()).then_some(found)
    };
    let (offset, size) = (find(c"__rseq_offset")?, find(c"__rseq_size")?);
    // SAFETY: glibc's manual gives the types.
    let (offset, size) = unsafe { (*offset.cast::<isize>(), *size.cast::<u32>()) };
    (size > 0).then_some(offset)
}

/// What a thread and the kernel share, as far as it has to be put back to its beginning.
#[repr(C)]
pub(crate) struct RestartableSequences {
    processor_at_start: u32,
    processor: u32,
    critical_section: u64,
}

impl RestartableSequences {
    /// Registers those of the calling thread, which is new to the kernel.
    pub(crate) fn register() {
        const SIZE: usize = 32;
        const SIGNATURE: usize = 0x5305_3053;
        let offset = SEQUENCES.load(SeqCst);
        if offset == 0 {
            return;
        }
        let area = sys::thread_pointer().wrapping_add_signed(offset) as *mut RestartableSequences;
        // SAFETY: glibc has set this place of the calling thread aside for nothing else.
        unsafe {
            area.write_volatile(RestartableSequences {
                processor_at_start: 0,
                processor: u32::MAX,
                critical_section: 0,
            });
            call(number::RSEQ, [area as usize, SIZE, 0, SIGNATURE, 0]);
        }
    }
}
