//! Where imports are added.

use super::Editor;
use super::block::Block;
use super::lines::is_definition;
use super::splice::Rank;
use crate::{Body, Import, Shape, Statement};

impl Editor {
    /// Puts all added imports that are not there yet, those from `__future__` before all others.
    pub(super) fn settle_imports(&mut self) {
        let mut wanted: [Vec<String>; 2] = Default::default();
        for text in std::mem::take(&mut self.imports) {
            match Block::read(&text) {
                Ok(block) if self.is_imported(&block) => {}
                Ok(block) => {
                    let kind = &mut wanted[usize::from(!block.body.iter().any(is_from_future))];
                    let text = block.render("", &self.source);
                    if !kind.contains(&text) {
                        kind.push(text);
                    }
                }
                Err(fault) => {
                    self.fail(fault);
                }
            }
        }
        let source = self.source.clone();
        let body = source.top_level();
        let head = body.iter().take_while(|statement| !is_definition(statement)).count();
        let last = body[..head].iter().rposition(|statement| matches!(statement.shape, Shape::Import(_)));
        let last_future = body[..head].iter().rposition(is_from_future);
        let newline = self.newline();
        let [futures, others] = wanted.map(|texts| texts.join(newline));
        match (last_future, last) {
            (Some(future), _) if !futures.is_empty() => self.put_text_behind(body, future, &futures),
            _ if !futures.is_empty() => self.put_first_imports(body, &futures),
            _ => {}
        }
        match last {
            _ if others.is_empty() => {}
            Some(last) if last_future == Some(last) => {
                self.put_text_behind(body, last, &format!("{newline}{others}"));
            }
            Some(last) => self.put_text_behind(body, last, &others),
            None => self.put_first_imports(body, &others),
        }
    }

    fn is_imported(&self, block: &Block) -> bool {
        let there: Vec<&Import> = self.source.imports().iter().filter(|import| import.is_top_level).collect();
        let mut wanted = block.body.iter().flat_map(imports);
        wanted.all(|import| there.iter().any(|other| other.is_same(import)))
    }

    /// Behind the docstring, or behind comments that are about the file.
    fn put_first_imports(&mut self, body: &Body, text: &str) {
        let newline = self.newline();
        let next = body.behind_docstring().first();
        if body.docstring().is_some() && body.place.is_behind_semicolon.get(1) == Some(&true) {
            return self.put_text_behind(body, 0, text);
        }
        let at = match body.first() {
            Some(docstring) if body.docstring().is_some() => self.source.end_of_line(docstring.range.end),
            _ => self.source.end_of_head(),
        };
        let whole = self.source.text();
        let is_more_to_come = self.splices.iter().any(|splice| splice.rank == Rank::Last);
        let wanted = match next {
            Some(next) => {
                if is_definition(next) {
                    2
                } else {
                    1
                }
            }
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

fn is_from_future(statement: &Statement) -> bool {
    imports(statement).iter().any(|import| import.module == "__future__")
}

fn imports(statement: &Statement) -> &[Import] {
    match &statement.shape {
        Shape::Import(imports) => imports,
        _ => &[],
    }
}
