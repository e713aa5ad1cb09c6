//! One file per command.

mod check;
mod collect;
mod demo;
mod deps;
mod doctor;
mod explain;
mod fix;
mod hunt;
mod import;
mod inject;
mod pollution;
mod profile;
mod replay;
mod report;
mod setup;
mod sweep;
mod twice;

use anyorder_report::Terminal;

use crate::args::{Cli, Command};
use crate::exit_code::Exit;
use crate::failure::Failure;

pub(crate) fn run(cli: &Cli, terminal: &mut Terminal) -> Result<Exit, Failure> {
    match cli.command.as_ref().expect("without a command it is a hunt") {
        Command::Hunt(args) => hunt::run(args, terminal),
        Command::Check(args) => check::run(args, terminal),
        Command::Collect(args) => collect::run(args, terminal),
        Command::Profile(args) => profile::run(args, terminal),
        Command::Deps(args) => deps::run(args, terminal),
        Command::Pollution(args) => pollution::run(args, terminal),
        Command::Twice(args) => twice::run(args, terminal),
        Command::Sweep(args) => sweep::run(args, terminal),
        Command::Explain(args) => explain::run(args, terminal),
        Command::Fix(args) => fix::run(args, terminal),
        Command::Report(args) => report::run(args, &cli.global, terminal),
        Command::Import(args) => import::run(args, terminal),
        Command::Inject(args) => inject::run(args, terminal),
        Command::Replay(args) => replay::run(args, terminal),
        Command::Doctor(args) => doctor::run(args, terminal),
        Command::Demo(args) => demo::run(args, terminal),
        Command::Completions(args) => Ok(setup::completions(args, terminal)),
        Command::Man(args) => setup::man(args, terminal),
    }
}
