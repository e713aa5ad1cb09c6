//! Candidates for what tests leave open: it is closed behind them, as other tests do it or as usual.

use anyorder_model::{CellKind, Placement};
use anyorder_source::{Call, Shape, Statement, Target, Text};

use super::matter::Matter;
use super::names::{in_words, unused};
use super::recipe::{Edit, Step};
use super::site::{Site, file_and_line};
use crate::candidate::Candidate;

/// What tests call on things that are to go.
const ENDINGS: [&[&str]; 5] =
    [&["close"], &["shutdown", "server_close"], &["stop"], &["shutdown"], &["terminate"]];

/// So many are tried where nothing says that something is left open.
const GUESSES: usize = 6;

/// Candidates for things that are left over, or may be: where nothing is known, what a polluter has made may still be open.
pub(super) fn opened(matter: &Matter<'_>) -> Vec<Candidate> {
    let cells = &matter.problem.cells;
    if cells.is_empty() {
        // Statements of cleaners, which are likelier then, are to have their turn.
        return made_by_polluter(matter).into_iter().take(GUESSES).collect();
    }
    let is_left_over = cells.iter().all(|state| state.kind == Some(CellKind::LeftOver));
    if is_left_over { [made_on_line(matter), made_by_polluter(matter)].concat() } else { vec![] }
}

/// Something that a test makes, and has or gets a name for.
struct Made {
    site: Site,
    statement: Statement,
    name: String,
    /// What it is made by.
    value: Text,
}

/// What a polluter makes on the line that leaves something over.
fn made_on_line(matter: &Matter<'_>) -> Vec<Candidate> {
    let writers = matter.problem.writers.values().flatten().flatten();
    let Some(made) = writers.into_iter().find_map(|line| made_at(matter, line)) else { return vec![] };
    usual(&made).into_iter().map(|ends| candidate(matter, &made, &ends)).collect()
}

fn made_at(matter: &Matter<'_>, line: &str) -> Option<Made> {
    let site = Site::of_line(&matter.original, line)?;
    let statement = site.statement(file_and_line(line)?.1)?;
    let (name, value) = match &statement.shape {
        Shape::Assign { targets, value } => match &targets[..] {
            [Target::Name(name)] => (name.to_string(), value.clone()),
            [Target::Attribute { object, name }] => (format!("{object}.{name}"), value.clone()),
            _ => return None,
        },
        Shape::Call { is_awaited: false, .. } => {
            (unused(&site.source, &name_for(&statement.text)), statement.text.clone())
        }
        _ => return None,
    };
    Some(Made { site, statement, name, value })
}

/// What a thing is called that is made by this expression.
pub(super) fn name_for(value: &str) -> String {
    let function = value.split('(').next().unwrap_or(value).trim();
    if value.starts_with("lambda") || function.is_empty() {
        return "registered".to_owned();
    }
    let last = function.rsplit('.').next().unwrap_or(function);
    match (function, last) {
        ("os.open", _) => "descriptor".to_owned(),
        (_, "open") => "file".to_owned(),
        _ if last.starts_with(char::is_uppercase) => in_small_letters(last),
        _ => "made".to_owned(),
    }
}

/// `NullHandler` becomes `null_handler`.
fn in_small_letters(class: &str) -> String {
    let mut name = String::new();
    let mut was_small = false;
    for letter in class.chars() {
        if letter.is_uppercase() && was_small {
            name.push('_');
        }
        was_small = letter.is_lowercase();
        name.extend(letter.to_lowercase());
    }
    name
}

/// Calls that end something, the first first.
type Ends = Vec<String>;

/// What ends a thing, likely ones first.
fn usual(made: &Made) -> Vec<Ends> {
    let name = &made.name;
    if made.value.starts_with("os.open(") {
        return vec![vec![format!("os.close({name})")]];
    }
    ENDINGS.iter().map(|methods| calls(name, methods.iter().copied())).collect()
}

fn calls<'m>(name: &str, methods: impl Iterator<Item = &'m str>) -> Ends {
    methods.map(|method| format!("{name}.{method}()")).collect()
}

