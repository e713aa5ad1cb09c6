//! Imports of a file, and by which expression something is reachable with them.

use crate::{Shape, Statement, Text};

/// One name of an `import`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The module; empty in `from . import name`.
    pub module: String,
    /// What is imported from it, `*` for everything; `None` in `import module`.
    pub name: Option<String>,
    /// What stands behind `as`.
    pub alias: Option<String>,
    /// How many dots stand before the module.
    pub level: u32,
    /// The line where the statement begins.
    pub line: usize,
    /// Whether the statement stands in the module itself, not in a function, class or other statement.
    pub is_top_level: bool,
}

impl Import {
    /// The name that it binds: `import a.b` binds `a`.
    pub fn bound_name(&self) -> &str {
        let first = self.module.split('.').next().unwrap_or_default();
        self.alias.as_deref().or(self.name.as_deref()).unwrap_or(first)
    }

    /// Whether both bind the same name to the same thing.
    pub fn is_same(&self, other: &Import) -> bool {
        let key = |import: &Import| {
            let alias = import.alias.clone().filter(|alias| Some(alias) != import.name.as_ref());
            (import.module.clone(), import.name.clone(), alias, import.level)
        };
        key(self) == key(other)
    }

    /// How many names of the dotted path it stands for, and the expression for the whole path.
    fn reaches(&self, path: &str) -> Option<(usize, String)> {
        if self.level > 0 || self.name.as_deref() == Some("*") {
            return None;
        }
        let imported = match &self.name {
            Some(name) => format!("{}.{name}", self.module),
            None => self.module.clone(),
        };
        if self.name.is_none() && self.alias.is_none() {
            // Whatever is imported, its first name is bound, and with it all that is reachable from there.
            let first = self.bound_name();
            let common =
                imported.split('.').zip(path.split('.')).take_while(|(ours, its)| ours == its).count();
            return (common > 0 && path.split('.').next() == Some(first)).then(|| (common, path.to_owned()));
        }
        let rest = path.strip_prefix(&imported)?;
        let is_whole = rest.is_empty() || rest.starts_with('.');
        is_whole.then(|| (imported.split('.').count(), format!("{}{rest}", self.bound_name())))
    }
}

/// The shortest way to write the dotted path with these top-level statements, and no other binding in the way.
pub(crate) fn name_of(
    path: &str,
    imports: &[Import],
    top_level: &[Statement],
    globals: &[Text],
) -> Option<String> {
    let is_rebound = |import: &Import| {
        let name = import.bound_name();
        let by_import = |other: &&Import| other.is_top_level && other.bound_name() == name;
        // `import a.b` and `import a.c` bind the same thing.
        let is_plain = |import: &Import| import.name.is_none() && import.alias.is_none();
        let agrees = |other: &Import| other.is_same(import) || (is_plain(other) && is_plain(import));
        !imports.iter().filter(by_import).all(agrees)
            || globals.iter().any(|global| *global == *name)
            || top_level.iter().any(|statement| {
                !matches!(statement.shape, Shape::Import(_))
                    && statement.stores.iter().any(|stored| *stored == *name)
            })
    };
    let usable = imports.iter().filter(|import| import.is_top_level && !is_rebound(import));
    let mut found: Vec<(usize, String)> = usable.filter_map(|import| import.reaches(path)).collect();
    found.sort_by_key(|(depth, written)| (std::cmp::Reverse(*depth), written.len()));
    found.into_iter().next().map(|(_, written)| written)
}
