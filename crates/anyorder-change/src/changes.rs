//! What differs between two trees, down to functions.
//!
//! Knows contents of files. Does not know tests: whether somebody notices a difference is for others to say.

use anyorder_model::Spot;
use anyorder_source::{Part, Parts};

use crate::Tree;
use crate::at_import::{Difference, Loading};
use crate::elements::{joined, module_names};
use crate::everything::concerns_all;
use crate::renames::{renamed_functions, renames};
use crate::tree::is_python;

/// What differs between two trees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// What concerns all tests: lock files, settings, compiled code; by name, sorted. Callers may add what is not in any
    /// file, such as `Python 3.12.1`.
    pub everything: Vec<String>,
    /// Functions, and code that runs at import. Sorted by file and line.
    pub elements: Vec<Changed>,
    /// Other files that changed, came or went, sorted.
    pub data: Vec<String>,
    /// Files that were there under another name: the old one and the new one. Their elements are deleted and added.
    pub renamed: Vec<(String, String)>,
    /// Functions that were there under another name, in the same file or in a renamed one: each as its file and its qualified
    /// name, the old ones and the new ones.
    pub renamed_functions: Vec<[Named; 2]>,
}

/// A function by its file and its qualified name.
pub type Named = (String, String);

/// An element that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// As a person would call it: `shop.cart.Cart.total`; the module itself for what runs at import.
    pub element: String,
    /// Its qualified name in the file, as Python says it; nothing for what runs at import.
    pub function: Option<String>,
    /// The only name that code at import binds to something else; nothing if it may do anything else.
    pub name: Option<String>,
    /// How it differs.
    pub how: How,
    /// Where it stands now, or stood.
    pub at: Spot,
}

/// How an element differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// Only what it says about itself: nothing, unless somebody looks at that.
    Docstring,
    /// Only the types that it names, or both: nothing, unless somebody looks at them.
    Annotations,
    /// It does something else, but is called as before.
    Body,
    /// Its parameters, defaults, annotations or decorators are other ones, too; or, at import, anything is.
    Changed,
    /// It was not there.
    Added,
    /// It is gone.
    Deleted,
}

impl Changes {
    /// Whether nothing differs that a test could notice.
    pub fn is_empty(&self) -> bool {
        self.everything.is_empty() && self.elements.is_empty() && self.data.is_empty()
    }
}

/// What differs between two trees. Comments and formatting do not count.
///
/// Of a Python file that cannot be read in one of them, all elements differ.
pub fn changes(old: &Tree, new: &Tree) -> Changes {
    let mut changes = Changes { renamed: renames(old, new), ..Changes::default() };
    let loading = Loading::new(old, new);
    let gone = old.files.keys().filter(|path| !new.files.contains_key(*path));
    let mut paths: Vec<&String> = new.files.keys().chain(gone).collect();
    paths.sort_unstable();
    for path in paths {
        let digests = [old, new].map(|tree| tree.files.get(path).map(|file| file.digest));
        if digests[0] == digests[1] {
            continue;
        }
        let mut trees = [old, new].into_iter().filter(|tree| tree.files.contains_key(path));
        if trees.any(|tree| concerns_all(path, tree.parts(path))) {
            changes.everything.push(path.clone());
        } else if is_python(path) {
            changes.elements.extend(File { path, old, new }.changes(&loading));
        } else {
            changes.data.push(path.clone());
        }
    }
    changes.renamed_functions = renamed_functions(old, new, &changes.renamed);
    changes
}

/// A Python file that differs.
struct File<'a> {
    path: &'a str,
    old: &'a Tree,
    new: &'a Tree,
}

impl File<'_> {
    fn changes(&self, loading: &Loading) -> Vec<Changed> {
        let [old, new] = [self.old, self.new].map(|tree| tree.parts(self.path));
        let is_there = [self.old, self.new].map(|tree| tree.files.contains_key(self.path));
        let (empty_old, empty_new) = (Parts::default(), Parts::default());
        let is_comparable = is_there[0] == old.is_some() && is_there[1] == new.is_some();
        let mut found = match (old, new) {
            (Some(old), Some(new)) => {
                let differences = loading.differences(self.path, old, new).into_iter();
                let told = |difference: Difference| {
                    let changed = self.changed(None, How::Changed, difference.line);
                    Changed { name: difference.name, how: difference.how, ..changed }
                };
                let docstring = self.changed(None, How::Docstring, 1);
                let docstring = Some(docstring).filter(|_| old.docstring != new.docstring);
                differences.map(told).chain(docstring).collect()
            }
            _ if !is_there[0] => vec![self.changed(None, How::Added, 1)],
            _ if !is_there[1] => vec![self.changed(None, How::Deleted, 1)],
            _ => vec![self.changed(None, How::Changed, 1)],
        };
        found.extend(self.parts(old.unwrap_or(&empty_old), new.unwrap_or(&empty_new), is_comparable));
        found.sort_by(|one, other| (one.at.line, &one.function).cmp(&(other.at.line, &other.function)));
        found
    }

    fn parts(&self, old: &Parts, new: &Parts, is_comparable: bool) -> Vec<Changed> {
        let mut found = Vec::new();
        for part in &new.parts {
            let before = old.part(&part.name);
            let how = if is_comparable { difference(before, part) } else { Some(How::Changed) };
            found.extend(how.map(|how| self.changed(Some(part), how, part.line)));
        }
        let gone = old.parts.iter().filter(|part| new.part(&part.name).is_none());
        let how = if is_comparable { How::Deleted } else { How::Changed };
        found.extend(gone.map(|part| self.changed(Some(part), how, part.line)));
        found
    }

    fn changed(&self, part: Option<&Part>, how: How, line: usize) -> Changed {
        let tree = if self.new.files.contains_key(self.path) { self.new } else { self.old };
        let is_package = |directory: &str| tree.files.contains_key(&joined(directory, "__init__.py"));
        let module = module_names(self.path, is_package).swap_remove(0);
        let element = part.map_or(module.clone(), |part| format!("{module}.{}", part.name));
        let at = Spot { file: self.path.to_owned(), line: u32::try_from(line).unwrap_or(u32::MAX) };
        Changed { element, function: part.map(|part| part.name.clone()), name: None, how, at }
    }
}

