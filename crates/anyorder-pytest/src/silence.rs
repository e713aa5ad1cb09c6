//! Guesses why no agent spoke up, from what the command printed.

use std::process::ExitStatus;

use anyorder_engine::Silence;

use crate::driver::Runner;

/// Lines of the log that are shown.
const LINES: usize = 12;

pub(crate) fn explain(runner: &Runner, status: Option<ExitStatus>, log: &str) -> Silence {
    let ended = match status.map(|status| status.code()) {
        None => "it is still running".to_owned(),
        Some(Some(code)) => format!("it left with exit code {code}"),
        Some(None) => "it was ended by a signal".to_owned(),
    };
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = &lines[lines.len().saturating_sub(LINES)..];
    let said = if shown.is_empty() {
        "; it printed nothing".to_owned()
    } else {
        format!("; its last words:\n  {}", shown.join("\n  "))
    };
    Silence { evidence: ended + &said, hint: hint(runner, log), is_usage: is_usage(log) }
}

/// pytest's words for a target that is not there.
fn is_usage(log: &str) -> bool {
    ["file or directory not found:", "ERROR: not found:", "unrecognized arguments:"]
        .iter()
        .any(|words| log.contains(words))
}

fn hint(runner: &Runner, log: &str) -> String {
    let says = |words: &str| log.contains(words);
    match runner {
        _ if says("No module named pytest") || says("No module named 'pytest'") => {
            "name an interpreter that has pytest, for example `--python .venv/bin/python`".to_owned()
        }
        Runner::Direct { .. } if says("while loading conftest") => {
            "a conftest.py cannot be imported; name the interpreter that has the project installed with `--python`".to_owned()
        }
        _ if is_usage(log) => "name files, directories or test ids that exist; `anyorder collect` lists every test".to_owned(),
        Runner::Direct { python, targets } => {
            let python = python.display().to_string();
            let words = [python.as_str(), "-m", "pytest"].into_iter().chain(targets.iter().map(String::as_str));
            let command = shlex::try_join(words).unwrap_or_default();
            format!("see whether plain pytest gets further: `{command}`")
        }
        Runner::Command(words) => {
            let typed = words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
            hint_for_command(&typed, log)
        }
    }
}

/// For every way in which a command keeps pytest from seeing our environment, the way round it.
fn hint_for_command(typed: &str, log: &str) -> String {
    let cause = if typed.contains("tox") || log.contains("tox") {
        "tox hides the environment: let `PYTEST_ADDOPTS`, `PYTHONPATH`, `PYTHONHASHSEED` and `ANYORDER_AGENT` through with `pass_env`"
    } else if typed.contains(" -E") || typed.contains(" -I") {
        "`python -E` and `python -I` ignore the environment that carries the agent"
    } else if log.contains("anyorder_agent") {
        "the command replaces `PYTHONPATH`, where the agent is found: let it keep what is there, as in `PYTHONPATH=src:$PYTHONPATH`"
    } else if typed.contains("manage.py") {
        "Django's own runner is not pytest (pytest-django makes the same tests run there)"
    } else if log.contains("\nRan ") && (log.contains("\nOK") || log.contains("\nFAILED (")) {
        "this looks like unittest's own runner; pytest runs such tests as well"
    } else {
        "no pytest that reads `PYTEST_ADDOPTS` was started"
    };
    format!("{cause}; or leave the command out, so that anyorder starts pytest itself: `--python PATH`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint_of(command: &[&str], log: &str) -> String {
        explain(&Runner::Command(command.iter().map(Into::into).collect()), None, log).hint
    }

    #[test]
    fn each_known_cause_is_named() {
        assert!(hint_of(&["tox", "-e", "py311"], "").contains("pass_env"));
        assert!(hint_of(&["python", "-E", "-m", "pytest"], "").contains("python -E"));
        assert!(hint_of(&["python", "manage.py", "test"], "").contains("Django"));
        assert!(hint_of(&["make", "test"], "..\n-----\nRan 2 tests in 0.1s\n\nOK\n").contains("unittest"));
        assert!(hint_of(&["make", "test"], "No module named pytest").contains("--python"));
    }
}
