//! Which tests of a Java project a change concerns: real class files, compiled where there is a compiler.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyorder_change::{ClassRule, Classes, Select, select_classes};
use anyorder_model::{Suite, Test, TestId};
use common::{names, why};
use tempfile::TempDir;

const PRICES: &str = "package acme;\nclass Prices {\n  static final String UNIT = \"EUR\";\n  static int of(int n) { return n; }\n}\n";
const CART: &str = "package acme;\nclass Cart {\n  static final java.util.List<Integer> KEPT = new java.util.ArrayList<>();\n  static int total() { return Prices.of(1); }\n}\n";
const SHELF: &str = "package acme;\nclass Shelf {\n  static int books;\n  static String kept() { return \"acme.Cart\"; }\n}\n";
const TESTS: [(&str, &str); 5] = [
    ("PricesTest", "int x = Prices.of(2);"),
    ("CartTest", "int x = Cart.total();"),
    ("KeptTest", "Object x = Cart.KEPT;"),
    ("ShelfTest", "int x = Shelf.books;"),
    ("AloneTest", "int x = 1;"),
];

/// Compiles these classes; nothing where there is no compiler.
struct Build {
    directory: TempDir,
}

impl Build {
    fn new(edits: &[(&str, &str)]) -> Option<Self> {
        let directory = TempDir::new().unwrap();
        let tests = TESTS.map(|(name, body)| {
            (name, format!("package acme;\nclass {name} {{ void runs() {{ {body} }} }}\n"))
        });
        let mut sources =
            vec![("Prices", PRICES.to_owned()), ("Cart", CART.to_owned()), ("Shelf", SHELF.to_owned())];
        sources.extend(tests);
        for (name, text) in edits {
            sources.retain(|(known, _)| known != name);
            sources.push((name, (*text).to_owned()));
        }
        let files: Vec<PathBuf> =
            sources.iter().map(|(name, _)| directory.path().join(format!("{name}.java"))).collect();
        files.iter().zip(&sources).for_each(|(file, (_, text))| fs::write(file, text).unwrap());
        let mut compiler = Command::new("javac");
        compiler
            .args(["-J-XX:TieredStopAtLevel=1", "-proc:none", "-g"])
            .arg("-d")
            .arg(directory.path().join("classes"))
            .args(&files);
        compiler.status().is_ok_and(|status| status.success()).then_some(Build { directory })
    }

    fn classes(&self) -> Classes {
        Classes::on(&[self.path().join("classes"), self.path().join("absent.jar")]).unwrap()
    }

    /// The classes with a file beside them.
    fn with_file(&self, name: &str, text: &str) -> Classes {
        let path = self.path().join("classes").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let classes = self.classes();
        fs::remove_file(path).unwrap();
        classes
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }
}

fn suite() -> Suite {
    let test = |(name, _): (&str, &str)| Test {
        id: TestId(format!("acme.{name}#runs")),
        group: format!("acme.{name}"),
        file: format!("src/test/java/acme/{name}.java"),
        line: 1,
        markers: vec![],
    };
    Suite::new("junit", TESTS.map(test).to_vec())
}

/// The classes without edits, compiled once.
fn unchanged() -> Option<&'static Classes> {
    static UNCHANGED: OnceLock<Option<Classes>> = OnceLock::new();
    UNCHANGED.get_or_init(|| Some(Build::new(&[])?.classes())).as_ref()
}

/// What is asked for if nothing else is said.
fn rule(new: &Classes) -> ClassRule<'_> {
    ClassRule { old: None, new, others: None, gone: &[], files: &[], select: Select::Class }
}

/// Names of affected tests and of related ones.
fn selected(edits: &[(&str, &str)], select: Select) -> Option<[Vec<String>; 2]> {
    Some(between(unchanged()?, &Build::new(edits)?.classes(), select))
}

fn between(old: &Classes, new: &Classes, select: Select) -> [Vec<String>; 2] {
    let suite = suite();
    let selection = select_classes(&suite, ClassRule { old: Some(old), select, ..rule(new) });
    let short = |name: &str| name.trim_start_matches("acme.").trim_end_matches("Test#runs").to_owned();
    [&selection.affected, &selection.related]
        .map(|tests| names(&suite, tests).into_iter().map(short).collect())
}

fn found(affected: &[&str], related: &[&str]) -> [Vec<String>; 2] {
    [affected, related].map(|names| names.iter().map(|&name| name.to_owned()).collect())
}

