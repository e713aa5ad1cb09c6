//! A file in the parts that run at different times: each function's body, and what runs at import.
//!
//! Knows what code says, not how it is written: comments, blank lines, quotes, parentheses and line numbers leave no trace in
//! a digest. Does not know other files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::encoding::Encoding;
use crate::text::Lines;
use crate::{Import, Unreadable, syntax};

/// Tells code apart by what it says.
pub type Digest = [u8; 16];

/// A file in its parts.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// What runs at import, statement by statement: those of the module and of class bodies; headers of functions that do more
    /// than to bind a name. Neither docstrings, unless a decorator or a keyword of a class may look at them, nor imports of the module itself, unless they are special, nor what is there for type
    /// checkers only.
    pub steps: Vec<Step>,
    /// Functions and classes in the order in which they are written; one of each name.
    pub parts: Vec<Part>,
    /// All imports but those for type checkers.
    pub imports: Vec<Import>,
    /// The names that code at import may call, as written: `f`, `shop.cart.total`, and `.total` of anything else. What is only
    /// handed over to a call has `&` before it.
    pub calls: BTreeSet<String>,
    /// Names of the module and of its classes that are assigned at import, unless they are declared final: `LIMIT`, `Cart.count`.
    pub globals: BTreeSet<String>,
    /// All names that stand anywhere, attributes included.
    pub names: BTreeSet<String>,
    /// The values of all strings.
    pub strings: BTreeSet<String>,
    /// What the module says about itself.
    pub docstring: Digest,
    /// What headers of functions mention that only bind a name, by the functions' names; annotations do not count.
    pub headers: BTreeMap<String, BTreeSet<String>>,
}

/// Something that runs at import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it says, and of which class it is.
    pub digest: Digest,
    /// Where it begins.
    pub line: usize,
    /// The name of the module that it binds, if it does only that, and to a value that is written down there.
    pub constant: Option<String>,
    /// The qualified name that it binds, if it does nothing else as long as all of `asks` do nothing else. What Python looks up by
    /// itself counts as its class.
    pub binds: Option<String>,
    /// What may run meanwhile, as [`Parts::calls`] has it, and the classes that others are derived from, with `:` before them.
    pub asks: BTreeSet<String>,
    /// Names and strings that it mentions.
    pub mentions: BTreeSet<String>,
    /// Whether it is an annotation of the module or of a class as well: `NAME: type`.
    pub is_annotated: bool,
}

/// A function, method or class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name as `co_qualname` has it: `f`, `C.m`, `f.<locals>.g`.
    pub name: String,
    /// The line of its name.
    pub line: usize,
    /// Parameters, defaults and decorators; where it is a class, nothing.
    pub header: Digest,
    /// Its statements without those of functions in it; where it is a class, nothing.
    pub body: Digest,
    /// What it says about itself, as long as nobody looks at that when it is defined.
    pub docstring: Digest,
    /// Annotations, as long as nobody looks at them when it is defined.
    pub annotations: Digest,
    /// Whether its statements assign nothing but variables and attributes of `self`.
    pub is_tidy: bool,
    /// Whether it is a class.
    pub is_class: bool,
    /// The names that it may call, as [`Parts::calls`] has them, without what functions in it call; of a class, its bases.
    pub calls: BTreeSet<String>,
    /// The names of its decorators.
    pub decorators: BTreeSet<String>,
    /// Names and strings in its statements; where it is a class, nothing.
    pub mentions: BTreeSet<String>,
}

/// A name of a module that frameworks look for.
pub fn is_hook(name: &str) -> bool {
    let starts = ["pytest", "collect_ignore", "setup", "teardown", "setUp", "tearDown", "load_tests"];
    let special = ["__getattr__", "__dir__", "__path__", "__test__", "__tracebackhide__"];
    starts.iter().any(|start| name.starts_with(start)) || special.contains(&name)
}

impl Parts {
    /// Reads a file.
    pub fn read(bytes: &[u8]) -> Result<Parts, Unreadable> {
        let text = Encoding::of(bytes)?.decode(bytes)?;
        // Python does not see how lines end, in strings neither.
        let text: Arc<str> = text.replace("\r\n", "\n").replace('\r', "\n").into();
        let lines = Lines::new(&text);
        syntax::parts(&text, &lines)
            .map_err(|fault| Unreadable::Syntax { line: fault.line, message: fault.message })
    }

    /// The part of this name.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name == name)
    }
}
