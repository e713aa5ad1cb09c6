//! Gives a new process its own view of the regular files that it has open.
//!
//! A fork shares open files with its parent, and with them the position in the file. `java.util.zip` reads class-path jars
//! by seeking first, so two children that load classes at the same time would read each other's bytes. What is no
//! regular file cannot be opened again, and stays shared: sockets, pipes, and what is behind descriptors 0 to 2.

use crate::sys::{Descriptor, Numbers, Status, call, number};

const GET_DESCRIPTOR_FLAGS: usize = 1;
const GET_FLAGS: usize = 3;
/// Always at the end of the file, wherever others are.
const APPEND: isize = 0o2000;
/// Would change the file: create, exclusive, truncate, nameless.
const CHANGING: usize = 0o100 | 0o200 | 0o1000 | 0o20_000_000;
/// Would refuse it: what is opened here is a link, and does not lead to a directory.
const REFUSING: usize = 0o400_000 | 0o200_000;
const CLOSE_ON_EXEC: usize = 0o2_000_000;
const CURRENT: usize = 1;
const START: usize = 0;

/// Opens every regular file anew, at the same number, flags and position. One that cannot be opened stays as it is.
pub(crate) fn open_anew() {
    let Some(descriptors) = Numbers::open(b"/proc/self/fd\0") else { return };
    descriptors.each(|number| {
        if number > 2 && Status::of(number).is_some_and(|status| status.is_regular_file()) {
            reopen(number);
        }
    });
}

fn reopen(descriptor: i32) {
    let numbered = descriptor as usize;
    // SAFETY: neither takes pointers.
    let (flags, on_exec) = unsafe {
        (
            call(number::FCNTL, [numbered, GET_FLAGS, 0, 0, 0]),
            call(number::FCNTL, [numbered, GET_DESCRIPTOR_FLAGS, 0, 0, 0]),
        )
    };
    if flags < 0 || flags & APPEND != 0 {
        return;
    }
    let Some(anew) = Descriptor::open(&path_of(descriptor), flags as usize & !(CHANGING | REFUSING)) else {
        return;
    };
    let kept = if on_exec == 1 { CLOSE_ON_EXEC } else { 0 };
    // SAFETY: none takes pointers.
    unsafe {
        let position = call(number::LSEEK, [numbered, 0, CURRENT, 0, 0]);
        if position > 0 {
            call(number::LSEEK, [anew.0 as usize, position as usize, START, 0, 0]);
        }
        call(number::DUP3, [anew.0 as usize, numbered, kept, 0, 0]);
    }
}

/// `/proc/self/fd/N`, and a zero.
fn path_of(descriptor: i32) -> [u8; 32] {
    const PLACE: &[u8] = b"/proc/self/fd/";
    let mut path = [0; 32];
    path[..PLACE.len()].copy_from_slice(PLACE);
    let digits = descriptor.checked_ilog10().unwrap_or(0) as usize + 1;
    let mut rest = descriptor;
    for place in (0..digits).rev() {
        path[PLACE.len() + place] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    path
}
