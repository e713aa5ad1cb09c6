//! Candidates that put the cells themselves back, where the tests are that leave them changed.

use std::collections::BTreeSet;

use anyorder_model::{PatchSource, Placement, State, TestIndex};
use anyorder_source::{Shape, Statement, Target};

use super::fixture::{Reach, by_hand, cleanups, fixture, globals, saves, undone, used};
use super::keep::{Keep, strength};
use super::matter::{FEW, Matter, files_of, tests_of};
use super::names::{files_in_words, functions_in_words, in_words};
use super::recipe::{Edit, Step};
use super::rewrite::{of_absent, with_monkeypatch};
use super::setup::at_narrower_setups;
use super::site::{Site, file_and_line, is_editable, read};
use super::text::double_quoted;
use crate::candidate::Candidate;

/// Statements of tests and fixtures that `monkeypatch` has a word for.
pub(super) fn rewritten(matter: &Matter<'_>) -> Vec<Candidate> {
    let mut steps = vec![];
    let mut places = BTreeSet::new();
    for state in &matter.problem.cells {
        let Some(step) = state.written.as_deref().and_then(|line| rewrite(matter, line, state)) else {
            return vec![];
        };
        places.insert(step[0].clone().1);
        steps.extend(step.into_iter().map(|(step, _)| step));
    }
    steps.dedup();
    if steps.is_empty() {
        return vec![];
    }
    let who = in_words(&places.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>());
    let summary = format!("let `monkeypatch` undo what {who} changes: {}", matter.what);
    let candidate = |steps| matter.candidate(steps, Placement::Polluter, summary.clone(), matter.polluters());
    let alike = alike(matter, &steps);
    let all = (!alike.is_empty()).then(|| candidate([&steps[..], &alike].concat()));
    all.into_iter().chain([candidate(steps)]).collect()
}

/// The same for what else these functions assign to modules: who has one of two such statements undone forgets the other.
fn alike(matter: &Matter<'_>, steps: &[Step]) -> Vec<Step> {
    let replaced: BTreeSet<&str> = steps.iter().filter_map(|step| step.edit.replaces()).collect();
    let mut alike = vec![];
    for Step { file, edit } in steps {
        let Edit::Replace { function, .. } = edit else { continue };
        let Some(site) = read(matter.tree, file).and_then(|source| {
            let function = source.function(function)?.clone();
            Some(Site { file: file.clone(), source, function })
        }) else {
            continue;
        };
        let others = assigned_to_imports(&site).into_iter();
        let others = others.filter(|(statement, _)| !replaced.contains(statement.text.as_str()));
        alike.extend(others.map(|(statement, by)| {
            let statement = statement.text.to_string();
            Step { file: file.clone(), edit: Edit::Replace { function: function.clone(), statement, by } }
        }));
    }
    alike.dedup();
    alike
}

/// Statements of a function that assign to something of what its file imports, and are the only ones to do so.
fn assigned_to_imports(site: &Site) -> Vec<(Statement, String)> {
    let all: Vec<&Statement> = site.function.body.iter().flat_map(Statement::walk).collect();
    let targets = |statement: &Statement| match &statement.shape {
        Shape::Assign { targets, .. } => targets.iter().filter_map(written).collect(),
        _ => vec![],
    };
    let is_only = |target: &String| all.iter().filter(|other| targets(other).contains(target)).count() == 1;
    let is_imported = |target: &String| {
        let mut imports = site.source.imports().iter().filter(|import| import.is_top_level);
        imports.any(|import| target.split(['.', '[']).next() == Some(import.bound_name()))
    };
    let chosen = all.iter().filter(|statement| {
        let targets = targets(statement);
        !targets.is_empty() && targets.iter().all(|target| is_imported(target) && is_only(target))
    });
    chosen.filter_map(|statement| with_word((*statement).clone())).collect()
}

