//! Where an import goes among those at the head of a file: into the group and the order that people keep there.

use std::collections::BTreeSet;

use super::imports::imports;
use super::lines::is_definition;
use super::origin::{Origin, root};
use crate::{Import, Source, Statement};

/// Where an import goes; numbers are those of statements of the module. At one statement, in the order in which they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spot {
    /// Where the first import from `__future__` goes.
    Future,
    /// Where the first import of a file goes.
    First,
    /// Above another one, with a blank line between.
    GroupBefore(usize),
    /// Above another one.
    Before(usize),
    /// Below another one.
    Behind(usize),
    /// Below another one, with a blank line between.
    GroupBehind(usize),
}

/// Imports before the first definition, in groups: without blank lines or other statements between them.
pub(super) struct Groups<'a> {
    source: &'a Source,
    own: &'a BTreeSet<String>,
    members: Vec<Vec<usize>>,
}

impl<'a> Groups<'a> {
    /// Those of a file; `own` are the first names of the project's modules.
    pub(super) fn of(source: &'a Source, own: &'a BTreeSet<String>) -> Self {
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
        Groups { source, own, members: groups }
    }

    pub(super) fn origin(&self, import: &Import) -> Origin {
        Origin::of(import, self.own)
    }

    pub(super) fn spot(&self, import: &Import) -> Spot {
        let ours = self.origin(import);
        let is_kin = |at: usize| {
            let mut there = self.imports(at).iter();
            there.any(|other| root(other) == root(import) && (other.level > 0) == (import.level > 0))
        };
        let is_alike = |at: usize| self.origin_at(at) == ours;
        if let Some(group) = self.last_with(is_kin).or_else(|| self.last_with(is_alike)) {
            return self.spot_in(group, import);
        }
        match self.members.last() {
            _ if ours == Origin::Future => Spot::Future,
            None => Spot::First,
            Some(last) => self.spot_between(ours, end(last)),
        }
    }

    fn last_with(&self, wanted: impl Fn(usize) -> bool) -> Option<&Vec<usize>> {
        self.members.iter().rev().find(|group| group.iter().any(|&at| wanted(at)))
    }

    /// A group of its own, behind those of what comes first; in a file that keeps nothing apart, a line between the others.
    fn spot_between(&self, ours: Origin, last: usize) -> Spot {
        let all = self.members.iter().flatten();
        let above = all.copied().rfind(|&at| self.origin_at(at) < ours);
        let Some(above) = above else {
            let first = self.members[0][0];
            return if self.is_free(first) { Spot::GroupBefore(first) } else { Spot::Behind(last) };
        };
        let is_last = self.members.iter().any(|group| end(group) == above);
        if is_last { Spot::GroupBehind(above) } else { Spot::Behind(above) }
    }

    /// Among those of the same origin: in order, if they are; else at their end.
    fn spot_in(&self, group: &[usize], import: &Import) -> Spot {
        let ours = self.origin(import);
        let alike: Vec<usize> = group.iter().copied().filter(|&at| self.origin_at(at) == ours).collect();
        let alike = if alike.is_empty() { group.to_vec() } else { alike };
        let keys: Vec<_> = alike.iter().filter_map(|&at| self.imports(at).first().map(key)).collect();
        let is_greater = |other: &_| *other > key(import);
        match keys.iter().position(is_greater) {
            Some(at) if keys.is_sorted() && self.is_free(alike[at]) => Spot::Before(alike[at]),
            _ => Spot::Behind(end(&alike)),
        }
    }

    /// Whether a line can go directly above: no comment and no other statement is there.
    fn is_free(&self, at: usize) -> bool {
        let (body, lines) = (self.source.top_level(), &self.source.inner.lines);
        let start = body[at].range.start;
        !body.place.is_behind_semicolon[at]
            && self.source.start_with_comments(start, "") == lines.start(start)
    }

    /// That of the first name that a statement imports.
    fn origin_at(&self, at: usize) -> Origin {
        self.origin(self.imports(at).first().expect("an import imports something"))
    }

    fn imports(&self, at: usize) -> &'a [Import] {
        let statement: &'a Statement = &self.source.top_level()[at];
        imports(statement)
    }
}

/// The last import of a group.
fn end(group: &[usize]) -> usize {
    *group.last().expect("a group has imports")
}

/// The usual order: plain imports first, then by module.
pub(super) fn key(import: &Import) -> (bool, String, String) {
    (import.name.is_some(), import.module.clone(), import.name.clone().unwrap_or_default())
}
