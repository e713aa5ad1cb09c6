//! Takes statements out, and the blank lines that nobody needs then.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Editor;
use super::splice::Rank;
use crate::Body;

impl Editor {
    /// Takes out all removed statements, block by block.
    pub(super) fn settle_removals(&mut self) {
        let source = self.source.clone();
        let mut blocks: BTreeMap<usize, (&Body, Vec<usize>)> = BTreeMap::new();
        for (start, end) in std::mem::take(&mut self.removed) {
            if let Some((body, index)) = source.home(&(start..end)) {
                blocks.entry(body[0].range.start).or_insert_with(|| (body, Vec::new())).1.push(index);
            }
        }
        for (start, (body, mut removed)) in blocks {
            let is_module = start == source.top_level()[0].range.start;
            if removed.len() == body.len() && !is_module && !self.filled.contains(&start) {
                let first = removed.remove(0);
                self.splice(body[first].range.clone(), "pass".to_owned(), Rank::Instead);
            }
            for line in lines(body) {
                let gone: Vec<usize> = removed.iter().copied().filter(|index| line.contains(index)).collect();
                self.remove_from_line(body, &line, &gone);
            }
        }
    }

    fn remove_from_line(&mut self, body: &Body, line: &Range<usize>, gone: &[usize]) {
        if gone.len() == line.len() {
            return self.remove_line(body, line);
        }
        let kept = line.clone().find(|index| !gone.contains(index)).unwrap_or(line.start);
        if kept > line.start {
            self.cut(body[line.start].range.start..body[kept].range.start);
        }
        for &index in gone.iter().filter(|&&index| index > kept) {
            self.cut(body[index - 1].range.end..body[index].range.end);
        }
    }

    fn remove_line(&mut self, body: &Body, line: &Range<usize>) {
        let (first, last) = (body[line.start].range.start, body[line.end - 1].range.end);
        if line.start == 0 && body.place.inline.is_some() {
            return self.cut(first..last);
        }
        let source = self.source.clone();
        let (text, lines) = (source.text(), &source.inner.lines);
        let mut start = lines.start(first);
        let mut end = source.end_with_comments(last, &body.place.indentation);
        let above = self.source.blank_lines_above(start);
        let below = source.blank_lines_below(end);
        let is_last = line.end == body.len();
        if above > 0 && is_last {
            start = up(lines, start, above);
        } else if above > 0 {
            start = up(lines, start, above.min(below));
        } else if line.start == 0 && !is_last {
            (0..below).for_each(|_| end = lines.next(end, text));
        }
        // A file without a line end at its end has none without its last line, either.
        if end == text.len() && !text.ends_with(['\n', '\r']) {
            let above = &text[..start];
            let above = above.strip_suffix('\n').unwrap_or(above);
            start = above.strip_suffix('\r').unwrap_or(above).len();
        }
        self.cut(start..end);
    }

    fn cut(&mut self, range: Range<usize>) {
        self.splice(range, String::new(), Rank::Instead);
    }
}

/// The statements of a block that share a line, line by line.
fn lines(body: &Body) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    for (index, is_behind_semicolon) in body.place.is_behind_semicolon.iter().enumerate() {
        match lines.last_mut() {
            Some(line) if *is_behind_semicolon => line.end = index + 1,
            _ => lines.push(index..index + 1),
        }
    }
    lines
}

fn up(lines: &crate::text::Lines, start: usize, count: usize) -> usize {
    (0..count).fold(start, |at, _| lines.start(at - 1))
}