/// Where nothing is known of the state: all statements of the only polluter that `monkeypatch` has a word for.
pub(super) fn rewritten_all(matter: &Matter<'_>) -> Vec<Candidate> {
    let sites = matter.sites(&matter.problem.polluters).filter(|_| matter.problem.cells.is_empty());
    let Some([(_, site)]) = sites.as_deref() else { return vec![] };
    let function = &site.function.names;
    let replaced = site.function.statements().iter().filter_map(|statement| {
        let (function, by) = (function.clone(), with_monkeypatch(statement)?);
        Some(Edit::Replace { function, statement: statement.text.to_string(), by })
    });
    let parameter = Edit::Parameter { function: function.clone(), name: "monkeypatch".to_owned() };
    let edits: Vec<Edit> = replaced.chain([parameter]).collect();
    if edits.len() == 1 || site.is_unittest() {
        return vec![];
    }
    let steps = edits.into_iter().map(|edit| Step { file: site.file.clone(), edit }).collect();
    let summary = format!("let `monkeypatch` undo what `{}` changes", site.function.name());
    vec![matter.candidate(steps, Placement::Polluter, summary, matter.polluters())]
}

fn rewrite(matter: &Matter<'_>, line: &str, state: &State) -> Option<Vec<(Step, String)>> {
    let site = Site::of_line(&matter.original, line)?;
    let function = &site.function;
    let scope = site.fixture_scope();
    let is_test = matter.problem.polluters.iter().any(|&test| {
        let other = Site::of_test(matter.tree, matter.suite, test);
        other.is_some_and(|other| other.file == site.file && other.function.names == function.names)
    });
    if site.is_unittest() || site.is_clean_up(line) || !(is_test || scope == Some("function")) {
        return None;
    }
    let at_line = site.statement(file_and_line(line)?.1);
    let (statement, by) = at_line.and_then(with_word).or_else(|| going_elsewhere(&site, state))?;
    let by = if state.before == "<absent>" { of_absent(by) } else { by };
    let step = |edit| (Step { file: site.file.clone(), edit }, function.name().to_owned());
    let names = function.names.clone();
    Some(vec![
        step(Edit::Replace { function: names.clone(), statement: statement.text.to_string(), by }),
        step(Edit::Parameter { function: names, name: "monkeypatch".to_owned() }),
    ])
}

fn with_word(statement: Statement) -> Option<(Statement, String)> {
    let by = with_monkeypatch(&statement)?;
    Some((statement, by))
}

/// The one statement of a function that goes to another directory: that may be gone, and the line told that of its end.
fn going_elsewhere(site: &Site, state: &State) -> Option<(Statement, String)> {
    let all = site.function.body.iter().filter(|_| state.cell == "working directory");
    let all = all.flat_map(Statement::walk).cloned().filter_map(with_word);
    let goes: Vec<_> = all.filter(|(_, by)| by.starts_with("monkeypatch.chdir(")).collect();
    if let [one] = &goes[..] { Some(one.clone()) } else { None }
}

/// A clean-up that assigns something else than what was there.
pub(super) fn corrected(matter: &Matter<'_>) -> Option<Candidate> {
    let known = matter.known();
    let [one] = &known[..] else { return None };
    let line = one.state.written.as_deref()?;
    let site = Site::of_line(&matter.original, line).filter(|site| site.is_clean_up(line))?;
    let statement = site.statement(file_and_line(line)?.1)?;
    let Shape::Assign { targets, .. } = &statement.shape else { return None };
    let (target, literal) = (written(targets.first()?)?, double_quoted(one.about.literal.as_ref()?));
    let (function, by) = (site.function.names.clone(), format!("{target} = {literal}"));
    let edit = Edit::Replace { function, statement: statement.text.to_string(), by };
    let summary = format!("let `{}` put {} back as it was", site.function.name(), matter.what);
    let step = Step { file: site.file.clone(), edit };
    let candidate = matter.candidate(vec![step], Placement::Polluter, summary, matter.polluters());
    Some(Candidate { source: PatchSource::Correction, ..candidate })
}

