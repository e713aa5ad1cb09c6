//! Statements of a file as a block that an editor takes, wherever they stood.

use crate::{Source, Statement};

impl Source {
    /// The statements, one below the other, with four spaces for each level and `\n` at the end of each line.
    ///
    /// Comments above them are not part of it. Quotes stay as they are, and so do the insides of strings.
    pub fn block(&self, statements: &[Statement]) -> String {
        statements.iter().map(|statement| self.lift(statement) + "\n").collect()
    }

    fn lift(&self, statement: &Statement) -> String {
        let (text, lines) = (self.text(), &self.inner.lines);
        let start = lines.start(statement.range.start);
        let before = text[start..statement.range.start].trim_start_matches('\x0c');
        let words = before.trim_start();
        let indentation = &before[..before.len() - words.len()];
        let mut block = String::new();
        let mut at = statement.range.start;
        while at < statement.range.end {
            let next = lines.next(at, text).min(statement.range.end);
            let line = text[at..next].trim_end_matches(['\n', '\r']);
            let is_first = at == statement.range.start;
            if is_first || self.is_in_string(at) {
                block += line;
            } else {
                block += &self.in_spaces(line.strip_prefix(indentation).unwrap_or(line.trim_start()));
            }
            if next < statement.range.end {
                block.push('\n');
            }
            at = next;
        }
        block
    }

    /// A line with four spaces for each unit of indentation.
    fn in_spaces(&self, line: &str) -> String {
        let unit = self.style().indentation.as_str();
        let mut rest = line;
        let mut spaces = String::new();
        while let Some(next) = rest.strip_prefix(unit) {
            spaces += "    ";
            rest = next;
        }
        spaces + rest
    }
}

#[cfg(test)]
mod tests {
    use crate::Source;

    #[test]
    fn a_block_of_tabs_becomes_one_of_spaces_and_strings_stay() {
        let text =
            "class T:\r\n\tdef f(self):\r\n\t\twith a:\r\n\t\t\tb = '''x\r\n\t\t\ty'''\r\n\t\tc; d\r\n";
        let source = Source::parse(text).expect("readable");
        let block = source.block(&source.functions()[0].body);
        assert_eq!(block, "with a:\n    b = '''x\n\t\t\ty'''\nc\nd\n");
    }

    #[test]
    fn statements_behind_a_colon_are_a_block_as_well() {
        let source = Source::parse("def f(): a(1,\n  2); b").expect("readable");
        assert_eq!(source.block(&source.functions()[0].body), "a(1,\n  2)\nb\n");
    }
}
