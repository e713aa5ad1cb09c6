//! What was recorded while the suite was collected counts beside what files tell, and decides about data.

mod common;

use std::fs;
use std::path::Path;

use anyorder_change::{Imports, OldProfiles, Record, Recorded, Records, Rts, Select, Stamp, Tree, changes};
use anyorder_change::{affected, related};
use anyorder_model::{
    Collection, Extension, LoadedFile, Profile, RanFunction, Selected, Suite, Test, TestIndex,
};
use anyorder_search::Noise;
use common::{NONE, ROOT, names, ran, suite, test, tree, why};

/// A shop whose parts are found by looking through a directory, and a table that is read by nobody who names it.
const SHOP: [(&str, &str); 8] = [
    ("shop/__init__.py", "import pkgutil\nPARTS = find(__path__)\n"),
    ("shop/part.py", "class Part:\n    @property\n    def name(self): return 'part'\n\nNAME = Part().name\n"),
    ("local_plugin.py", "LIMIT = 1\n"),
    ("tests/test_shop.py", "import shop\n\ndef test_parts(): pass\n"),
    ("tests/test_other.py", "def test_other(): pass\n"),
    ("tables/rates.csv", "1"),
    ("tables/prices.csv", "1"),
    ("shop/notes.csv", "1"),
];
const PARTS: &str = "tests/test_shop.py::test_parts";
const OTHER: &str = "tests/test_other.py::test_other";

fn loaded(file: &str, by: Option<&str>) -> LoadedFile {
    LoadedFile { file: file.to_owned(), by: by.map(str::to_owned) }
}

fn collection() -> Collection {
    let ran = |function: &str| RanFunction { file: "shop/part.py".to_owned(), function: function.to_owned() };
    Collection {
        loaded: vec![
            loaded("shop/__init__.py", Some("tests/test_shop.py")),
            loaded("shop/part.py", Some("shop/__init__.py")),
            loaded("tests/test_shop.py", None),
        ],
        plugins: vec!["local_plugin.py".to_owned()],
        functions: vec![ran("Part"), ran("Part.name")],
        opened: vec![loaded("tables/prices.csv", Some("shop/__init__.py"))],
        extensions: vec![],
    }
}

/// The shop with another text in one file.
fn with(path: &str, text: &str) -> Tree {
    let files = SHOP.map(|(name, known)| if name == path { (name, text) } else { (name, known) });
    tree(&files)
}

fn record(tree: &mut Tree) -> Record {
    Record::new(collection(), tree, Path::new(ROOT))
}

/// The shop and its tests, of which one has opened what it was told to.
struct Scene {
    suite: Suite,
    tree: Tree,
    profiles: Vec<(Test, Profile)>,
}

impl Scene {
    fn new(opened: &[&str]) -> Self {
        let opened = Some(opened.iter().map(|&file| file.to_owned()).collect());
        let parts = Profile { opened, ..ran(&["tests/test_shop.py:test_parts"], NONE) };
        let other = Profile { opened: Some([].into()), ..ran(&["tests/test_other.py:test_other"], NONE) };
        Scene {
            suite: suite(&[PARTS, OTHER]),
            tree: tree(&SHOP),
            profiles: vec![(test(PARTS), parts), (test(OTHER), other)],
        }
    }

    fn old(&self, record: Option<&Record>) -> OldProfiles {
        let pairs: Vec<(&Test, &Profile)> =
            self.profiles.iter().map(|(test, profile)| (test, profile)).collect();
        let stamps = Stamp::of(&self.tree, record, Path::new(ROOT), &pairs);
        let recorded = self.profiles.iter().cloned().zip(stamps);
        OldProfiles::new(
            Path::new(ROOT),
            recorded.map(|((test, profile), stamp)| Recorded { test, profile, stamp }),
        )
    }

    /// Who is affected if a file holds something else.
    fn affected_by(&self, path: &str, text: &str) -> Vec<Selected> {
        let files: Vec<(&str, &str)> = SHOP.into_iter().filter(|(name, _)| *name != path).collect();
        let files = if text.is_empty() { files } else { [&files[..], &[(path, text)]].concat() };
        let (mut old, mut new) = (self.tree.clone(), tree(&files));
        let records = Records { then: Some(record(&mut old)), now: Some(record(&mut new)) };
        let imports = Imports::new(&old, &new, &records);
        let profiles = self.old(records.then.as_ref());
        affected(&self.suite, &changes(&old, &new), &profiles, Rts::Dynamic, &imports).tests
    }

    fn hit(&self, path: &str, text: &str) -> Vec<&str> {
        names(&self.suite, &self.affected_by(path, text))
    }
}

#[test]
fn modules_that_were_found_by_discovery_are_loaded_for_those_who_load_the_finder() {
    let scene = Scene::new(&[]);
    assert_eq!(scene.hit("shop/part.py", "NAME = 'other'\n"), [PARTS]);
    assert_eq!(scene.hit("shop/part.py", ""), [PARTS]);
}

#[test]
fn a_property_that_ran_at_import_counts() {
    let part = SHOP[1].1.replace("return 'part'", "return 'other'");
    let scene = Scene::new(&[]);
    let selected = scene.affected_by("shop/part.py", &part);
    assert_eq!(names(&scene.suite, &selected), [PARTS]);
    assert_eq!(why(&scene.suite, &selected, PARTS), ["imports shop.part.Part.name at shop/part.py:3"]);
}

