//! Adds imports: what is not there yet, and how it is put where `groups.rs` wants it.

use std::collections::{BTreeMap, BTreeSet};

use super::block::Block;
use super::groups::{Groups, Spot, key};
use super::lines::is_definition;
use super::origin::Origin;
use super::splice::Rank;
use super::{CannotEdit, Editor};
use crate::{Body, Import, Shape, Source, Statement};

impl Editor {
    /// Puts all added imports that are not there yet.
    pub(super) fn settle_imports(&mut self) {
        let read: Result<Vec<Block>, CannotEdit> =
            self.imports.iter().map(|text| import_block(text)).collect();
        let blocks = match read {
            Ok(blocks) => blocks,
            Err(fault) => {
                self.fail(fault);
                return;
            }
        };
        let mut wanted: Vec<&Block> = Vec::new();
        for block in blocks.iter().filter(|block| !self.is_imported(block)) {
            let there = wanted.iter().flat_map(|block| imports_of(block)).collect::<Vec<_>>();
            if !imports_of(block).all(|import| there.iter().any(|other| other.is_same(import))) {
                wanted.push(block);
            }
        }
        let source = self.source.clone();
        for (spot, text) in spots(&source, &self.own.clone(), wanted) {
            self.put_imports(source.top_level(), spot, &text);
        }
    }

    fn is_imported(&self, block: &Block) -> bool {
        let there: Vec<&Import> = self.source.imports().iter().filter(|import| import.is_top_level).collect();
        imports_of(block).all(|import| there.iter().any(|other| other.is_same(import)))
    }

    fn put_imports(&mut self, body: &Body, spot: Spot, text: &str) {
        let newline = self.newline();
        match spot {
            Spot::Before(at) => self.put_text_before(body, at, text),
            Spot::GroupBefore(at) => self.put_text_before(body, at, &format!("{text}{newline}")),
            Spot::Behind(at) => self.put_text_behind(body, at, text),
            Spot::GroupBehind(at) => self.put_text_behind(body, at, &format!("{newline}{text}")),
            Spot::Future | Spot::First => self.put_first_imports(body, text),
        }
    }

    /// Behind the docstring, or behind comments that are about the file.
    fn put_first_imports(&mut self, body: &Body, text: &str) {
        let newline = self.newline();
        if body.docstring().is_some() && body.place.is_behind_semicolon.get(1) == Some(&true) {
            return self.put_text_behind(body, 0, text);
        }
        let at = match body.first() {
            Some(docstring) if body.docstring().is_some() => self.source.end_of_line(docstring.range.end),
            _ => self.source.end_of_head(),
        };
        let whole = self.source.text();
        let is_more_to_come = self.splices.iter().any(|splice| splice.rank == Rank::Last);
        let wanted = match body.behind_docstring().first() {
            Some(next) => 1 + usize::from(is_definition(next)),
            // Something is appended to a file that had nothing.
            None if is_more_to_come && self.source.is_blank_before(whole.len()) => 2,
            None => 0,
        };
        let below = self.source.blank_lines_below(at);
        let mut added = String::new();
        if !whole[..at].trim_start_matches('\u{feff}').is_empty() {
            added += &newline.repeat(1 + usize::from(!whole[..at].ends_with(['\n', '\r'])));
        }
        added += text;
        added += &newline.repeat(1 + wanted - below.min(wanted));
        self.splice(at..at, added, Rank::Before);
    }
}

fn import_block(text: &str) -> Result<Block, CannotEdit> {
    let block = Block::read(text)?;
    let is_import = block.body.iter().all(|statement| !imports(statement).is_empty());
    if is_import { Ok(block) } else { Err(CannotEdit::Block { message: format!("`{text}` is no import") }) }
}

/// What goes where, each place once.
fn spots(source: &Source, own: &BTreeSet<String>, wanted: Vec<&Block>) -> BTreeMap<Spot, String> {
    let groups = Groups::of(source, own);
    let newline = source.style().newline;
    let mut spots: BTreeMap<Spot, Vec<(Origin, &Import, String)>> = BTreeMap::new();
    for (block, first) in wanted.into_iter().filter_map(|block| Some((block, imports_of(block).next()?))) {
        let line = (groups.origin(first), first, block.render("", source));
        spots.entry(groups.spot(first)).or_default().push(line);
    }
    // Those from the future stand above the others.
    if let Some(future) = spots.remove(&Spot::Future) {
        let is_first = spots.contains_key(&Spot::First);
        spots.entry(if is_first { Spot::First } else { Spot::Future }).or_default().extend(future);
    }
    spots.into_iter().map(|(spot, lines)| (spot, joined(spot, lines, newline))).collect()
}

/// Lines for one place in order, with blank lines between origins where they are groups of their own.
fn joined(spot: Spot, mut lines: Vec<(Origin, &Import, String)>, newline: &str) -> String {
    let is_apart = !matches!(spot, Spot::Before(_) | Spot::Behind(_));
    lines.sort_by_cached_key(|(origin, import, _)| (*origin, key(import)));
    let mut text = String::new();
    for (at, (origin, _, line)) in lines.iter().enumerate() {
        let begins = at > 0 && lines[at - 1].0 != *origin;
        text += &newline.repeat(usize::from(at > 0) + usize::from(begins && is_apart));
        text += line;
    }
    text
}

fn imports_of(block: &Block) -> impl Iterator<Item = &Import> {
    block.body.iter().flat_map(imports)
}

/// The imports of a statement; none if it is of another kind.
pub(super) fn imports(statement: &Statement) -> &[Import] {
    match &statement.shape {
        Shape::Import(imports) => imports,
        _ => &[],
    }
}