/// What the only polluter makes, by a name of its own.
fn made_by_polluter(matter: &Matter<'_>) -> Vec<Candidate> {
    let sites = matter.sites(&matter.problem.polluters);
    let Some([(_, site)]) = sites.as_deref() else { return vec![] };
    let mut candidates = vec![];
    for statement in site.function.statements() {
        let Shape::Assign { targets, value } = &statement.shape else { continue };
        let [Target::Name(name)] = &targets[..] else { continue };
        if !value.ends_with(')') || is_ended(site, name) {
            continue;
        }
        let (name, value) = (name.to_string(), value.clone());
        let made = Made { site: site.clone(), statement: statement.clone(), name, value };
        let elsewhere = Some(ended_elsewhere(&made)).filter(|ends| !ends.is_empty());
        let all = elsewhere.into_iter().chain(usual(&made));
        candidates.extend(all.map(|ends| candidate(matter, &made, &ends)));
    }
    candidates
}

/// What other tests of the file call on what they get from the same expression, if it sounds like an end.
fn ended_elsewhere(made: &Made) -> Ends {
    let site = &made.site;
    let is_ending = |method: &str| ENDINGS.iter().any(|methods| methods.contains(&method));
    let others = site.source.functions().iter().filter(|other| other.names != site.function.names);
    let found = others.filter_map(|other| {
        let name = other.statements().iter().find_map(|statement| match &statement.shape {
            Shape::Assign { targets, value: same } if *same == made.value => match &targets[..] {
                [Target::Name(name)] => Some(name.clone()),
                _ => None,
            },
            _ => None,
        })?;
        let calls = other.statements().iter().flat_map(|statement| &statement.calls);
        let receivers = calls.filter_map(Call::receiver);
        let methods = receivers.filter(|(object, method)| *object == name && is_ending(method));
        Some(methods.map(|(_, method)| method.to_string()).collect::<Vec<_>>())
    });
    let methods = found.into_iter().find(|methods| !methods.is_empty()).unwrap_or_default();
    calls(&made.name, methods.iter().map(String::as_str))
}

/// Whether the function ends it itself.
fn is_ended(site: &Site, name: &str) -> bool {
    let calls = site.function.statements().iter().flat_map(|statement| &statement.calls);
    let mut receivers = calls.filter_map(Call::receiver);
    receivers
        .any(|(object, method)| object == *name && ENDINGS.iter().any(|all| all.contains(&method.as_str())))
}

fn candidate(matter: &Matter<'_>, made: &Made, ends: &Ends) -> Candidate {
    let site = &made.site;
    let function = site.function.names.clone();
    let statement = made.statement.text.to_string();
    let lines = finalizers(site, ends);
    let edit = if matches!(made.statement.shape, Shape::Assign { .. }) {
        Edit::Behind { function: function.clone(), statement, lines }
    } else {
        let by = std::iter::once(format!("{} = {}", made.name, made.value)).chain(lines);
        Edit::Replace { function: function.clone(), by: by.collect::<Vec<_>>().join("\n"), statement }
    };
    let request = Edit::Parameter { function, name: "request".to_owned() };
    let edits = std::iter::once(edit).chain(Some(request).filter(|_| !site.is_unittest()));
    let steps = edits.map(|edit| Step { file: site.file.clone(), edit }).collect();
    let words: Vec<String> = ends.iter().map(|end| format!("`{end}`")).collect();
    let summary = format!("call {} behind `{}`", in_words(&words), site.function.name());
    matter.candidate(steps, Placement::Polluter, summary, matter.polluters())
}

/// Lines of a test that have these calls done behind it, the first first.
pub(super) fn finalizers(site: &Site, calls: &[String]) -> Vec<String> {
    let line = |call: &String| {
        let inside = call.strip_suffix(')').and_then(|call| call.split_once('('));
        let (function, arguments) = inside.unwrap_or((call, ""));
        match (site.is_unittest(), arguments) {
            (true, "") => format!("self.addCleanup({function})"),
            (true, arguments) => format!("self.addCleanup({function}, {arguments})"),
            (false, "") => format!("request.addfinalizer({function})"),
            (false, _) => format!("request.addfinalizer(lambda: {call})"),
        }
    };
    // What is added last is done first.
    calls.iter().rev().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_called_what_it_is() {
        for (value, name) in [
            ("os.open('/dev/zero', os.O_RDONLY)", "descriptor"),
            ("open(path)", "file"),
            ("logging.NullHandler()", "null_handler"),
            ("HTTPServer(('', 0), None)", "httpserver"),
            ("lambda name: None", "registered"),
            ("server.start()", "made"),
        ] {
            assert_eq!(name_for(value), name, "{value}");
        }
    }
}
