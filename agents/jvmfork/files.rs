//! Gives a new process its own view of the regular files that it has open.
//!
//! A fork shares open files with its parent, and with them the position in the file. `java.util.zip` reads class-path jars
//! by seeking first, so two children that load classes at the same time would read each other's bytes. What is no
//! regular file cannot be opened again, and stays shared: sockets, pipes, and what is behind descriptors 0 to 2.
//!
//! The parent notes the positions while its threads are parked: once they go on they read on, and move what is still shared.

use crate::refusal::Refusal;
use crate::shared::Shared;
use crate::sys::{Descriptor, Numbers, Status, call, number};

/// A process with more regular files open than this is not forked.
const MOST_FILES: usize = 4096;

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

/// A regular file that is open.
#[derive(Clone, Copy)]
struct Place {
    descriptor: i32,
    position: isize,
}

static PLACES: Shared<[Place; MOST_FILES]> = Shared::new([Place { descriptor: 0, position: 0 }; MOST_FILES]);

/// The regular files that were open when nobody moved in them.
pub(crate) struct Places {
    count: usize,
}

impl Places {
    /// Those of this process, whose other threads are parked.
    pub(crate) fn note() -> Result<Places, Refusal> {
        // SAFETY: only the forking thread comes here.
        let places = unsafe { &mut *PLACES.get() };
        let mut count = 0;
        let Some(descriptors) = Numbers::open(b"/proc/self/fd\0") else { return Ok(Places { count }) };
        descriptors.each(|descriptor| {
            if descriptor > 2 && Status::of(descriptor).is_some_and(|status| status.is_regular_file()) {
                if let Some(place) = places.get_mut(count) {
                    *place = Place { descriptor, position: position_in(descriptor) };
                }
                count += 1;
            }
        });
        if count > MOST_FILES { Err(Refusal::TooMany) } else { Ok(Places { count }) }
    }

    /// Opens them anew in a copy of the process, at the same number, flags and position. One that cannot be opened stays as it is.
    pub(crate) fn open_anew(&self) {
        // SAFETY: they were noted by the thread that comes here.
        let places = unsafe { &(&*PLACES.get())[..self.count] };
        places.iter().for_each(reopen);
    }
}

fn position_in(descriptor: i32) -> isize {
    // SAFETY: takes no pointers.
    unsafe { call(number::LSEEK, [descriptor as usize, 0, CURRENT, 0, 0]) }
}

fn reopen(place: &Place) {
    let numbered = place.descriptor as usize;
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
    let Some(anew) = Descriptor::open(&path_of(place.descriptor), flags as usize & !(CHANGING | REFUSING))
    else {
        return;
    };
    let kept = if on_exec == 1 { CLOSE_ON_EXEC } else { 0 };
    // SAFETY: none takes pointers.
    unsafe {
        if place.position > 0 {
            call(number::LSEEK, [anew.0 as usize, place.position as usize, START, 0, 0]);
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
