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
        compiler.arg("-g").arg("-d").arg(directory.path().join("classes")).args(&files);
        compiler.status().is_ok_and(|status| status.success()).then_some(Build { directory })
    }

    fn classes(&self) -> Classes {
        Classes::on(&[self.path().join("classes"), self.path().join("absent.jar")]).unwrap()
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

/// Names of affected tests and of related ones.
fn selected(edits: &[(&str, &str)], select: Select) -> Option<[Vec<String>; 2]> {
    Some(between(unchanged()?, &Build::new(edits)?.classes(), select))
}

fn between(old: &Classes, new: &Classes, select: Select) -> [Vec<String>; 2] {
    let suite = suite();
    let selection = select_classes(&suite, ClassRule { old: Some(old), new, files: &[], select });
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
        let rule = ClassRule { old: None, new, files: &files, select: Select::Affected };
        select_classes(&suite, rule)
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
    let select = Select::Class;
    let everything = || {
        let new = build.classes();
        select_classes(&suite(), ClassRule { old: Some(&old), new: &new, files: &[], select }).everything
    };
    assert_eq!(everything(), None);
    fs::write(build.path().join("absent.jar"), "").unwrap();
    assert_eq!(everything().as_deref(), Some("the class path"));
    fs::remove_file(build.path().join("absent.jar")).unwrap();
    fs::write(build.path().join("classes/rates.csv"), "1").unwrap();
    assert_eq!(everything().as_deref(), Some("rates.csv"));
}
