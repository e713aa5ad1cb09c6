//! Why there is no child. Java knows these numbers (`Fork.java`).

/// Why there is no child. The process that asked goes on unharmed.
#[derive(Clone, Copy)]
pub(crate) enum Refusal {
    /// This libc keeps its books otherwise than those that we know.
    Libc,
    /// Some thread did not stop in time; `park::unparked` tells which.
    NotParked,
    /// Another thread is forking, or carrying out a script.
    Busy,
    /// The script is longer than we have room for.
    TooLong,
    /// There are more threads or open files than we have room for.
    TooMany,
    /// Every signal that we might use has a handler.
    NoSignal,
    /// The kernel does not tell which threads there are.
    NoThreads,
    /// The kernel does not copy the process; its own number for the reason, which is negative.
    Kernel(i32),
}

impl Refusal {
    /// Below all numbers of the kernel.
    pub(crate) fn number(self) -> i32 {
        match self {
            Refusal::Libc => -10_000,
            Refusal::NotParked => -10_001,
            Refusal::Busy => -10_002,
            Refusal::TooLong => -10_003,
            Refusal::TooMany => -10_004,
            Refusal::NoSignal => -10_005,
            Refusal::NoThreads => -10_006,
            Refusal::Kernel(number) => number,
        }
    }
}
