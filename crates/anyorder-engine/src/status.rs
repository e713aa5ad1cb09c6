//! What the status of a process that has ended says to a person.

use anyorder_model::Signature;

/// What a status of `waitpid` says to a person.
pub(crate) fn describe_status(status: i32) -> Signature {
    let (kind, message) = match status & 0x7f {
        0 => ("exit".to_owned(), format!("the process left with code {}", status >> 8 & 0xff)),
        9 => ("killed".to_owned(), "the process was killed, or closed its descriptors".to_owned()),
        signal => (signal_name(signal), "the process was ended by a signal".to_owned()),
    };
    Signature { kind, message, at: None }
}

fn signal_name(signal: i32) -> String {
    const NAMES: [(i32, &str); 12] = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
        (31, "SIGSYS"),
    ];
    let known = NAMES.iter().find(|(number, _)| *number == signal);
    known.map_or_else(|| format!("signal {signal}"), |(_, name)| (*name).to_owned())
}
