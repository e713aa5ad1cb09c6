//! Whatever a module looks like: a change gives a module that has all statements it had, and the new ones in place.

mod common {
    pub(crate) mod modules;
}

use std::ops::Range;

use anyorder_source::{Body, Editor, Function, Shape, Source, Statement};
use common::modules::module;
use proptest::prelude::*;
use proptest::sample::Index;

const NEW: &str = "new = call(\"x\")";

/// Each statement with its depth: simple ones as written but for line ends, others by kind.
type Skeleton = Vec<(usize, String)>;

fn skeleton(body: &Body) -> Skeleton {
    let mut all = Vec::new();
    add(body, 0, &mut all);
    all
}

fn add(body: &Body, depth: usize, all: &mut Skeleton) {
    for statement in body.iter() {
        all.push((depth, words(statement)));
        statement.blocks.iter().for_each(|block| add(block, depth + 1, all));
    }
}

fn words(statement: &Statement) -> String {
    match &statement.shape {
        Shape::FunctionDef { name } => format!("def {name}"),
        Shape::ClassDef { name } => format!("class {name}"),
        Shape::Compound { keyword } => (*keyword).to_owned(),
        Shape::With { .. } => "with".to_owned(),
        _ => statement.text.replace("\r\n", "\n").replace('\'', "\""),
    }
}

fn read(text: &str) -> Source {
    Source::parse(text).unwrap_or_else(|fault| panic!("{fault} in\n{text}"))
}

fn changed(source: &Source, editor: &Editor) -> Source {
    let bytes = editor.finish().unwrap_or_else(|fault| panic!("{fault} in\n{}", source.text()));
    Source::parse(bytes).expect("was read by the editor")
}

fn all_statements(source: &Source) -> Vec<Statement> {
    source.top_level().iter().flat_map(Statement::walk).cloned().collect()
}

/// One of several, if there are any.
fn any_of<T>(all: &[T], index: Index) -> Option<&T> {
    (!all.is_empty()).then(|| &all[index.index(all.len())])
}

/// The depth of a statement, and how many there are before and within it.
fn position(source: &Source, statement: &Statement) -> (usize, usize, usize) {
    let all = all_statements(source);
    let at = all.iter().position(|other| other.range == statement.range).expect("it is there");
    (skeleton(source.top_level())[at].0, at, statement.walk().len())
}

/// Whether the new text is the old one with something put in at one place.
fn is_only_longer(before: &[u8], after: &[u8]) -> bool {
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let rest = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
    same + rest >= before.len()
}

