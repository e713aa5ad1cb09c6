//! Guesses why no agent spoke up, from what the JVM printed.

use std::process::ExitStatus;

use anyorder_engine::Silence;

use crate::error::last_lines;

pub(crate) fn explain(status: Option<ExitStatus>, log: &str) -> Silence {
    let ended = match status.map(|status| status.code()) {
        None => "it is still running".to_owned(),
        Some(Some(code)) => format!("it left with exit code {code}"),
        Some(None) => "it was ended by a signal".to_owned(),
    };
    let said = last_lines(log);
    let said = if said.is_empty() {
        "; it printed nothing".to_owned()
    } else {
        format!("; its last words:\n{said}")
    };
    Silence { evidence: ended + &said.replace('\n', "\n  "), hint: hint(log).to_owned(), is_usage: false }
}

fn hint(log: &str) -> &'static str {
    if log.contains("Could not reserve enough space") || log.contains("insufficient memory") {
        "the JVM gets too little memory: lower `-Xmx` in the build, or `--workers`"
    } else if log.contains("Unrecognized VM option") || log.contains("Unrecognized option") {
        "the build gives its test JVMs an option that this JDK does not know"
    } else {
        "see whether the build's own test run works; `anyorder doctor` looks at it"
    }
}
