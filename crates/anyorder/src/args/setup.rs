//! What a machine is given once: `completions`, `man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  anyorder completions bash > ~/.local/share/bash-completion/completions/anyorder
  anyorder completions zsh > ~/.zfunc/_anyorder
  anyorder completions fish > ~/.config/fish/completions/anyorder.fish")]
pub(crate) struct CompletionsArgs {
    /// Which shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  anyorder man | man -l -
  anyorder man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// A directory to write the pages of all commands to [default: one page, on standard output]
    #[arg(value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}