/// The lines of a part of the text, and those of all simple statements that begin or end on one of them.
fn lines_of(source: &Source, part: Range<usize>) -> Range<usize> {
    let text = source.text();
    let start = text[..part.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[part.end..].find('\n').map_or(text.len(), |at| part.end + at + 1);
    let all = all_statements(source).into_iter().filter(|statement| statement.blocks.is_empty());
    let shared = all.filter(|statement| statement.range.start < end && statement.range.end > start);
    let wider =
        shared.fold(start..end, |wide, it| wide.start.min(it.range.start)..wide.end.max(it.range.end));
    if wider == (start..end) { wider } else { lines_of(source, wider) }
}

/// Whether the new text differs from the old one in these bytes of that only.
fn is_only_within(before: &Source, after: &Source, range: &Range<usize>) -> bool {
    let (head, tail) = (&before.text()[..range.start], &before.text()[range.end..]);
    after.text().len() >= head.len() + tail.len()
        && after.text().starts_with(head)
        && after.text().ends_with(tail)
}

/// Whether a statement shares no line with another.
fn is_plain(source: &Source, statement: &Statement) -> bool {
    let before = source.text()[..statement.range.start].trim_start_matches('\u{feff}');
    let behind = source.text()[statement.range.end..].lines().next().unwrap_or_default().trim_start();
    let behind = behind.strip_prefix(';').unwrap_or(behind).trim_start();
    before[before.rfind('\n').map_or(0, |at| at + 1)..].trim().is_empty()
        && (behind.is_empty() || behind.starts_with('#'))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_change_gives_the_same_bytes(text in module()) {
        let source = read(&text);
        prop_assert_eq!(source.bytes(), text.as_bytes());
        prop_assert_eq!(source.edit().finish(), Ok(text.into_bytes()));
    }

    #[test]
    fn lines_stand_before_and_behind_the_statement(text in module(), index: Index, is_before: bool) {
        let source = read(&text);
        let all = all_statements(&source);
        let Some(statement) = any_of(&all, index) else { return Ok(()) };
        let mut editor = source.edit();
        if is_before { editor.insert_before(statement, NEW) } else { editor.insert_behind(statement, NEW) };
        let after = changed(&source, &editor);
        let (depth, at, count) = position(&source, statement);
        let mut expected = skeleton(source.top_level());
        expected.insert(if is_before { at } else { at + count }, (depth, NEW.to_owned()));
        prop_assert_eq!(skeleton(after.top_level()), expected);
        if is_plain(&source, statement) {
            prop_assert!(is_only_longer(source.bytes(), after.bytes()));
        }
    }

    #[test]
    fn a_statement_is_replaced_by_others(text in module(), index: Index, is_long: bool) {
        let source = read(&text);
        let all = all_statements(&source);
        let Some(statement) = any_of(&all, index) else { return Ok(()) };
        let block = if is_long { format!("with a:\n    {NEW}") } else { NEW.to_owned() };
        let mut editor = source.edit();
        let after = changed(&source, editor.replace(statement, &block));
        let (depth, at, count) = position(&source, statement);
        let mut expected = skeleton(source.top_level());
        let new = if is_long { vec![(depth, "with".to_owned()), (depth + 1, NEW.to_owned())] } else { vec![(depth, NEW.to_owned())] };
        expected.splice(at..at + count, new);
        prop_assert_eq!(skeleton(after.top_level()), expected);
        prop_assert!(is_only_within(&source, &after, &lines_of(&source, statement.range.clone())), "{}", after.text());
    }

    #[test]
    fn a_statement_is_taken_out(text in module(), index: Index) {
        let source = read(&text);
        let all = all_statements(&source);
        let Some(statement) = any_of(&all, index) else { return Ok(()) };
        let mut editor = source.edit();
        let after = changed(&source, editor.remove(statement));
        let (depth, at, count) = position(&source, statement);
        let mut expected = skeleton(source.top_level());
        let is_alone = all.iter().flat_map(|it| &it.blocks).any(|it| it.len() == 1 && it[0].range == statement.range);
        expected.splice(at..at + count, is_alone.then(|| (depth, "pass".to_owned())));
        prop_assert_eq!(skeleton(after.top_level()), expected);
        prop_assert_eq!(kept_comments(&source, Some(statement)), kept_comments(&after, None));
        let lines = lines_of(&source, statement.range.clone());
        prop_assert!(is_only_within(&source, &after, &with_blank_lines_and_comments(&source, lines)), "{}", after.text());
    }

    #[test]
    fn a_function_is_wrapped(text in module(), index: Index) {
        let source = read(&text);
        let Some(function) = any_of(source.functions(), index) else { return Ok(()) };
        let Some(first) = function.statements().first() else { return Ok(()) };
        let mut editor = source.edit();
        let after = changed(&source, editor.wrap_in_finally(function, NEW));
        let (depth, at, _) = position(&source, first);
        let inside: usize = function.statements().iter().map(|statement| statement.walk().len()).sum();
        let mut expected = skeleton(source.top_level());
        expected[at..at + inside].iter_mut().for_each(|(depth, _)| *depth += 1);
        expected.insert(at + inside, (depth + 1, NEW.to_owned()));
        expected.insert(at, (depth, "try".to_owned()));
        let bare = |skeleton: Skeleton| -> Skeleton {
            skeleton.into_iter().map(|(depth, words)| (depth, words.replace([' ', '\t'], ""))).collect()
        };
        prop_assert_eq!(bare(skeleton(after.top_level())), bare(expected));
        let last = function.statements().last().expect("there is a first one");
        let lines = lines_of(&source, first.range.start..last.range.end);
        prop_assert!(is_only_within(&source, &after, &with_blank_lines_and_comments(&source, lines)), "{}", after.text());
    }

    #[test]
    fn a_parameter_changes_the_heading_only(text in module(), index: Index) {
        let source = read(&text);
        let Some(function) = any_of(source.functions(), index) else { return Ok(()) };
        let mut editor = source.edit();
        let after = changed(&source, editor.add_parameter(function, "new"));
        let heading = function.range.start..function.body[0].range.start;
        prop_assert!(is_only_within(&source, &after, &heading), "{}", after.text());
        prop_assert!(is_only_longer(source.bytes(), after.bytes()), "{}", after.text());
    }

    #[test]
    fn a_decorator_and_a_neighbour_only_make_it_longer(text in module(), index: Index, is_decorator: bool) {
        let source = read(&text);
        let Some(function) = any_of(source.functions(), index) else { return Ok(()) };
        let mut editor = source.edit();
        if is_decorator {
            editor.add_decorator(function, "new(\"x\")");
        } else {
            editor.insert_definition_before(function, "def neighbour():\n    pass");
        }
        prop_assert!(is_only_longer(source.bytes(), changed(&source, &editor).bytes()));
    }

    #[test]
    fn a_function_gets_a_parameter_a_decorator_and_a_neighbour(text in module(), index: Index) {
        let source = read(&text);
        let Some(function) = any_of(source.functions(), index) else { return Ok(()) };
        let mut editor = source.edit();
        editor.add_parameter(function, "new").add_decorator(function, "new(\"x\")");
        editor.insert_definition_before(function, "def neighbour():\n    pass").add_import("import new");
        let after = changed(&source, &editor);
        let is_it = |other: &&Function| other.parameters.iter().any(|parameter| parameter.name == "new");
        let found: Vec<&Function> = after.functions().iter().filter(is_it).collect();
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!(&found[0].names, &function.names);
        prop_assert_eq!(found[0].parameters.len(), function.parameters.len() + 1);
        prop_assert_eq!(found[0].decorators.len(), function.decorators.len() + 1);
        prop_assert!(found[0].decorators[0].text.starts_with("new("));
        prop_assert_eq!(after.functions().len(), source.functions().len() + 1);
        prop_assert_eq!(after.name_of("new"), Some("new".to_owned()));
        prop_assert_eq!(all_statements(&after).len(), all_statements(&source).len() + 3);
    }

    #[test]
    fn imports_and_definitions_at_the_ends_only_make_it_longer(text in module(), is_import: bool) {
        let source = read(&text);
        let mut editor = source.edit();
        if is_import { editor.add_import("import new") } else { editor.append("def new():\n    pass") };
        let after = changed(&source, &editor);
        prop_assert!(after.top_level().len() == source.top_level().len() + 1);
        if is_import {
            let again = changed(&after, after.edit().add_import("import new"));
            prop_assert_eq!(again.bytes(), after.bytes());
        } else {
            prop_assert!(after.bytes().starts_with(source.bytes()));
        }
    }

    #[test]
    fn statements_of_a_block_mean_the_same_elsewhere(text in module(), index: Index) {
        let source = read(&text);
        let Some(function) = any_of(source.functions(), index) else { return Ok(()) };
        let empty = read("def f():\n\tpass\n");
        let mut editor = empty.edit();
        editor.replace(&empty.functions()[0].body[0], &source.block(function.statements()));
        if function.statements().is_empty() {
            return Ok(());
        }
        let after = changed(&empty, &editor);
        let bare = |body: &[Statement]| -> Vec<String> {
            body.iter().flat_map(Statement::walk).map(|it| words(it).replace([' ', '\t'], "")).collect()
        };
        prop_assert_eq!(bare(&after.functions()[0].body), bare(function.statements()));
    }
}

/// Some lines, with all that stand right before and behind them and have no statement.
fn with_blank_lines_and_comments(source: &Source, lines: Range<usize>) -> Range<usize> {
    let is_bare = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let text = source.text();
    let length = |lines: Vec<&str>| lines.iter().copied().map(str::len).sum::<usize>();
    let before: Vec<&str> = text[..lines.start].split_inclusive('\n').rev().take_while(is_bare).collect();
    let behind: Vec<&str> = text[lines.end..].split_inclusive('\n').take_while(is_bare).collect();
    let (start, end) = (lines.start - length(before), lines.end + length(behind));
    // What ends without a line break does so, too, without its last lines.
    let has_break = end < text.len() || text.ends_with('\n');
    (if has_break { start } else { text[..start].trim_end_matches(['\r', '\n']).len() })..end
}

/// How many comments there are that do not go with a statement: in it, behind it, or below it and deeper than it.
fn kept_comments(source: &Source, gone: Option<&Statement>) -> usize {
    let count = |text: &str| text.matches("# why").count();
    let all = count(source.text());
    let Some(gone) = gone else { return all };
    let is_alone = |block: &Body| block.len() == 1 && block[0].range == gone.range;
    if !is_plain(source, gone) || all_statements(source).iter().flat_map(|it| &it.blocks).any(is_alone) {
        return all - count(&gone.text);
    }
    let before = source.text()[..gone.range.start].trim_start_matches('\u{feff}');
    let depth = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    let mut lines = source.text()[gone.range.end..].lines();
    let behind = count(lines.next().unwrap_or_default());
    let is_deeper = |line: &&str| {
        let words = line.trim_start();
        words.is_empty() || (words.starts_with('#') && line.len() - words.len() > depth)
    };
    let below: usize = lines.take_while(is_deeper).map(count).sum();
    all - count(&gone.text) - behind - below
}
