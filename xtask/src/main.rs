//! Chores: `cargo xtask test`, `cargo xtask trial NAME`, `cargo xtask bench NAME`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a chore talks to whoever runs it")]

mod agent;
mod checked;
mod checked_java;
mod explained;
mod fixed;
mod fuzz;
mod history;
mod hunts;
mod jvm;
mod lanes;
mod messages;
mod mutate;
mod packages;
mod pairs;
mod parts;
mod picture;
mod sampled;
mod simulated;
mod tally;
mod trial;
mod variants;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask test [PART...]            format, lints, rust, slow, java, agents, trials; all without PART
cargo xtask trial suites [SUITE...]   public suites: the agent against plain pytest, forks against new processes
cargo xtask trial search [NUMBER]     simulated suites: is a verdict ever wrong
cargo xtask trial sweeps              simulated suites: how much is found in how many rounds
cargo xtask trial simulated-pairs     simulated suites: how soon likely pairs settle what all pairs would show
cargo xtask trial simulated-deps [N]  a simulated suite of N tests where all share state: time and memory of `deps`
cargo xtask trial pairs [SUITE...]    public suites: all ordered pairs by brute force against likely pairs first
cargo xtask trial large               a suite of 26,852 tests: memory, and what the engine adds to a long order
cargo xtask trial hunt [SUITE...]     public suites: are the known order-dependent tests found, and nothing else; at what cost
cargo xtask trial explain [SUITE...]  public suites: how many findings have a proved cause, and why the others have none
cargo xtask trial fix [SUITE...]      public suites: how many findings get a verified patch, the patches, and why the others get none
cargo xtask trial check DIRECTORY...  repositories with their environment in `.venv`, or of Maven: what `check` selects and costs, commit by commit
cargo xtask trial check-selection DIRECTORY...
                                      the same without what it costs and loses; `trial check` goes on from there
cargo xtask trial sources [SUITE...]  public suites: do all Python files come back byte for byte, and do changes hold
cargo xtask trial changes CLONE...    histories of public projects: what their last commits have changed, and how long it takes to tell
cargo xtask trial jvm [COUNT]         a JVM that forks, on every JDK: 1,000 forks under load without COUNT, and all probes
cargo xtask trial messages [COUNT [SEED]]
                                      bad messages and files, a million without COUNT: no panic, no hang
cargo xtask trial packages            a wheel and `cargo install`, each in an empty place, hunt a suite
cargo xtask trial thorough [TEST...]  tests that do less every day, `agents` among them: more orders, kills, JVMs and interpreters
cargo xtask trial fuzz [SECONDS]      the same with cargo-fuzz, a minute for each target without SECONDS
cargo xtask bench NAME [SUITE...]     isolated, pairs, store, polluter, detect, twice, profile, jvm
cargo xtask picture                   what a terminal showed, with its colours, as an SVG: standard input to standard output";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match carry_out(&words) {
        Some(true) => ExitCode::SUCCESS,
        Some(false) => ExitCode::FAILURE,
        None => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Whether all was well; `None` if there is no such chore.
fn carry_out(words: &[&str]) -> Option<bool> {
    match words {
        ["test", parts @ ..] => Some(parts::test(parts)),
        ["picture"] => Some(picture::picture()),
        ["trial", "hunt", names @ ..] => Some(hunts::hunts(names)),
        ["trial", "explain", names @ ..] => Some(explained::explained(names)),
        ["trial", "check-selection", directories @ ..] => Some(checked::checked(directories, false)),
        ["trial", "check", directories @ ..] => Some(checked::checked(directories, true)),
        ["trial", "fix", names @ ..] => Some(fixed::fixed(names)),
        ["trial", "suites", names @ ..] => Some(trial::suites(names)),
        ["trial", "jvm", words @ ..] => numbers(words, [1000]).map(|[count]| jvm::forks(count)),
        ["trial", "packages"] => Some(packages::packages()),
        ["trial", "thorough"] => Some(parts::thorough(&parts::THOROUGH)),
        ["trial", "thorough", names @ ..] => Some(parts::thorough(names)),
        ["trial", "pairs", names @ ..] => Some(pairs::against_all(names)),
        ["trial", "sources", names @ ..] => Some(parts::bench("sources", names)),
        ["trial", "changes", clones @ ..] => Some(parts::bench("changes", clones)),
        ["trial", "large"] => Some(parts::bench("large", &[])),
        ["trial", "messages", words @ ..] => {
            numbers(words, [1_000_000, 0]).map(|[count, seed]| messages::messages(count, seed))
        }
        ["trial", "search", arguments @ ..] => Some(simulated::verdicts(arguments)),
        ["trial", "sweeps"] => Some(simulated::sweeps()),
        ["trial", "simulated-pairs"] => Some(simulated::pairs()),
        ["trial", "simulated-deps", arguments @ ..] => Some(simulated::dependencies(arguments)),
        ["trial", "fuzz", words @ ..] => numbers(words, [60]).map(|[seconds]| fuzz::fuzz(seconds)),
        ["bench", name, arguments @ ..] => Some(parts::bench(name, arguments)),
        _ => None,
    }
}

/// The numbers that were typed, in place of the first of the usual ones.
fn numbers<const N: usize>(words: &[&str], mut usual: [u64; N]) -> Option<[u64; N]> {
    for (at, word) in words.iter().enumerate() {
        *usual.get_mut(at)? = word.parse().ok()?;
    }
    Some(usual)
}
