//! Finds every process that came out of one command, however far it has run away: it carries the command's mark.
//!
//! The mark is a variable of the environment, which forks and ordinary children inherit. A process that was started with
//! an empty environment is found if the mark is one of its arguments.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The variable that holds the mark. It looks like none of ours: there are tests that make sure that none reaches them.
pub const VARIABLE: &str = "TEST_COMMAND_MARK";

/// A text that no other command has.
#[derive(Clone, Debug)]
pub struct Mark(String);

struct Found {
    pid: String,
    command_line: String,
}

impl Mark {
    /// The next one.
    #[expect(clippy::new_without_default, reason = "no two are equal")]
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Mark(format!("{VARIABLE} {} {number}.", std::process::id()))
    }

    /// What to set the variable to.
    pub fn value(&self) -> &str {
        &self.0
    }

    /// Waits until no process carries the mark. Those that still do after `limit` are named, and killed.
    pub fn gone_within(&self, limit: Duration) -> Result<(), Vec<String>> {
        let deadline = Instant::now() + limit;
        loop {
            let left = self.carriers();
            if left.is_empty() {
                return Ok(());
            }
            if Instant::now() > deadline {
                for process in &left {
                    let _ = Command::new("kill").args(["-KILL", &process.pid]).output();
                }
                return Err(left.into_iter().map(|process| process.command_line).collect());
            }
            sleep(Duration::from_millis(20));
        }
    }

    fn carriers(&self) -> Vec<Found> {
        let processes = fs::read_dir("/proc").expect("this is Linux").flatten();
        let variable = format!("{VARIABLE}={}", self.0);
        let found = processes.filter_map(|entry| {
            // A zombie has neither of them.
            let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            let (environment, arguments) = (read("environ"), read("cmdline"));
            let has = |texts: &[u8], wanted: &str| {
                texts.split(|&byte| byte == 0).any(|text| text == wanted.as_bytes())
            };
            (has(&environment, &variable) || has(&arguments, &self.0)).then(|| Found {
                pid: entry.file_name().to_string_lossy().into_owned(),
                command_line: String::from_utf8_lossy(&arguments).replace('\0', " "),
            })
        });
        found.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    const NOT_LONG: Duration = Duration::from_millis(50);

    #[test]
    fn a_process_that_stays_is_named_and_killed() {
        let mark = Mark::new();
        let mut child = Command::new("sleep").arg("60").env(VARIABLE, mark.value()).spawn().unwrap();
        // Right after a program has begun, nobody sees its environment yet.
        while mark.carriers().is_empty() {
            sleep(Duration::from_millis(1));
        }
        assert_eq!(mark.gone_within(NOT_LONG), Err(vec!["sleep 60 ".to_owned()]));
        assert!(!child.wait().unwrap().success());
        assert_eq!(mark.gone_within(NOT_LONG), Ok(()));
    }

    #[test]
    fn an_empty_environment_hides_nobody_who_names_the_mark() {
        let mark = Mark::new();
        let words = ["-c", "read line", mark.value()];
        let mut child = Command::new("sh").args(words).env_clear().stdin(Stdio::piped()).spawn().unwrap();
        assert!(mark.gone_within(NOT_LONG).is_err());
        child.wait().unwrap();
    }

    #[test]
    fn the_processes_of_another_mark_are_let_alone() {
        let mut child = Command::new("sleep").arg("60").env(VARIABLE, Mark::new().value()).spawn().unwrap();
        assert_eq!(Mark::new().gone_within(NOT_LONG), Ok(()));
        assert!(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
