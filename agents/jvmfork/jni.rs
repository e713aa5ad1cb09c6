//! What Java calls: the native methods of `dev.anyorder.agent.Fork`.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::{Acquire, Release};

use crate::clone::{self, Side};
use crate::park;
use crate::refusal::Refusal;
use crate::script::{MOST_STEPS, Script, Step};
use crate::sys::{self, call, number};

type Reference = *mut c_void;
type Field = *mut c_void;

/// Java's side of a native method: a table of functions, of which five are used here, by the places that the
/// specification of JNI gives them.
#[repr(transparent)]
struct Environment(*const [*const c_void; 235]);

const GET_OBJECT_CLASS: usize = 31;
const GET_FIELD_ID: usize = 94;
const GET_LONG_FIELD: usize = 101;
const SET_LONG_FIELD: usize = 110;
const GET_BYTE_ARRAY_REGION: usize = 200;

impl Environment {
    /// # Safety
    /// `F` is the type of the function at that place.
    unsafe fn function<F: Copy>(&self, place: usize) -> F {
        // SAFETY: the table is the JVM's, and a function pointer is as large as any other; the rest is the caller's promise.
        unsafe { core::mem::transmute_copy(&(*self.0)[place]) }
    }

    /// Copies the beginning of a `byte[]`, which is at least as long.
    fn copy_bytes(&mut self, array: Reference, to: &mut [u8]) {
        type Function = unsafe extern "C" fn(*mut Environment, Reference, i32, i32, *mut u8);
        // SAFETY: the type is that of the specification.
        unsafe {
            let get: Function = self.function(GET_BYTE_ARRAY_REGION);
            get(self, array, 0, to.len() as i32, to.as_mut_ptr());
        }
    }

    /// Gives a field of type `long` of one object the value that it has in another of the same class, whatever Java thinks of it.
    fn copy_long(&mut self, name: &CStr, from: Reference, to: Reference) {
        type ClassOf = unsafe extern "C" fn(*mut Environment, Reference) -> Reference;
        type FieldOf =
            unsafe extern "C" fn(*mut Environment, Reference, *const c_char, *const c_char) -> Field;
        type Get = unsafe extern "C" fn(*mut Environment, Reference, Field) -> i64;
        type Set = unsafe extern "C" fn(*mut Environment, Reference, Field, i64);
        // SAFETY: the types are those of the specification; without such a field an exception waits for Java.
        unsafe {
            let class = self.function::<ClassOf>(GET_OBJECT_CLASS)(self, from);
            let field = self.function::<FieldOf>(GET_FIELD_ID)(self, class, name.as_ptr(), c"J".as_ptr());
            if !field.is_null() {
                let value = self.function::<Get>(GET_LONG_FIELD)(self, from, field);
                self.function::<Set>(SET_LONG_FIELD)(self, to, field, value);
            }
        }
    }
}

const MOST_BYTES: usize = 256 * 1024;

/// Where a script is kept while it is needed: nothing here can allocate.
#[repr(C, align(8))]
struct Desk(UnsafeCell<[u8; MOST_BYTES]>);

// SAFETY: used by whoever has set `IS_BUSY`.
unsafe impl Sync for Desk {}

static DESK: Desk = Desk(UnsafeCell::new([0; MOST_BYTES]));
static IS_BUSY: AtomicBool = AtomicBool::new(false);

/// Does something with the script that Java has written down; a negative number if that is not possible now.
fn with_script(
    environment: &mut Environment,
    array: Reference,
    length: i32,
    steps: i32,
    act: impl FnOnce(&Script<'_>) -> i32,
) -> i32 {
    let (length, steps) = (length as usize, steps as usize);
    if length > MOST_BYTES || steps > MOST_STEPS || steps * size_of::<Step>() > length {
        return Refusal::TooLong.number();
    }
    if IS_BUSY.swap(true, Acquire) {
        return Refusal::Busy.number();
    }
    // SAFETY: nobody else uses the desk now. It is aligned, and any bytes are a step.
    let script = unsafe {
        environment.copy_bytes(array, &mut (&mut *DESK.0.get())[..length]);
        let bytes = &(&*DESK.0.get())[..length];
        let (row, text) = bytes.split_at(steps * size_of::<Step>());
        Script { steps: core::slice::from_raw_parts(row.as_ptr().cast::<Step>(), steps), text }
    };
    let result = act(&script);
    IS_BUSY.store(false, Release);
    result
}

/// A copy of this process that has carried out a script: 0 in the child, the child's number in the parent, or why there is none.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_anyorder_agent_Fork_fork(
    environment: &mut Environment,
    _: Reference,
    script: Reference,
    length: i32,
    steps: i32,
) -> i32 {
    with_script(environment, script, length, steps, |script| match clone::fork(script) {
        Ok(Side::Parent { child }) => child,
        Ok(Side::Child) => 0,
        Err(refusal) => refusal.number(),
    })
}

/// The thread because of which there was no fork.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_anyorder_agent_Fork_unparked(_: &mut Environment, _: Reference) -> i32 {
    park::unparked()
}

/// Carries a script out in the calling thread: 1 if all went well that had to.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_anyorder_agent_Fork_carryOut(
    environment: &mut Environment,
    _: Reference,
    script: Reference,
    length: i32,
    steps: i32,
) -> i32 {
    with_script(environment, script, length, steps, |script| i32::from(script.carry_out()))
}

/// How a child ended, as `waitpid` has it; -1 if it has not, -2 if there is no such child.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_anyorder_agent_Fork_waitFor(
    _: &mut Environment,
    _: Reference,
    child: i32,
    is_patient: u8,
) -> i32 {
    const AT_ONCE: usize = 1;
    let options = if is_patient == 0 { AT_ONCE } else { 0 };
    let mut status = 0_i32;
    loop {
        // SAFETY: the kernel writes one status.
        let result =
            unsafe { call(number::WAIT4, [child as usize, &raw mut status as usize, options, 0, 0]) };
        match result {
            sys::INTERRUPTED => {}
            0 => return -1,
            negative if negative < 0 => return -2,
            _ => return status,
        }
    }
}

/// Whether there is any child that nobody has waited for.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_anyorder_agent_Fork_hasChildren(_: &mut Environment, _: Reference) -> u8 {
    const ANY: usize = 0;
    const LOOK_ONLY: usize = 0x0100_0000 | 4 | 1;
    let mut information = [0_u64; 16];
    let place = information.as_mut_ptr() as usize;
    // SAFETY: the kernel writes 128 bytes.
    u8::from(unsafe { call(number::WAITID, [ANY, 0, place, LOOK_ONLY, 0]) } == 0)
}

/// Ends the process at once.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_anyorder_agent_Fork_exit(_: &mut Environment, _: Reference, status: i32) {
    sys::exit(status)
}

#[unsafe(no_mangle)]
extern "system" fn Java_dev_anyorder_agent_Fork_process(_: &mut Environment, _: Reference) -> i32 {
    sys::process()
}

#[unsafe(no_mangle)]
extern "system" fn Java_dev_anyorder_agent_Fork_parent(_: &mut Environment, _: Reference) -> i32 {
    sys::parent()
}

/// Java keeps the handle of its own process for ever. Makes it that of another one.
#[unsafe(no_mangle)]
extern "system" fn Java_dev_anyorder_agent_Fork_rename(
    environment: &mut Environment,
    _: Reference,
    own: Reference,
    other: Reference,
) {
    for field in [c"pid", c"startTime"] {
        environment.copy_long(field, other, own);
    }
}
