//! Small random modules, in all the ways in which people lay out code.

use proptest::collection::vec;
use proptest::prelude::*;

/// Statements that can share a line; some go over several lines themselves.
const SIMPLE: [&str; 14] = [
    "a = 1",
    "b.c(d)",
    "e['k'] = 'v'",
    "f += 2",
    "del g",
    "assert h",
    "import i.j",
    "from k import l as m",
    "n = \"\"\"o\n  p\n\"\"\"",
    "q(\n1,  # r\n  2)",
    "s = 3 \\\n  + 4",
    "t = f'{u!r:>{v}}'",
    "pass",
    "'text'",
];

/// What opens a block, and what its second block opens with; a line with `>` stands one level deeper.
const HEADS: [(&str, Option<&str>); 15] = [
    ("if a:", Some("else:")),
    ("if a:", Some("elif b :")),
    ("for a in b:", Some("else:")),
    ("while a:", None),
    ("with a as b, c:", None),
    ("try:", Some("except E as e:")),
    ("try:", Some("finally:")),
    ("def f():", None),
    ("def f(a, b=(1), *c, **d) -> e:", None),
    ("@a.b('c')\n@d\ndef g(self, x):", None),
    ("async def h(\n  a,\n  b=1,  # c\n):", None),
    ("class A(B, metaclass=C):", None),
    ("@a\nclass D:", None),
    ("def k[T](a: T, /, b=lambda: 0):", None),
    ("match a:\n>case [b, *c] if d:", None),
];

/// Something that stands on lines of its own.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// Simple statements of one line.
    Line { statements: Vec<usize>, has_comment: bool, has_semicolon: bool },
    /// A statement with blocks.
    Block { head: usize, first: Vec<Node>, second: Vec<Node>, is_inline: bool },
    /// A comment, blank lines or a form feed above the next.
    Gap(usize),
}

const GAPS: [&str; 5] = ["# why\n", "\n", "\n\n", "\n# why\n# more\n", "\x0c\n"];

/// How a module is laid out.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    unit: &'static str,
    newline: &'static str,
    has_last_newline: bool,
    has_docstring: bool,
    has_mark: bool,
}

fn line() -> impl Strategy<Value = Node> {
    (vec(0..SIMPLE.len(), 1..4), any::<bool>(), prop::bool::weighted(0.2)).prop_map(
        |(statements, has_comment, has_semicolon)| Node::Line { statements, has_comment, has_semicolon },
    )
}

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![4 => line(), 1 => (0..GAPS.len()).prop_map(Node::Gap)];
    leaf.prop_recursive(3, 16, 4, |inner| {
        (0..HEADS.len(), vec(inner.clone(), 0..4), vec(inner, 0..3), prop::bool::weighted(0.3))
            .prop_map(|(head, first, second, is_inline)| Node::Block { head, first, second, is_inline })
    })
}

/// A module as bytes of UTF-8.
pub(crate) fn module() -> impl Strategy<Value = String> {
    let layout = (
        prop::sample::select(vec!["    ", "\t", "  "]),
        prop::sample::select(vec!["\n", "\r\n"]),
        any::<bool>(),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.1),
    );
    let layout = layout.prop_map(|(unit, newline, has_last_newline, has_docstring, has_mark)| Layout {
        unit,
        newline,
        has_last_newline,
        has_docstring,
        has_mark,
    });
    (layout, vec(node(), 0..5)).prop_map(|(layout, nodes)| layout.print(&nodes))
}

impl Layout {
    fn print(&self, nodes: &[Node]) -> String {
        let mut text = String::new();
        if self.has_docstring {
            text += "'''Doc.\n\nMore.'''\n";
        }
        nodes.iter().for_each(|node| self.node(node, "", &mut text));
        if !self.has_last_newline {
            text.truncate(text.trim_end().len());
        }
        let text = text.replace('\n', self.newline);
        if self.has_mark { format!("\u{feff}{text}") } else { text }
    }

    fn node(&self, node: &Node, indentation: &str, text: &mut String) {
        match node {
            Node::Gap(gap) => {
                GAPS[*gap].split_inclusive('\n').for_each(|line| {
                    let is_comment = line.starts_with('#');
                    *text += if is_comment { indentation } else { "" };
                    *text += line;
                });
            }
            Node::Line { statements, has_comment, has_semicolon } => {
                let statements: Vec<&str> = statements.iter().map(|&at| SIMPLE[at]).collect();
                *text += indentation;
                *text += &statements.join("; ");
                *text += if *has_semicolon { ";" } else { "" };
                *text += if *has_comment { "  # why\n" } else { "\n" };
            }
            Node::Block { head, first, second, is_inline } => {
                let (head, other) = HEADS[*head];
                let deeper = format!("{indentation}{}", self.unit);
                let mut last = indentation;
                for line in head.split_inclusive('\n') {
                    last = if line.starts_with('>') { &deeper } else { indentation };
                    *text += last;
                    *text += line.trim_start_matches('>');
                }
                self.block(first, last, *is_inline, text);
                if let Some(other) = other.filter(|_| !second.is_empty() || head == "try:") {
                    *text += indentation;
                    *text += other;
                    self.block(second, indentation, *is_inline, text);
                }
            }
        }
    }

    /// A block behind its colon, or on lines of its own.
    fn block(&self, nodes: &[Node], indentation: &str, is_inline: bool, text: &mut String) {
        let has_statements = nodes.iter().any(|node| !matches!(node, Node::Gap(_)));
        match nodes {
            [line @ Node::Line { .. }] if is_inline => {
                *text += " ";
                self.node(line, "", text);
            }
            _ => {
                let deeper = format!("{indentation}{}", self.unit);
                *text += "\n";
                nodes.iter().for_each(|node| self.node(node, &deeper, text));
                if !has_statements {
                    *text += &deeper;
                    *text += "pass\n";
                }
            }
        }
    }
}
