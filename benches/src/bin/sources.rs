//! Python files that nobody here wrote: are they read, do they come back byte for byte, and do changes hold?
//!
//! `cargo xtask trial sources [SUITE...]`. All files of the public suites and of their environments, each contents once.
//! A line goes first into every function and is taken out again; every other kind of change is made once for each
//! function, and the result must be Python.
#![expect(clippy::print_stdout, reason = "a trial prints its table")]

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyorder_source::{CannotEdit, Editor, Function, Shape, Source, Statement, Target};
use anyorder_testkit::suites::SUITES;

const LINE: &str = "anyorder_was_here = \"it\"";

/// A kind of change, made to all functions that do not stand in another one.
type Change = (&'static str, for<'a> fn(&'a mut Editor, &Function) -> &'a mut Editor);

const CHANGES: [Change; 6] = [
    ("insert_last", |editor, function| editor.insert_last(function, LINE)),
    ("wrap_in_finally", |editor, function| editor.wrap_in_finally(function, LINE)),
    ("add_parameter", |editor, function| editor.add_parameter(function, "anyorder_was_here")),
    ("add_decorator", |editor, function| editor.add_decorator(function, "anyorder.was(\"here\")")),
    ("insert_definition", |editor, function| {
        editor.insert_definition_before(function, "def here():\n    pass")
    }),
    ("empty", |editor, function| function.body.iter().fold(editor, Editor::remove)),
];

/// What was seen of some files.
#[derive(Default)]
struct Tally {
    files: usize,
    bytes: usize,
    unreadable: Vec<String>,
    functions: usize,
    edits: usize,
    wrong: Vec<String>,
    reading: Duration,
}

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let mut seen = HashSet::new();
    let mut all = Tally::default();
    println!(
        "{:14} {:>6} {:>7} {:>10} {:>9} {:>8} {:>6} {:>8}",
        "suite", "files", "MB", "unreadable", "functions", "edits", "wrong", "MB/s"
    );
    for suite in SUITES.iter().filter(|suite| names.is_empty() || names.iter().any(|name| name == suite.name))
    {
        let prepared = suite.prepare();
        let environment = prepared.python.parent().and_then(Path::parent).expect("an environment has `bin`");
        let mut tally = Tally::default();
        for root in [prepared.directory.as_path(), environment] {
            python_files(root).iter().for_each(|path| tally.try_file(path, &mut seen));
        }
        tally.print(suite.name);
        all.add(tally);
    }
    all.print("all");
    all.unreadable.iter().for_each(|line| println!("unreadable  {line}"));
    all.wrong.iter().for_each(|line| println!("wrong  {line}"));
    if all.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn python_files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        for entry in entries {
            let (path, kind) = (entry.path(), entry.file_type());
            match kind {
                Ok(kind) if kind.is_dir() => open.push(path),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|extension| extension == "py") => {
                    files.push(path);
                }
                _ => {}
            }
        }
    }
    files.sort();
    files
}

impl Tally {
    fn try_file(&mut self, path: &Path, seen: &mut HashSet<u64>) {
        let Ok(bytes) = fs::read(path) else { return };
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        if !seen.insert(hasher.finish()) {
            return;
        }
        self.files += 1;
        self.bytes += bytes.len();
        let begun = Instant::now();
        let source = Source::parse(bytes.clone());
        self.reading += begun.elapsed();
        let path = path.display();
        match source {
            Err(fault) => self.unreadable.push(format!("{path}: {fault}")),
            Ok(source) => {
                let wrong = self.try_source(&source, &bytes);
                self.wrong.extend(wrong.into_iter().map(|what| format!("{path}: {what}")));
            }
        }
    }