#[test]
fn affected_are_those_who_may_load_what_changed_and_related_those_who_share_a_static_field() {
    let prices = PRICES.replace("return n", "return n + 0");
    let Some(seen) = selected(&[("Prices", &prices)], Select::Cells) else { return };
    // The shelf has the name of the cart as a text, and may load it by that.
    assert_eq!(seen, found(&["Prices", "Cart", "Kept", "Shelf"], &[]));
    let test = "package acme;\nclass KeptTest { void runs() { Object x = Cart.KEPT; int y = 2; } }\n";
    let kept = Build::new(&[("KeptTest", test)]).unwrap().classes();
    let with = |select| between(unchanged().unwrap(), &kept, select);
    assert_eq!(with(Select::Class), found(&["Kept"], &["Cart", "Shelf"]));
    assert_eq!(with(Select::Affected), found(&["Kept"], &[]));
    assert_eq!(with(Select::All), found(&["Kept"], &["Prices", "Cart", "Shelf", "Alone"]));
}

#[test]
fn comments_and_lines_do_not_count() {
    let moved = PRICES.replace("  static int", "  // More.\n\n  static int");
    let Some(seen) = selected(&[("Prices", &moved)], Select::Class) else { return };
    assert_eq!(seen, found(&[], &[]));
}

#[test]
fn what_shares_only_constants_is_not_related() {
    let test = "package acme;\nclass PricesTest { void runs() { int x = Prices.of(3); } }\n";
    let Some(seen) = selected(&[("PricesTest", test)], Select::Class) else { return };
    assert_eq!(seen, found(&["Prices"], &[]));
}

#[test]
fn without_earlier_classes_files_that_changed_tell_what_did() {
    let Some(new) = unchanged() else { return };
    let suite = suite();
    let with = |file: &str| {
        let files = [file.to_owned()];
        select_classes(&suite, ClassRule { files: &files, select: Select::Affected, ..rule(new) })
    };
    let selection = with("core/src/main/java/acme/Shelf.java");
    assert_eq!(names(&suite, &selection.affected), ["acme.ShelfTest#runs"]);
    assert_eq!(why(&suite, &selection.affected, "acme.ShelfTest#runs"), ["loads acme.Shelf"]);
    assert_eq!(with("README.md").affected, []);
    assert_eq!(with("pom.xml").affected.len(), TESTS.len());
    assert_eq!(
        with("src/main/resources/rates.csv").everything.as_deref(),
        Some("src/main/resources/rates.csv")
    );
}

#[test]
fn other_resources_and_packages_concern_all() {
    let Some(build) = Build::new(&[]) else { return };
    let old = build.classes();
    let everything_with = |files: &[String]| {
        let new = build.classes();
        select_classes(&suite(), ClassRule { old: Some(&old), files, ..rule(&new) }).everything
    };
    let everything = || everything_with(&[]);
    assert_eq!(everything(), None);
    assert_eq!(everything_with(&["core/pom.xml".to_owned()]).as_deref(), Some("core/pom.xml"));
    fs::write(build.path().join("absent.jar"), "").unwrap();
    assert_eq!(everything().as_deref(), Some("the class path"));
    fs::remove_file(build.path().join("absent.jar")).unwrap();
    fs::write(build.path().join("classes/rates.csv"), "1").unwrap();
    assert_eq!(everything().as_deref(), Some("rates.csv"));
}

/// A service, with a class that provides it and that no other class mentions; and a library.
const TAX: &str = "package acme;\npublic interface Tax {\n  static Object all() { return java.util.ServiceLoader.load(Tax.class); }\n}\n";
const VAT: &str = "package acme;\npublic class Vat implements Tax {\n  final int line = lib.Log.lines;\n}\n";
const LOG: &str = "package lib;\npublic class Log {\n  public static int lines;\n}\n";
/// Two that may open a file, one that asks for the service, and one that uses the library.
const USERS: [(&str, &str); 4] = [
    (
        "ShelfTest",
        "package acme;\nclass ShelfTest { String runs() { return \"/acme/taxes.properties\"; } }\n",
    ),
    ("AloneTest", "package acme;\nclass AloneTest { String runs() { return \"acme.taxes\"; } }\n"),
    ("CartTest", "package acme;\nclass CartTest { void runs() { Object x = Tax.all(); } }\n"),
    ("PricesTest", "package acme;\nclass PricesTest { void runs() { lib.Log.lines += 1; } }\n"),
];

