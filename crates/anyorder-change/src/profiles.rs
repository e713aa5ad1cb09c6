//! Profiles that were made earlier, by the names of their tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use anyorder_model::{Profile, Test, TestId};

use crate::Stamp;
use crate::elements::{functions_around, last};

/// Profiles that were made earlier, some perhaps of tests that are no longer there.
#[derive(Clone, Debug, Default)]
pub struct OldProfiles {
    pub(crate) root: PathBuf,
    pub(crate) by_id: BTreeMap<TestId, Recorded>,
}

/// A profile with what it was made of.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The test as it was.
    pub test: Test,
    /// What it did. The index in it means nothing here.
    pub profile: Profile,
    /// The sources that it was made of.
    pub stamp: Stamp,
}

impl OldProfiles {
    /// Keeps these. `root` is the suite's, as an absolute path: code outside of it has such paths in profiles.
    pub fn new(root: &Path, recorded: impl IntoIterator<Item = Recorded>) -> Self {
        let by_id = recorded.into_iter().map(|one| (one.test.id.clone(), one)).collect();
        OldProfiles { root: root.to_owned(), by_id }
    }

    /// The profile of this test, if there is one.
    pub fn get(&self, id: &TestId) -> Option<&Recorded> {
        self.by_id.get(id)
    }
}

/// The functions that a test ran, by file.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    by_file: BTreeMap<String, BTreeSet<String>>,
    /// Python before 3.11 tells names without those around them.
    is_bare: bool,
}

impl Touched {
    pub(crate) fn new(profile: &Profile, root: &Path) -> Self {
        let is_bare = !profile.code.iter().any(|code| code.function.contains('.'));
        let mut by_file: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for code in &profile.code {
            let functions = by_file.entry(relative(&code.file, root)).or_default();
            functions.extend(functions_around(&code.function).into_iter().map(str::to_owned));
        }
        Touched { by_file, is_bare }
    }

    pub(crate) fn has(&self, file: &str, function: &str) -> bool {
        let Some(functions) = self.by_file.get(file) else { return false };
        functions.contains(function) || self.is_bare && functions.contains(last(function))
    }

    /// Whether a function of this class ran.
    pub(crate) fn has_method_of(&self, file: &str, class: &str) -> bool {
        let is_method = |name: &String| name.strip_prefix(class).is_some_and(|rest| rest.starts_with('.'));
        self.by_file.get(file).is_some_and(|functions| self.is_bare || functions.iter().any(is_method))
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &String> {
        self.by_file.keys()
    }

    /// The functions by their files; of Python before 3.11 by their last names only.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (&str, &str)> {
        self.by_file
            .iter()
            .flat_map(|(file, names)| names.iter().map(move |name| (file.as_str(), name.as_str())))
    }

    /// Whether a function of this last name ran, in any file.
    pub(crate) fn has_named(&self, name: &str) -> bool {
        self.by_file.values().flatten().any(|function| last(function) == name)
    }
}

/// A test's function in its file, as Python names it: `TestCart.test_total`. Nothing where a test is no function.
pub(crate) fn function_of(test: &Test) -> Option<String> {
    let names = test.id.0.strip_prefix(&test.file)?.strip_prefix("::")?;
    let names = names.split('[').next().unwrap_or(names);
    (!names.contains('.')).then(|| names.replace("::", "."))
}

/// As a tree has it: relative to the root, with `../` where it is not below that.
pub(crate) fn relative(file: &str, root: &Path) -> String {
    if !file.starts_with('/') {
        return file.to_owned();
    }
    let (file, root) = (Path::new(file), root.components().collect::<Vec<Component>>());
    let steps: Vec<Component> = file.components().collect();
    let common = steps.iter().zip(&root).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n("..".to_owned(), root.len() - common);
    let down = steps[common..].iter().map(|step| step.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_outside_of_the_root_is_named_as_a_tree_names_it() {
        let root = Path::new("/mono/app");
        assert_eq!(relative("tests/test_a.py", root), "tests/test_a.py");
        assert_eq!(relative("/mono/lib/x.py", root), "../lib/x.py");
        assert_eq!(relative("/usr/lib/x.py", root), "../../usr/lib/x.py");
    }

    #[test]
    fn a_test_is_a_function_of_its_file() {
        let test = |id: &str, file: &str| Test::in_file(id, file);
        let named = |id: &str, file: &str| function_of(&test(id, file));
        assert_eq!(named("t/a.py::test_x[a::b[1]]", "t/a.py").as_deref(), Some("test_x"));
        assert_eq!(named("t/a.py::TestX::test_y", "t/a.py").as_deref(), Some("TestX.test_y"));
        assert_eq!(named("shop/cart.py::shop.cart.total", "shop/cart.py"), None);
        assert_eq!(named("com.acme.FooTest#bar", "FooTest.java"), None);
    }
}
