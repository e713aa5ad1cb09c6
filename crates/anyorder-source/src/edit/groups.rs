//! Where an import goes among those at the head of a file: into the group and the order that people keep there.

use super::imports::imports;
use super::lines::is_definition;
use crate::{Import, Source, Statement};

/// Where an import goes; numbers are those of statements of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spot {
    /// Where the first import from `__future__` goes.
    Future,
    /// Where the first import of a file goes.
    First,
    /// Above another one.
    Before(usize),
    /// Above another one, with a blank line between.
    GroupBefore(usize),
    /// Below another one.
    Behind(usize),
    /// Below another one, with a blank line between.
    GroupBehind(usize),
}

/// Modules of Python itself that tests import often; others are taken for what is installed.
const STANDARD: &str = "abc argparse ast asyncio atexit base64 builtins collections configparser contextlib contextvars copy \
    csv ctypes datetime decimal enum errno functools gc glob gzip hashlib http importlib inspect io \
    itertools json locale logging math multiprocessing operator os pathlib pickle platform pprint queue \
    random re shutil signal socket sqlite3 ssl string struct subprocess sys tempfile textwrap threading \
    time traceback types typing unittest urllib uuid warnings weakref zipfile";

/// Imports before the first definition, in groups: without blank lines or other statements between them.
pub(super) struct Groups<'a> {
    source: &'a Source,
    groups: Vec<Vec<usize>>,
}

impl<'a> Groups<'a> {
    pub(super) fn of(source: &'a Source) -> Self {
        let body = source.top_level();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let head = body.iter().take_while(|statement| !is_definition(statement)).enumerate();
        for (at, statement) in head.filter(|(_, statement)| !imports(statement).is_empty()) {
            let is_next = |last: usize| last + 1 == at && body[last].end_line + 1 >= statement.line;
            match groups.last_mut().filter(|group| group.last().is_some_and(|&last| is_next(last))) {
                Some(group) => group.push(at),
                None => groups.push(vec![at]),
            }
        }
        Groups { source, groups }
    }

    pub(super) fn spot(&self, import: &Import) -> Spot {
        let ours = Kind::of(import);
        let is_kin = |other: &Import| root(other) == root(import) && (other.level > 0) == (import.level > 0);
        let is_alike = |other: &Import| ours == Kind::Standard && Kind::of(other) == ours;
        if let Some(group) = self.last_with(is_kin).or_else(|| self.last_with(is_alike)) {
            return self.spot_in(group, import);
        }
        match (ours, self.groups.last()) {
            (Kind::Future, _) => Spot::Future,
            (_, None) => Spot::First,
            (Kind::Standard, Some(group)) => self.spot_above(end(group)),
            (Kind::Installed, Some(group)) if self.has(group, |it| Kind::of(it) == ours) => {
                self.spot_in(group, import)
            }
            (Kind::Installed, Some(group)) => Spot::GroupBehind(end(group)),
        }
    }

    fn has(&self, group: &[usize], wanted: impl Fn(&Import) -> bool) -> bool {
        group.iter().flat_map(|&at| self.imports(at)).any(wanted)
    }

    fn last_with(&self, wanted: impl Fn(&Import) -> bool) -> Option<&Vec<usize>> {
        self.groups.iter().rev().find(|group| self.has(group, &wanted))
    }

    /// A group of its own above all others that are not from `__future__`.
    fn spot_above(&self, last: usize) -> Spot {
        let is_future = |at: usize| self.has(&[at], |import| Kind::of(import) == Kind::Future);
        match self.groups.iter().flatten().find(|&&at| !is_future(at)) {
            Some(&first) if self.is_free(first) => Spot::GroupBefore(first),
            Some(_) => Spot::Behind(last),
            None => Spot::GroupBehind(last),
        }
    }

    /// In order, if the group is; else at its end.
    fn spot_in(&self, group: &[usize], import: &Import) -> Spot {
        let keys: Vec<_> = group.iter().filter_map(|&at| self.imports(at).first().map(key)).collect();
        let is_greater = |other: &_| *other > key(import);
        match keys.iter().position(is_greater) {
            Some(at) if keys.is_sorted() && self.is_free(group[at]) => Spot::Before(group[at]),
            _ => Spot::Behind(end(group)),
        }
    }

    /// Whether a line can go directly above: no comment and no other statement is there.
    fn is_free(&self, at: usize) -> bool {
        let (body, lines) = (self.source.top_level(), &self.source.inner.lines);
        let start = body[at].range.start;
        !body.place.is_behind_semicolon[at]
            && self.source.start_with_comments(start, "") == lines.start(start)
    }

    fn imports(&self, at: usize) -> &'a [Import] {
        let statement: &'a Statement = &self.source.top_level()[at];
        imports(statement)
    }
}

/// Where a module comes from, as far as that can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Future,
    Standard,
    Installed,
}

impl Kind {
    fn of(import: &Import) -> Self {
        match root(import) {
            "__future__" => Kind::Future,
            root if import.level == 0 && STANDARD.split(' ').any(|name| name == root) => Kind::Standard,
            _ => Kind::Installed,
        }
    }
}

/// The last import of a group.
fn end(group: &[usize]) -> usize {
    *group.last().expect("a group has imports")
}

fn root(import: &Import) -> &str {
    import.module.split('.').next().unwrap_or_default()
}

/// The usual order: plain imports first, then by module.
pub(super) fn key(import: &Import) -> (bool, String, String) {
    (import.name.is_some(), import.module.clone(), import.name.clone().unwrap_or_default())
}