#[test]
fn a_function_that_was_not_seen_to_run_at_import_affects_nobody_by_import() {
    let text = |ends: &str| {
        let equal = format!("    def __eq__(self, other): return {ends}\n\n");
        SHOP[1].1.replace("NAME = Part().name", &format!("{equal}NAME = Part().name"))
    };
    let scene = Scene { tree: with("shop/part.py", &text("True")), ..Scene::new(&[]) };
    assert_eq!(scene.hit("shop/part.py", &text("False")), [] as [&str; 0]);
    let (old, new) = (scene.tree.clone(), with("shop/part.py", &text("False")));
    // Nobody has looked before the change.
    let records = Records { then: None, now: Some(record(&mut new.clone())) };
    let imports = Imports::new(&old, &new, &records);
    let profiles = scene.old(None);
    let found = affected(&scene.suite, &changes(&old, &new), &profiles, Rts::Dynamic, &imports);
    assert_eq!(names(&scene.suite, &found.tests), [PARTS]);
}

#[test]
fn a_plugin_of_the_project_is_loaded_for_all() {
    assert_eq!(Scene::new(&[]).hit("local_plugin.py", "LIMIT = 2\n"), [PARTS, OTHER]);
}

#[test]
fn data_concerns_those_who_opened_it_and_not_those_who_stand_beside_it() {
    assert_eq!(Scene::new(&["tables/rates.csv"]).hit("tables/rates.csv", "2"), [PARTS]);
    assert_eq!(Scene::new(&["tables/"]).hit("tables/rates.csv", "2"), [PARTS]);
    assert_eq!(Scene::new(&[]).hit("tables/rates.csv", "2"), [] as [&str; 0]);
    assert_eq!(Scene::new(&[]).hit("shop/notes.csv", "2"), [] as [&str; 0]);
}

#[test]
fn data_that_was_opened_at_import_concerns_those_who_load_the_opener() {
    assert_eq!(Scene::new(&[]).hit("tables/prices.csv", "2"), [PARTS]);
}

#[test]
fn data_that_comes_or_goes_concerns_whoever_may_ask_whether_it_is_there() {
    assert_eq!(Scene::new(&[]).hit("shop/notes.csv", ""), [PARTS]);
}

#[test]
fn a_profile_holds_where_its_own_collection_says_so() {
    let (scene, mut now) = (Scene::new(&[]), tree(&SHOP));
    let records = Records { then: None, now: Some(record(&mut now)) };
    let imports = Imports::new(&scene.tree, &now, &records);
    let unrecorded =
        affected(&scene.suite, &changes(&scene.tree, &now), &scene.old(None), Rts::Dynamic, &imports);
    assert_eq!((unrecorded.tests, unrecorded.unknown), (vec![], vec![]));
}

#[test]
fn generated_code_that_git_does_not_list_is_compared_too() {
    let project = tempfile::tempdir().unwrap();
    let write = |text: &str| fs::write(project.path().join("version.py"), text).unwrap();
    let collection = Collection {
        loaded: vec![loaded("version.py", Some("test_a.py")), loaded("test_a.py", None)],
        ..Collection::default()
    };
    let listed = tree(&[("test_a.py", "from version import V\n\ndef test_a(): pass\n")]);
    let take = || {
        let mut tree = listed.clone();
        let record = Record::new(collection.clone(), &mut tree, project.path());
        (tree, record)
    };
    write("V = 1\n");
    let (_, then) = take();
    let elements = |text: &str| {
        write(text);
        let (new, _) = take();
        let mut old = listed.clone();
        then.complete(&mut old, &new);
        changes(&old, &new).elements.into_iter().map(|changed| changed.element).collect::<Vec<_>>()
    };
    assert_eq!(elements("V = 1\n"), [] as [&str; 0]);
    assert_eq!(elements("V = 2\n"), ["version"]);
}

#[test]
fn whoever_runs_code_that_imports_compiled_code_of_the_project_is_related_to_all() {
    let files = [
        ("shop/__init__.py", ""),
        ("shop/fast.py", "from ._fast import add\n\ndef total(): return add()\n"),
        ("test_a.py", "def test_a(): pass\n"),
        ("test_b.py", "import shop.fast\n\ndef test_b(): shop.fast.total()\n"),
        ("test_c.py", "def test_c(): pass\n"),
    ];
    let extension = Extension { file: "shop/_fast.abi3.so".to_owned(), module: "shop._fast".to_owned() };
    let collection = Collection { extensions: vec![extension], ..Collection::default() };
    let mut tree = tree(&files);
    let now = Some(Record::new(collection, &mut tree, Path::new(ROOT)));
    let imports = Imports::new(&tree, &tree, &Records { then: None, now });
    let suite = suite(&["test_a.py::test_a", "test_b.py::test_b", "test_c.py::test_c"]);
    let of = |test: u32, code: &[&str]| Profile { test: TestIndex(test), ..ran(code, NONE) };
    let new = [
        of(0, &["test_a.py:test_a"]),
        of(1, &["test_b.py:test_b", "shop/fast.py:total"]),
        of(2, &["test_c.py:test_c"]),
    ];
    let start = anyorder_change::Affected {
        tests: vec![Selected { test: TestIndex(0), why: vec![] }],
        ..anyorder_change::Affected::default()
    };
    let old = OldProfiles::new(Path::new(ROOT), vec![]);
    let found = related(&suite, &start, &old, &new, Select::Cells, &imports, &Noise::default());
    assert_eq!(names(&suite, &found), ["test_b.py::test_b"]);
    assert_eq!(why(&suite, &found, "test_b.py::test_b"), ["opaque C extension"]);
}