/// Builds that differ in the class that provides the service, with these classes besides. The library stands elsewhere.
fn with_other_vat(edits: &[(&str, &str)]) -> Option<[Build; 2]> {
    let other = VAT.replace(".lines", ".lines + 1");
    let build = |vat: &str| {
        let services = [("Tax", TAX), ("Vat", vat), ("Log", LOG)];
        let build = Build::new(&[&services, &USERS[..], edits].concat())?;
        fs::rename(build.path().join("classes/lib"), build.path().join("lib")).unwrap();
        Some(build)
    };
    Some([build(VAT)?, build(&other)?])
}

#[test]
fn a_class_that_only_a_file_names_is_loaded_by_who_opens_the_file_or_by_all() {
    let Some(builds) = with_other_vat(&[]) else { return };
    let affected = |name: &str, text: &str| {
        let [old, new] = builds.each_ref().map(|build| build.with_file(name, text));
        let [affected, related] = between(&old, &new, Select::Class);
        assert_eq!(related, [""; 0]);
        affected
    };
    let all = TESTS.map(|(name, _)| name.trim_end_matches("Test"));
    let [service, extension] = ["acme.Tax", "org.junit.jupiter.api.extension.Extension"]
        .map(|name| format!("META-INF/services/{name}"));
    assert_eq!(affected(&service, "# Ours.\nacme.Vat # the only one\n"), ["Cart"]);
    assert_eq!(affected(&service, ""), [""; 0]);
    assert_eq!(affected(&extension, "acme.Vat\n"), all);
    assert_eq!(affected("acme/taxes.properties", "vat=acme.Vat\n"), ["Shelf", "Alone"]);
    assert_eq!(affected("junit-platform.properties", "order = acme.Vat\n"), all);
    assert_eq!(affected("junit-platform.properties", "order = acme.Vats\n"), [""; 0]);
}

#[test]
fn static_fields_in_jars_relate_tests_only_where_they_are_to_count() {
    let Some(builds) = with_other_vat(&[]) else { return };
    let jar = builds[0].path().join("log.jar");
    let mut pack = Command::new("jar");
    pack.arg("--create").arg("--file").arg(&jar).arg("-C").arg(builds[0].path()).arg("lib");
    assert!(pack.status().unwrap().success());
    let [old, new] = builds.each_ref().map(|build| build.with_file("META-INF/services/acme.Tax", "acme.Vat"));
    let (others, suite) = (Classes::in_jars_on(&[jar]).unwrap(), suite());
    let related =
        |others| select_classes(&suite, ClassRule { old: Some(&old), others, ..rule(&new) }).related;
    assert_eq!(related(None), []);
    let seen = related(Some(&others));
    assert_eq!(names(&suite, &seen), ["acme.PricesTest#runs"]);
    assert_eq!(why(&suite, &seen, "acme.PricesTest#runs"), ["shares lib.Log.lines with acme.CartTest#runs"]);
}

#[test]
fn what_a_module_provides_may_be_loaded_for_all() {
    let module = "module acme {\n  uses acme.Tax;\n  provides acme.Tax with acme.Vat;\n}\n";
    let Some(builds) = with_other_vat(&[("module-info", module)]) else { return };
    let [old, new] = builds.each_ref().map(Build::classes);
    assert_eq!(between(&old, &new, Select::Class)[0].len(), TESTS.len());
}

#[test]
fn those_who_share_state_with_a_deleted_test_are_related() {
    let Some(old) = unchanged() else { return };
    let build = Build::new(&[]).unwrap();
    fs::remove_file(build.path().join("classes/acme/KeptTest.class")).unwrap();
    let (new, gone) = (build.classes(), [TestId("acme.KeptTest#runs".to_owned())]);
    assert!(!new.have_class_of(&gone[0]) && old.have_class_of(&gone[0]));
    let suite =
        Suite::new("junit", suite().tests().iter().filter(|test| test.id != gone[0]).cloned().collect());
    let selection = select_classes(&suite, ClassRule { old: Some(old), gone: &gone, ..rule(&new) });
    assert_eq!(selection.deleted, gone);
    assert_eq!(names(&suite, &selection.affected), [""; 0]);
    assert_eq!(names(&suite, &selection.related), ["acme.CartTest#runs", "acme.ShelfTest#runs"]);
}
