//! Chores: `cargo xtask test`, `cargo xtask trial NAME`, `cargo xtask bench NAME`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a chore talks to whoever runs it")]

mod parts;
mod simulated;
mod trial;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask test [PART...]            format, lints, rust, slow, agents, trials; all of them without PART
cargo xtask trial suites [SUITE...]   public suites: the agent against plain pytest, forks against new processes
cargo xtask trial search [NUMBER]     simulated suites: is a verdict ever wrong
cargo xtask trial sweeps              simulated suites: how much is found in how many rounds
cargo xtask bench NAME [SUITE...]     isolated, pairs";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_good = match words.split_first() {
        Some((&"test", parts)) => parts::test(parts),
        Some((&"trial", ["suites", names @ ..])) => trial::suites(names),
        Some((&"trial", ["search", arguments @ ..])) => simulated::verdicts(arguments),
        Some((&"trial", ["sweeps"])) => simulated::sweeps(),
        Some((&"bench", [name, arguments @ ..])) => parts::bench(name, arguments),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
