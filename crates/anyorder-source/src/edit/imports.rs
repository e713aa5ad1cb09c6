//! Adds imports: what is not there yet, and how it is put where `groups.rs` wants it.

use std::collections::BTreeMap;

use super::Editor;
use super::block::Block;
use super::groups::{Groups, Spot, key};
use super::lines::is_definition;
use super::splice::Rank;
use crate::{Body, Import, Shape, Statement};

impl Editor {
    /// Puts all added imports that are not there yet.
    pub(super) fn settle_imports(&mut self) {
        let source = self.source.clone();
        let groups = Groups::of(&source);
        let mut wanted: Vec<(&Import, &Block)> = Vec::new();
        let blocks: Result<Vec<Block>, _> = self.imports.iter().map(|text| Block::read(text)).collect();
        let blocks = match blocks {
            Ok(blocks) => blocks,
            Err(fault) => {
                self.fail(fault);
                return;
            }
        };
        for block in blocks.iter().filter(|block| !self.is_imported(block)) {
            let first = block.body.iter().flat_map(imports).next();
            let is_new = |import: &&Import| !wanted.iter().any(|(other, _)| other.is_same(import));
            wanted.extend(first.filter(is_new).map(|import| (import, block)));
        }
        wanted.sort_by_key(|(import, _)| key(import));
        let mut spots: BTreeMap<Spot, Vec<String>> = BTreeMap::new();
        for (import, block) in wanted {
            spots.entry(groups.spot(import)).or_default().push(block.render("", &source));
        }
        for (spot, texts) in spots {
            self.put_imports(source.top_level(), spot, &texts.join(source.style().newline));
        }
    }

    fn is_imported(&self, block: &Block) -> bool {
        let there: Vec<&Import> = self.source.imports().iter().filter(|import| import.is_top_level).collect();
        let mut wanted = block.body.iter().flat_map(imports);
        wanted.all(|import| there.iter().any(|other| other.is_same(import)))
    }

    fn put_imports(&mut self, body: &Body, spot: Spot, text: &str) {
        let newline = self.newline();
        match spot {
            Spot::Before(at) => self.put_text_before(body, at, text),
            Spot::GroupBefore(at) => self.put_text_before(body, at, &format!("{text}{newline}")),
            Spot::Behind(at) => self.put_text_behind(body, at, text),
            Spot::GroupBehind(at) => self.put_text_behind(body, at, &format!("{newline}{text}")),
            Spot::First => self.put_first_imports(body, text),
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

/// The imports of a statement; none if it is of another kind.
pub(super) fn imports(statement: &Statement) -> &[Import] {
    match &statement.shape {
        Shape::Import(imports) => imports,
        _ => &[],
    }
}
