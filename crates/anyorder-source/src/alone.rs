//! A function with nothing around it but what gives its lines their meaning.

use crate::{Function, Shape, Source, Statement};

impl Source {
    /// A file that has this function at its own lines, in its classes, and nothing else; classes have no bases.
    ///
    /// What is compiled from it is the function as this file has it. Nothing for a function in a function, whose names
    /// may be those of the outer one.
    pub fn alone(&self, function: &Function) -> Option<String> {
        let lines = &self.inner.lines;
        let first = lines.number(function.range.start);
        let mut text = String::new();
        let mut line = 1;
        for around in self.around(function) {
            let header = match &around.shape {
                Shape::ClassDef { name } => format!("class {name}:"),
                Shape::Compound { .. } | Shape::With { .. } => "if 1:".to_owned(),
                _ => return None,
            };
            if around.line < line || around.line >= first {
                return None;
            }
            text += &"\n".repeat(around.line - line);
            text +=
                self.text()[lines.start(around.range.start)..around.range.start].trim_start_matches('\x0c');
            text += &header;
            line = around.line;
        }
        text += &"\n".repeat(first - line);
        text += &self.text()[lines.start(function.range.start)..function.range.end];
        text.push('\n');
        Some(text)
    }

    /// The statements around a function, the outermost first.
    fn around(&self, function: &Function) -> Vec<&Statement> {
        let mut around = Vec::new();
        let mut body = self.top_level();
        while let Some(statement) = body.iter().find(|statement| function.range.end <= statement.range.end) {
            if statement.range == function.range {
                return around;
            }
            around.push(statement);
            let holds = |block: &&crate::Body| {
                block.iter().any(|inner| {
                    inner.range.start <= function.range.start && function.range.end <= inner.range.end
                })
            };
            let Some(block) = statement.blocks.iter().find(holds) else { return around };
            body = block;
        }
        around
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(text: &str, names: &[&str]) -> Option<String> {
        let source = Source::parse(text).unwrap();
        source.alone(source.function(names).unwrap())
    }

    #[test]
    fn a_function_stays_at_its_lines_and_in_its_classes() {
        let text = "import os\n\n\nclass A(Base):\n    x = 1\n\n    @mark\n    def f(self):\n        pass\n\n    y = 2\n";
        let expected = "\n\n\nclass A:\n\n\n    @mark\n    def f(self):\n        pass\n";
        assert_eq!(alone(text, &["A", "f"]).unwrap(), expected);
    }

    #[test]
    fn conditions_around_it_are_true() {
        let text = "if os:\n    try:\n        def f():\n            return 1\n    except E:\n        pass\n";
        assert_eq!(
            alone(text, &["f"]).unwrap(),
            "if 1:\n    if 1:\n        def f():\n            return 1\n"
        );
    }

    #[test]
    fn a_function_in_a_function_is_never_alone() {
        assert_eq!(alone("def f():\n    def g():\n        pass\n", &["f", "g"]), None);
    }
}
