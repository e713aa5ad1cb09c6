//! `anyorder report`: what earlier commands have found, in every format that somebody asks for.

use std::path::Path;

use anyorder_report::{
    Terminal, annotations, findings_graph, html, idoft, job_summary, junit_xml, sarif, told,
};
use serde_json::Value;

use crate::args::{Global, ReportArgs};
use crate::exit_code::Exit;
use crate::failure::Failure;
use crate::project::working_directory;
use crate::{document, github};

/// How a format is made of the document.
type Format = fn(&Value) -> String;

pub(crate) fn run(args: &ReportArgs, global: &Global, terminal: &mut Terminal) -> Result<Exit, Failure> {
    let directory = working_directory(args.directory.as_deref())?;
    let document = document::assemble(&directory, !global.no_times)?;
    let document = document.ok_or_else(|| Failure::nothing_recorded(&directory))?;
    let formats = &args.formats;
    // Every format that goes to a file.
    let files: [(&Option<_>, Format); 6] = [
        (&formats.html, html),
        (&formats.json, |document| format!("{document:#}\n")),
        (&formats.junit_xml, junit_xml),
        (&formats.sarif, sarif),
        (&formats.idoft, idoft),
        (&formats.dot, findings_graph),
    ];
    let wanted = files.iter().filter_map(|(path, format)| Some((path.as_ref()?, format)));
    let wanted: Vec<_> = wanted.collect();
    for (path, format) in &wanted {
        write(terminal, path, &format(&document))?;
    }
    if formats.github {
        terminal.commands(&annotations(&document));
        if let Err(why) = github::add_to_summary(&job_summary(&document)) {
            terminal.say("Notice", &why);
        }
    }
    if wanted.is_empty() && !formats.github {
        terminal.data(&told(&document, !global.no_times));
    }
    Ok(Exit::Nothing)
}

fn write(terminal: &mut Terminal, path: &Path, text: &str) -> Result<(), Failure> {
    if path == Path::new("-") {
        terminal.raw(text);
        return Ok(());
    }
    let hint = "name a file in a directory that you may write to, or `-` for standard output";
    std::fs::write(path, text).map_err(|error| Failure::unwritable(path, &error, hint))
}