fn difference(before: Option<&Part>, part: &Part) -> Option<How> {
    let Some(before) = before else { return Some(How::Added) };
    if before.header != part.header || before.is_class != part.is_class {
        return Some(How::Changed);
    }
    let differs = [
        (before.body != part.body).then_some(How::Body),
        (before.annotations != part.annotations).then_some(How::Annotations),
        (before.docstring != part.docstring).then_some(How::Docstring),
    ];
    differs.into_iter().flatten().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(old: &[(&str, &str)], new: &[(&str, &str)]) -> Changes {
        changes(&Tree::new(old.iter().copied()), &Tree::new(new.iter().copied()))
    }

    /// Element, how, line.
    fn elements(old: &str, new: &str) -> Vec<(String, How, u32)> {
        let changes = between(
            &[("shop/__init__.py", ""), ("shop/cart.py", old)],
            &[("shop/__init__.py", ""), ("shop/cart.py", new)],
        );
        changes.elements.into_iter().map(|one| (one.element, one.how, one.at.line)).collect()
    }

    fn one(element: &str, how: How, line: u32) -> Vec<(String, How, u32)> {
        vec![(element.to_owned(), how, line)]
    }

    #[test]
    fn a_change_is_told_with_the_function_that_has_it() {
        let cart =
            |total: &str| format!("X = 1\nclass Cart:\n    def total(self):\n        return {total}\n");
        assert_eq!(elements(&cart("1"), &cart("2")), one("shop.cart.Cart.total", How::Body, 3));
        let header = |header: &str| format!("def f({header}): pass\n");
        assert_eq!(elements(&header("a=1"), &header("a=2")), one("shop.cart.f", How::Changed, 1));
        assert_eq!(elements("", "\ndef f(): pass\n"), one("shop.cart.f", How::Added, 2));
        assert_eq!(elements("def f(): pass\n", ""), one("shop.cart.f", How::Deleted, 1));
    }

    #[test]
    fn code_at_import_is_told_with_the_line_that_differs() {
        let text =
            |limit: &str| format!("import os\nclass Cart:\n    x = 1\n    limit = {limit}\n    y = 1\n");
        assert_eq!(elements(&text("1"), &text("2")), one("shop.cart", How::Changed, 4));
        assert_eq!(elements("f()\ng()\n", "f()\n"), one("shop.cart", How::Changed, 2));
        assert_eq!(
            elements("@a\ndef f(): pass", "@b\ndef f(): pass")[0],
            one("shop.cart", How::Changed, 2)[0]
        );
    }

    #[test]
    fn comments_and_moved_functions_are_no_change() {
        assert_eq!(
            elements("def f(): pass\ndef g(): pass\n", "# more\ndef g():\n    pass\n\ndef f():  pass\n"),
            []
        );
    }

    #[test]
    fn a_file_that_cannot_be_read_has_changed_as_a_whole() {
        let found = elements("def f(): pass\n", "def f(:\n");
        assert_eq!(found, [one("shop.cart", How::Changed, 1), one("shop.cart.f", How::Changed, 1)].concat());
        assert_eq!(elements("def f(:\n", "def f(: \n"), one("shop.cart", How::Changed, 1));
    }

    #[test]
    fn files_that_come_and_go_do_so_with_all_that_is_in_them() {
        let found = between(&[("a.py", "def f(): pass")], &[("b.py", "def g(): return 2")]);
        let told: Vec<_> = found.elements.iter().map(|one| (one.element.as_str(), one.how)).collect();
        assert_eq!(
            told,
            [("a", How::Deleted), ("a.f", How::Deleted), ("b", How::Added), ("b.g", How::Added)]
        );
    }

    #[test]
    fn other_files_are_data_or_concern_everything() {
        let found = between(&[("README.md", "1"), ("uv.lock", "1")], &[("README.md", "2"), ("x.json", "{}")]);
        assert_eq!(
            (found.data, found.everything),
            (vec!["README.md".to_owned(), "x.json".to_owned()], vec!["uv.lock".to_owned()])
        );
    }

    #[test]
    fn equal_trees_do_not_differ() {
        assert!(between(&[("a.py", "x = 1"), ("d.txt", "")], &[("a.py", "x = 1"), ("d.txt", "")]).is_empty());
    }
}
