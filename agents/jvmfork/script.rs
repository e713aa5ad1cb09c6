//! System calls that Java has prepared for a child, carried out while the child has one thread.
//!
//! Some things a process can only do before it has threads, a disk of its own for instance: each thread would have to do
//! them again. What they are is decided in Java (`Script.java`), which cannot run yet at that moment. So it writes them down
//! beforehand. Knows no call by name.

use crate::sys;

/// One call. Java writes it as eight words.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Step {
    number: usize,
    /// Whether the child cannot do without.
    is_needed: u64,
    /// What each argument is.
    kinds: [u8; 8],
    arguments: [usize; 5],
}

/// The argument is a place in the script's text.
const TEXT: u8 = 1;
/// The argument is a step, whose result is meant.
const RESULT: u8 = 2;

/// More steps than this are not carried out.
pub(crate) const MOST_STEPS: usize = 512;

/// Steps, and the bytes that they point to.
pub(crate) struct Script<'a> {
    pub(crate) steps: &'a [Step],
    pub(crate) text: &'a [u8],
}

impl Script<'_> {
    /// Whether all went well that had to.
    pub(crate) fn carry_out(&self) -> bool {
        let mut results = [0_isize; MOST_STEPS];
        for (place, step) in self.steps.iter().enumerate() {
            let Some(arguments) = self.arguments(step, &results) else { return false };
            // SAFETY: Java's promise: pointers lead into the text, where everything is as large as the call wants it.
            let result = unsafe { sys::call(step.number, arguments) };
            if result < 0 && step.is_needed != 0 {
                return false;
            }
            results[place] = result;
        }
        true
    }

    fn arguments(&self, step: &Step, results: &[isize]) -> Option<[usize; 5]> {
        let mut arguments = step.arguments;
        for (argument, kind) in arguments.iter_mut().zip(step.kinds) {
            *argument = match kind {
                TEXT => self.text.get(*argument..)?.as_ptr() as usize,
                RESULT => *results.get(*argument)? as usize,
                _ => *argument,
            };
        }
        Some(arguments)
    }
}
