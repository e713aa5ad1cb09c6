//! One thing to do behind a test, as a statement and as a clean-up of `unittest`.

use super::text::module;

/// One thing to do behind a test. Expressions may name modules that are resolved later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Undo {
    /// An attribute gets a value.
    Set { object: String, name: String, value: String },
    /// An attribute goes, if it is there.
    Unset { object: String, name: String },
    /// An item gets a value; `:` is all of them.
    Item { container: String, key: String, value: String },
    /// A function is called.
    Call { function: String, arguments: Vec<String> },
    /// Anything else; there may be several lines.
    Statement(String),
}

impl Undo {
    /// A call without arguments.
    pub(super) fn call(function: impl Into<String>) -> Self {
        Undo::Call { function: function.into(), arguments: vec![] }
    }

    /// A call with one argument.
    pub(super) fn call_with(function: impl Into<String>, argument: impl Into<String>) -> Self {
        Undo::Call { function: function.into(), arguments: vec![argument.into()] }
    }

    /// As lines of a function.
    pub(super) fn lines(&self) -> Vec<String> {
        match self {
            Undo::Set { object, name, value } => vec![format!("{object}.{name} = {value}")],
            Undo::Unset { object, name } => {
                vec![format!("if \"{name}\" in vars({object}):"), format!("    del {object}.{name}")]
            }
            Undo::Item { container, key, value } => vec![format!("{container}[{key}] = {value}")],
            Undo::Call { function, arguments } => vec![format!("{function}({})", arguments.join(", "))],
            Undo::Statement(text) => text.lines().map(str::to_owned).collect(),
        }
    }

    /// What `addCleanup` is given; nothing where it takes a statement.
    pub(super) fn cleanup(&self) -> Option<String> {
        let call = |function: &str, arguments: &[&str]| {
            [&[function], arguments].concat().into_iter().collect::<Vec<_>>().join(", ")
        };
        match self {
            Undo::Set { object, name, value } => {
                Some(call("setattr", &[object, &format!("\"{name}\""), value]))
            }
            Undo::Unset { object, name } => {
                Some(call(&format!("vars({object}).pop"), &[&format!("\"{name}\""), "None"]))
            }
            Undo::Item { container, key, value } => {
                let key = if key == ":" { "slice(None)" } else { key };
                Some(call(&format!("{container}.__setitem__"), &[key, value]))
            }
            Undo::Call { function, arguments } => {
                Some(call(function, &arguments.iter().map(String::as_str).collect::<Vec<_>>()))
            }
            Undo::Statement(_) => None,
        }
    }

    /// The name of the module's own that it binds in a file that is `own`: that needs a `global` statement.
    pub(super) fn binds(&self, own: &str) -> Option<&str> {
        match self {
            Undo::Set { object, name, .. } | Undo::Unset { object, name } => {
                (*object == module(own)).then_some(name)
            }
            _ => None,
        }
    }
}