fn written(target: &Target) -> Option<String> {
    match target {
        Target::Name(name) => Some(name.to_string()),
        Target::Attribute { object, name } => Some(format!("{object}.{name}")),
        Target::Item { object, key } => Some(format!("{object}[{key}]")),
        Target::Other(_) => None,
    }
}

/// Cells that are kept around the tests that change them.
pub(super) fn kept(matter: &Matter<'_>) -> Vec<Candidate> {
    let Some(keeps) = matter.keeps() else { return vec![] };
    let sites = matter.few_sites(&matter.problem.polluters);
    let by_itself = sites.map(|sites| at_tests(matter, &keeps, &sites));
    at_narrower_setups(matter).into_iter().chain(by_itself).chain(around_files(matter, &keeps)).collect()
}

/// Each polluter keeps the cells itself.
fn at_tests(matter: &Matter<'_>, keeps: &[Keep], sites: &[(TestIndex, Site)]) -> Candidate {
    let mut steps = vec![];
    let mut defined = BTreeSet::new();
    for (_, site) in sites {
        steps.extend(at_test(matter, keeps, site, &mut defined));
    }
    let summary = format!("put {} back behind {}", matter.what, functions_in_words(sites));
    let candidate = matter.candidate(steps, Placement::Polluter, summary, tests_of(sites));
    Candidate { strength: strength(keeps), ..candidate }
}

fn at_test(matter: &Matter<'_>, keeps: &[Keep], site: &Site, defined: &mut BTreeSet<String>) -> Vec<Step> {
    let function = site.function.names.clone();
    let step = |edit| Step { file: site.file.clone(), edit };
    let own = matter.own_of(&site.file);
    if site.is_unittest() {
        let lines = cleanups(keeps, own, "self.addCleanup");
        let finally = || {
            let keeps = by_hand(keeps, str::to_owned);
            let first = [globals(&keeps, own), saves(&keeps)].concat();
            Edit::Finally { function: function.clone(), first, lines: undone(&keeps, own) }
        };
        let edit = lines.map(|lines| Edit::First { function: function.clone(), lines });
        return vec![step(edit.unwrap_or_else(finally))];
    }
    let pins: Option<Vec<String>> = keeps.iter().map(|keep| keep.pin.clone()).collect();
    let binds_own =
        |keep: &Keep| keep.undo.iter().any(|undo| own.is_some_and(|own| undo.binds(own).is_some()));
    if let Some(lines) = pins.filter(|_| !keeps.iter().any(binds_own)) {
        let first = step(Edit::First { function: function.clone(), lines });
        return vec![first, step(Edit::Parameter { function, name: "monkeypatch".to_owned() })];
    }
    if let [Keep { manager: Some(manager), .. }] = keeps {
        let is_decorator = manager.contains(".patch.dict(") && !site.function.is_async;
        if is_decorator {
            return vec![step(Edit::Decorate { function, decorator: manager.clone() })];
        }
    }
    let name = fixture_name(matter, keeps);
    let mut steps = vec![];
    if defined.insert(site.file.clone()) {
        let lines = fixture(&name, keeps, Reach::Named, own);
        steps.push(step(Edit::Define { before: Some(function.clone()), lines }));
    }
    steps.push(step(Edit::Decorate { function, decorator: used(&name) }));
    steps
}

