//! The binary: arguments become settings, settings are wired to crates, and what comes out becomes an exit code.

mod apply;
mod args;
mod baseline;
mod before;
mod build;
mod calibration;
mod commands;
mod concern;
mod concern_java;
mod document;
mod exit_code;
mod failure;
mod fingerprint;
mod foreign;
mod framework;
mod git;
mod github;
mod inject;
mod known;
mod look;
mod memory;
mod opened;
mod oracle;
mod order_file;
mod profiles;
mod project;
mod proposals;
mod recorded;
mod saved;
mod session;
mod shell;
mod standing;
mod workshop;

use std::panic;
use std::process::ExitCode;

use anyorder_report::{Problem, Terminal};

use crate::args::Cli;
use crate::exit_code::Exit;
use crate::failure::Failure;

fn main() -> ExitCode {
    let arguments = || std::env::args_os().skip(1);
    if let Some(exit) = anyorder_engine::keep(arguments()).or_else(|| apply::finish(arguments())) {
        return exit;
    }
    let cli = Cli::parse_or_hunt();
    let mut terminal = Terminal::new(cli.global.terminal_options());
    anyorder_engine::adopt_orphans();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(panic::AssertUnwindSafe(|| commands::run(&cli, &mut terminal)));
    let exit = match outcome {
        Ok(Ok(exit)) => exit,
        Ok(Err(Failure { exit, problem })) => {
            terminal.problem(&problem);
            exit
        }
        Err(panicked) => {
            terminal.problem(&bug(panicked.as_ref()));
            Exit::Bug
        }
    };
    anyorder_engine::end_family();
    exit.into()
}

fn bug(panicked: &(dyn std::any::Any + Send)) -> Problem {
    let words = panicked.downcast_ref::<String>().cloned();
    let words = words.or_else(|| panicked.downcast_ref::<&str>().map(|&words| words.to_owned()));
    Problem {
        what: "anyorder has a bug, and stopped".to_owned(),
        evidence: words.unwrap_or_default(),
        hint: Some("please report it with the command line that you typed".to_owned()),
    }
}
