//! Files that are there under another name.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_source::Digest;

use crate::Tree;
use crate::changes::Named;
use crate::elements::last;

/// Files of the old tree that are gone, and files of the new one that hold the same or, in Python, at least half of the same
/// functions. Each has one partner at most.
pub(crate) fn renames(old: &Tree, new: &Tree) -> Vec<(String, String)> {
    let only = |tree: &Tree, other: &Tree| -> BTreeMap<String, BTreeSet<Digest>> {
        let files = tree.files.iter().filter(|(path, _)| !other.files.contains_key(*path));
        files.map(|(path, file)| (path.clone(), holds(tree, path, file.digest))).collect()
    };
    let (gone, mut come) = (only(old, new), only(new, old));
    let mut renamed = Vec::new();
    for (path, before) in gone {
        let alike = |after: &BTreeSet<Digest>| before.intersection(after).count();
        let best =
            come.iter().max_by_key(|(there, after)| (alike(after), file_name(there) == file_name(&path)));
        let Some((there, after)) = best else { break };
        if 2 * alike(after) >= before.len().max(after.len()) {
            let there = there.clone();
            come.remove(&there);
            renamed.push((path, there));
        }
    }
    renamed
}

/// Functions that are gone from a file, and such that came to it, or to the file that it is now, and say the same. What several say
/// alike is nobody's.
pub(crate) fn renamed_functions(old: &Tree, new: &Tree, files: &[(String, String)]) -> Vec<[Named; 2]> {
    let mut found = Vec::new();
    for (before, _) in old.python() {
        let renamed = files.iter().find(|(path, _)| path == before).map(|(_, path)| path.as_str());
        let Some(after) = renamed.or(new.files.contains_key(before).then_some(before)) else { continue };
        if renamed.is_none() && old.files[before].digest == new.files[after].digest {
            continue;
        }
        let (gone, come) = (only_in(old, before, new, after), only_in(new, after, old, before));
        for (said, names) in &gone {
            if let ([name], Some([now])) = (&names[..], come.get(said).map(Vec::as_slice)) {
                found.push([(before.to_owned(), (*name).to_owned()), (after.to_owned(), (*now).to_owned())]);
            }
        }
    }
    found
}

/// The functions that a file has and another has not, by what they say.
fn only_in<'a>(tree: &'a Tree, path: &str, other: &Tree, other_path: &str) -> BTreeMap<Digest, Vec<&'a str>> {
    let is_there = |name: &str| other.parts(other_path).is_some_and(|parts| parts.part(name).is_some());
    let functions = tree.parts(path).into_iter().flat_map(|parts| &parts.parts);
    let mut found: BTreeMap<Digest, Vec<&str>> = BTreeMap::new();
    for part in functions.filter(|part| !part.is_class && !is_there(&part.name)) {
        found.entry(part.body).or_default().push(&part.name);
    }
    found
}

/// Digests of what is in a file: its functions, or the whole.
fn holds(tree: &Tree, path: &str, whole: Digest) -> BTreeSet<Digest> {
    let functions = tree.parts(path).into_iter().flat_map(|parts| &parts.parts);
    let bodies: BTreeSet<Digest> = functions
        .filter(|part| !part.is_class && !last(&part.name).starts_with("__"))
        .map(|part| part.body)
        .collect();
    if bodies.is_empty() { BTreeSet::from([whole]) } else { bodies }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<(String, String)> {
        renames(&Tree::new(old.iter().copied()), &Tree::new(new.iter().copied()))
    }

    fn pair(old: &str, new: &str) -> (String, String) {
        (old.to_owned(), new.to_owned())
    }

    #[test]
    fn a_file_with_the_same_contents_is_the_same_file() {
        let found = between(&[("a/x.json", "1"), ("y.json", "2")], &[("b/x.json", "1"), ("y.json", "2")]);
        assert_eq!(found, [pair("a/x.json", "b/x.json")]);
    }

    #[test]
    fn a_python_file_may_differ_in_half_of_its_functions() {
        let old = "def f(): return 1\ndef g(): return 2\n";
        assert_eq!(between(&[("a.py", old)], &[("b.py", &old.replace('2', "3"))]), [pair("a.py", "b.py")]);
        assert_eq!(between(&[("a.py", old)], &[("b.py", "def f(): return 9\n")]), []);
    }

    #[test]
    fn a_function_that_says_the_same_under_another_name_is_the_same_function() {
        let functions = |old: &str, new: &str| {
            let (old, new) = (Tree::new([("a.py", old)]), Tree::new([("a.py", new)]));
            let found = renamed_functions(&old, &new, &renames(&old, &new));
            found.into_iter().map(|[(_, before), (_, after)]| pair(&before, &after)).collect::<Vec<_>>()
        };
        let old = "def f(a): return 1\nclass C:\n    def g(self): return 2\n";
        assert_eq!(functions(old, &old.replace("f(a)", "h(a)")), [pair("f", "h")]);
        assert_eq!(functions(old, &old.replace("class C", "class D")), [pair("C.g", "D.g")]);
        assert_eq!(functions(old, &old.replace("f(a): return 1", "h(a): return 3")), []);
        let two = "def f(): pass\ndef g(): pass\n";
        assert_eq!(functions(two, "def h(): pass\n"), []);
    }

    #[test]
    fn each_file_has_one_partner() {
        let found = between(&[("a.txt", ""), ("b.txt", "")], &[("c.txt", "")]);
        assert_eq!(found, [pair("a.txt", "c.txt")]);
    }
}