/// A fixture around all tests of each file that has polluters; then one around all of a file's tests together.
fn around_files(matter: &Matter<'_>, keeps: &[Keep]) -> Vec<Candidate> {
    let files: BTreeSet<String> = files_of(matter, &matter.problem.polluters);
    let mut candidates = vec![];
    for reach in [Reach::EachTest, Reach::AllTests] {
        let step = |file: &String| {
            let lines = fixture(&fixture_name(matter, keeps), keeps, reach, matter.own_of(file));
            let step = Step { file: file.clone(), edit: Edit::Define { before: None, lines } };
            is_editable(matter.tree, file).then_some(step)
        };
        let Some(steps) = files.iter().map(step).collect::<Option<Vec<Step>>>() else { return vec![] };
        let each = if reach == Reach::EachTest { "each test of" } else { "the tests of" };
        let summary = format!("put {} back behind {each} {}", matter.what, files_in_words(&files));
        let candidate = matter.candidate(steps, Placement::File, summary, vec![]);
        candidates.push(Candidate { strength: strength(keeps), ..candidate });
    }
    let below = (files.len() > 1).then(|| around_directory(matter, keeps, &files));
    // One fixture for all of them reads better than one in each of many files.
    let at = if files.len() > FEW { 0 } else { candidates.len() };
    candidates.splice(at..at, below);
    candidates
}

/// A fixture around all tests below the directory that all these files are in.
fn around_directory(matter: &Matter<'_>, keeps: &[Keep], files: &BTreeSet<String>) -> Candidate {
    let directory = common_directory(files);
    let file =
        if directory.is_empty() { "conftest.py".to_owned() } else { format!("{directory}/conftest.py") };
    let lines = fixture(&fixture_name(matter, keeps), keeps, Reach::EachTest, None);
    let place =
        if directory.is_empty() { "all tests".to_owned() } else { format!("all tests in `{directory}`") };
    let summary = format!("put {} back behind {place}", matter.what);
    let step = Step { file, edit: Edit::Define { before: None, lines } };
    let candidate = matter.candidate(vec![step], Placement::Directory, summary, vec![]);
    Candidate { strength: strength(keeps), ..candidate }
}

/// The innermost directory that has all these files; nothing for the root.
fn common_directory(files: &BTreeSet<String>) -> String {
    let parts = |file: &String| -> Vec<String> {
        file.rsplit_once('/').map_or(vec![], |(head, _)| head.split('/').map(str::to_owned).collect())
    };
    let mut files = files.iter().map(parts);
    let first = files.next().unwrap_or_default();
    let common = files.fold(first, |common, other| {
        common.into_iter().zip(other).take_while(|(ours, its)| ours == its).map(|(ours, _)| ours).collect()
    });
    common.join("/")
}

/// What is put back was saved; what was not there is only cleaned up.
fn fixture_name(matter: &Matter<'_>, keeps: &[Keep]) -> String {
    let is_saved = keeps.iter().any(|keep| keep.manager.is_some() || !keep.save.is_empty());
    format!("{}_{}", if is_saved { "restore" } else { "clean" }, matter.name)
}

#[cfg(test)]
mod tests {
    use anyorder_source::Source;

    use super::*;

    #[test]
    fn what_a_test_assigns_to_modules_is_undone_together() {
        let text = "import os\nfrom shop import state\n\n\ndef test_a(cart):\n    state.A = 1\n    cart.b = 2\n    \
                    with state.lock:\n        os.environ['C'] = '3'\n    before = state.D\n    state.D = 4\n    state.D = before\n";
        let source = Source::parse(text).unwrap();
        let function = source.function(&["test_a"]).unwrap().clone();
        let site = Site { file: "test_a.py".to_owned(), source, function };
        let words: Vec<String> = assigned_to_imports(&site).into_iter().map(|(_, word)| word).collect();
        assert_eq!(words, ["monkeypatch.setattr(state, \"A\", 1)", "monkeypatch.setenv('C', '3')"]);
    }

    #[test]
    fn the_common_directory_is_the_innermost_one() {
        let common = |files: &[&str]| common_directory(&files.iter().map(|&file| file.to_owned()).collect());
        assert_eq!(common(&["tests/a/x.py", "tests/a/y.py"]), "tests/a");
        assert_eq!(common(&["tests/a/x.py", "tests/ab/y.py"]), "tests");
        assert_eq!(common(&["x.py", "tests/y.py"]), "");
    }
}
