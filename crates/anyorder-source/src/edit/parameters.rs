//! Where a parameter may be added.

use super::Editor;
use super::splice::Rank;
use crate::syntax::Kind;
use crate::{Function, Parameter, ParameterKind};

impl Editor {
    /// Puts all added parameters of each function at one place.
    pub(super) fn settle_parameters(&mut self) {
        let wanted = std::mem::take(&mut self.parameters);
        for (function, names) in wanted.into_values().filter(|(_, names)| !names.is_empty()) {
            self.put_parameters(&function, &names);
        }
    }

    fn put_parameters(&mut self, function: &Function, names: &[String]) {
        let plain = |parameter: &&Parameter| parameter.kind == ParameterKind::Plain && !parameter.has_default;
        let positional = |parameter: &&Parameter| parameter.kind == ParameterKind::PositionalOnly;
        let inside = function.parentheses.start + 1..function.parentheses.end - 1;
        if function.parameters.is_empty() {
            return self.splice(inside.start..inside.start, names.join(", "), Rank::Before);
        }
        if let Some(last) = function.parameters.iter().rfind(plain) {
            return self.put_behind_parameter(last.range.start, last.range.end, names);
        }
        if function.parameters.iter().filter(positional).any(|parameter| parameter.has_default) {
            return self.put_keywords(function, names);
        }
        match function.parameters.iter().rfind(positional) {
            Some(last) => {
                let slash =
                    self.source.tokens_from(last.range.end).iter().find(|token| token.kind == Kind::Slash);
                let slash = slash.expect("a `/` ends parameters that are passed by position").range.clone();
                self.put_behind_parameter(slash.start, slash.end, names);
            }
            None => self.put_before_first(function, names),
        }
    }

    fn put_behind_parameter(&mut self, start: usize, end: usize, names: &[String]) {
        let Some(indentation) = self.own_line(start) else {
            return self.splice(end..end, format!(", {}", names.join(", ")), Rank::Behind);
        };
        let newline = self.newline();
        let separator = format!(",{newline}{indentation}");
        let line_end = self.source.inner.lines.next(end, self.source.text());
        let rest = self.source.text()[end..line_end].trim();
        let has_comma = rest.starts_with(',');
        let is_alone = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        let is_alone = is_alone.is_empty() || is_alone.starts_with('#');
        if !is_alone {
            let text = format!("{separator}{}", names.join(&separator));
            return self.splice(end..end, text, Rank::Behind);
        }
        if !has_comma {
            self.splice(end..end, ",".to_owned(), Rank::Behind);
        }
        let comma = if has_comma { "," } else { "" };
        let text = format!("{indentation}{}{comma}{newline}", names.join(&separator));
        self.splice(line_end..line_end, text, Rank::Behind);
    }

    fn put_before_first(&mut self, function: &Function, names: &[String]) {
        let trivia = [Kind::Blank, Kind::Comment];
        let inside = self.source.tokens_from(function.parentheses.start + 1);
        let first =
            inside.iter().find(|token| !trivia.contains(&token.kind)).map_or(0, |token| token.range.start);
        let separator = match self.own_line(first) {
            Some(indentation) => format!(",{}{indentation}", self.newline()),
            None => ", ".to_owned(),
        };
        let text = names.join(&separator) + &separator;
        self.splice(first..first, text, Rank::Before);
    }

    /// Behind a positional parameter with a default only keywords may follow.
    fn put_keywords(&mut self, function: &Function, names: &[String]) {
        let behind_star = [ParameterKind::Rest, ParameterKind::KeywordOnly];
        if let Some(last) =
            function.parameters.iter().rfind(|parameter| behind_star.contains(&parameter.kind))
        {
            return self.put_behind_parameter(last.range.start, last.range.end, names);
        }
        let names = format!("*, {}", names.join(", "));
        if let Some(rest) = function.parameters.iter().find(|it| it.kind == ParameterKind::KeywordRest) {
            return self.splice(rest.range.start..rest.range.start, names + ", ", Rank::Before);
        }
        let tokens = self.source.tokens_from(function.parentheses.start + 1).iter();
        let inside = tokens.take_while(|token| token.range.end < function.parentheses.end);
        let last =
            inside.filter(|token| ![Kind::Blank, Kind::Comment, Kind::Comma].contains(&token.kind)).last();
        let end = last.map_or(function.parentheses.start + 1, |token| token.range.end);
        self.splice(end..end, format!(", {names}"), Rank::Behind);
    }

    /// What stands before a parameter if it is the first on its line.
    fn own_line(&self, start: usize) -> Option<String> {
        let before = &self.source.text()[self.source.inner.lines.start(start)..start];
        before.trim().is_empty().then(|| before.to_owned())
    }
}