    fn try_source(&mut self, source: &Source, bytes: &[u8]) -> Vec<String> {
        self.functions += source.functions().len();
        let mut wrong = Vec::new();
        if source.bytes() != bytes || source.edit().finish().as_deref() != Ok(bytes) {
            wrong.push("does not come back byte for byte".to_owned());
        }
        let all: Vec<&Function> = source.functions().iter().collect();
        if let Err(what) = there_and_back(source, &all) {
            let each = all.iter().filter(|function| there_and_back(source, &[function]).is_err());
            let lines: Vec<String> = each.map(|function| function.line.to_string()).collect();
            wrong.push(format!("insert_first and remove: {what}; functions of lines {}", lines.join(", ")));
        }
        self.edits += 2 * source.functions().len();
        let outer: Vec<&Function> = outermost(source.functions());
        for (name, change) in CHANGES {
            self.edits += outer.len();
            let all = outer.iter().fold(source.edit(), |mut editor, function| {
                change(&mut editor, function);
                editor
            });
            if let Err(fault) = all.finish() {
                wrong.push(format!("{name}: {fault}"));
            }
        }
        wrong
    }

    fn add(&mut self, other: Tally) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.unreadable.extend(other.unreadable);
        self.functions += other.functions;
        self.edits += other.edits;
        self.wrong.extend(other.wrong);
        self.reading += other.reading;
    }

    fn print(&self, name: &str) {
        let megabytes = self.bytes as f64 / 1e6;
        println!(
            "{name:14} {:>6} {megabytes:>7.1} {:>10} {:>9} {:>8} {:>6} {:>8.1}",
            self.files,
            self.unreadable.len(),
            self.functions,
            self.edits,
            self.wrong.len(),
            megabytes / self.reading.as_secs_f64().max(1e-9)
        );
    }
}

/// Functions that do not stand in another one.
fn outermost(functions: &[Function]) -> Vec<&Function> {
    let mut end = 0;
    let is_outer = |function: &&Function| {
        let is_outer = function.range.start >= end;
        end = end.max(function.range.end);
        is_outer
    };
    functions.iter().filter(is_outer).collect()
}

/// A line goes first into all of these functions and is taken out again.
///
/// A body on the line of its `def` stays broken over lines, and a definition keeps the blank line that it got above it; then only the
/// words are compared.
fn there_and_back(source: &Source, functions: &[&Function]) -> Result<(), String> {
    let told = |fault: CannotEdit| fault.to_string();
    let mut editor = source.edit();
    for function in functions {
        editor.insert_first(function, LINE);
    }
    let changed = Source::parse(editor.finish().map_err(told)?).map_err(|fault| fault.to_string())?;
    let mut editor = changed.edit();
    let bodies = changed.functions().iter().flat_map(|function| function.body.iter());
    let ours: Vec<&Statement> = bodies.filter(|statement| is_ours(&statement.shape)).collect();
    for statement in &ours {
        editor.remove(statement);
    }
    let back = editor.finish().map_err(told)?;
    let is_broken = functions.iter().any(|function| breaks_lines(source, function));
    let is_same = if is_broken { words(&back) == words(source.bytes()) } else { back == source.bytes() };
    match () {
        () if ours.len() != functions.len() => Err(format!("{} lines of {}", ours.len(), functions.len())),
        () if !is_same => Err("differs".to_owned()),
        () => Ok(()),
    }
}

fn words(bytes: &[u8]) -> Vec<u8> {
    let is_layout = |byte: u8| byte.is_ascii_whitespace() || byte == b'\\' || byte == b';';
    bytes.iter().copied().filter(|byte| !is_layout(*byte)).collect()
}

fn is_ours(shape: &Shape) -> bool {
    matches!(shape, Shape::Assign { targets, .. } if matches!(&targets[..],
        [Target::Name(name)] if *name == "anyorder_was_here"))
}

/// Whether the first statement shares its line with something, or is a definition.
fn breaks_lines(source: &Source, function: &Function) -> bool {
    let Some(first) = function.statements().first() else {
        return function.body[0].line == function.line;
    };
    let start = source.text()[..first.range.start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    matches!(first.shape, Shape::FunctionDef { .. } | Shape::ClassDef { .. })
        || !source.text()[start..first.range.start].trim().is_empty()
        || source.text()[..start].trim_end().ends_with('\\')
}
