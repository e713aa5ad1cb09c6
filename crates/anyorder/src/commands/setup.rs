//! `anyorder completions` and `anyorder man`: what shells and readers want to know of the command line.

use anyorder_report::Terminal;
use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::exit_code::Exit;
use crate::failure::Failure;

pub(crate) fn completions(args: &CompletionsArgs, terminal: &mut Terminal) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "anyorder", &mut script);
    terminal.raw(&String::from_utf8_lossy(&script));
    Exit::Nothing
}

pub(crate) fn man(args: &ManArgs, terminal: &mut Terminal) -> Result<Exit, Failure> {
    if let Some(directory) = &args.directory {
        let pages = std::fs::create_dir_all(directory)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), directory));
        let hint = "name a directory that you may write to";
        pages.map_err(|error| Failure::unwritable(directory, &error, hint))?;
        return Ok(Exit::Nothing);
    }
    let mut page = Vec::new();
    Man::new(Cli::command()).render(&mut page).expect("memory can be written to");
    terminal.raw(&String::from_utf8_lossy(&page));
    Ok(Exit::Nothing)
}
