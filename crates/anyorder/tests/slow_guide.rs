//! The demo, the guide and the README, followed by somebody who pastes every command, one after the other.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyorder_testkit::environment::{NEWEST, python};
use anyorder_testkit::fixture::Fixture;
use common::page::Page;

/// Every kind of order dependence, and one test that fails by chance.
const FOUND: [(&str, &str); 8] = [
    ("victim", "tests/test_prices.py::test_book_costs_full_price"),
    ("victim", "tests/test_templates.py::test_greeting_is_english"),
    ("victim", "tests/test_inventory.py::test_new_shop_has_no_stock"),
    ("victim", "tests/test_currency.py::test_prices_are_in_dollars"),
    ("victim", "tests/test_templates.py::test_receipt_lists_every_item"),
    ("brittle", "tests/test_prices.py::test_price_of_tea_is_cached"),
    ("non-idempotent", "tests/test_cart.py::test_first_order_is_number_one"),
    ("non-deterministic", "tests/test_prices.py::test_lucky_customer_gets_a_gift"),
];

/// A command, and lines that are shown below it.
struct Pasted {
    command: String,
    shown: Vec<String>,
}

/// What stands in a block: commands behind `$`, or without it when nothing is shown.
fn pasted(block: &str) -> Vec<Pasted> {
    let mut all: Vec<Pasted> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => all.push(Pasted { command: command.to_owned(), shown: vec![] }),
            (None, Some(last)) => last.shown.push(line.to_owned()),
            (None, None) => panic!("`{line}` is shown, and nobody has typed anything"),
        }
    }
    all
}

/// The commands of a block without anything that is shown.
fn typed(block: &str) -> Vec<Pasted> {
    let command = |line: &str| line.split(" #").next().unwrap_or_default().trim().to_owned();
    block.lines().map(|line| Pasted { command: command(line), shown: vec![] }).collect()
}

/// What each command says in one shell, and its exit code.
fn followed(directory: &Path, commands: &[Pasted]) -> Vec<(String, i32)> {
    const END: &str = "that was it, with code";
    let told = |pasted: &Pasted| format!("{}\nprintf '\\n%s %d\\n' '{END}' $?\n", pasted.command);
    let script = commands.iter().map(told).collect::<Vec<_>>().concat();
    let script = format!("exec 2>&1\n{script}");
    let environment = python(NEWEST).parent().and_then(Path::parent).expect("it has one").to_owned();
    let binary = Path::new(env!("CARGO_BIN_EXE_anyorder")).parent().expect("it has one").to_owned();
    let places = [binary, environment.join("bin")].into_iter();
    let path = env::join_paths(places.chain(env::split_paths(&env::var_os("PATH").expect("there is one"))));
    let mut shell = Command::new("bash");
    common::clean(shell.args(["-c", &script]).current_dir(directory));
    shell.env("PATH", path.expect("no colons")).env("VIRTUAL_ENV", environment);
    for (name, value) in [("NAME", "a reader"), ("EMAIL", "reader@example.org")] {
        shell.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
    }
    let output = shell.output().expect("there is bash");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut said = said.split(END);
    let mut first = said.next().unwrap_or_default();
    let mut all = Vec::new();
    for next in said {
        let (code, rest) = next.split_once('\n').expect("a line ends");
        all.push((first.to_owned(), code.trim().parse().expect("a number")));
        first = rest;
    }
    all
}

/// Each line is part of a line that was said, in this sequence.
fn missing<'a>(shown: &'a [String], said: &str) -> Option<&'a String> {
    let mut lines = said.lines();
    shown.iter().find(|line| !lines.by_ref().any(|said| said.contains(line.trim())))
}

/// What the demo has found, the directory that its next steps lead to, and the steps that the guide takes, too.
fn the_demo_is_whole(directory: &Path, said: &str) {
    for (kind, test) in FOUND {
        assert!(said.contains(&format!("  {kind}  {test}")), "{kind} {test}\n{said}");
    }
    let next = said.split_once("      Next  ").unwrap_or_else(|| panic!("{said}")).1;
    let steps: Vec<String> = next.lines().skip(1).map(|line| line.trim().to_owned()).collect();
    let typed = |step: &String| Pasted { command: step.clone(), shown: vec![] };
    let mut first: Vec<Pasted> = steps[..2].iter().map(typed).collect();
    first.push(typed(&"pwd; anyorder collect --quiet".to_owned()));
    let anywhere = tempfile::tempdir().unwrap();
    let (there, code) = followed(anywhere.path(), &first).pop().unwrap();
    assert_eq!(code, 0, "{there}");
    assert_eq!(Path::new(there.lines().next().unwrap()), directory.join("shop").canonicalize().unwrap());
    assert_eq!(
        steps[2..5],
        ["anyorder explain v-a69b7f", "anyorder fix v-a69b7f", "anyorder fix --apply v-a69b7f"]
    );
    for (path, text) in Fixture::pytest("demo").contents() {
        let inside = path.components().skip_while(|part| part.as_os_str() != "demo").skip(1);
        let copied = directory.join("shop").join(inside.collect::<PathBuf>());
        assert_eq!(fs::read(&copied).ok(), Some(text), "{}", copied.display());
    }
}

#[test]
fn who_follows_the_guide_and_the_readme_sees_what_they_show() {
    let guide = Page::named("guide.md");
    let readme = Page::named("../README.md");
    let mut commands: Vec<Pasted> = guide.blocks("console").flat_map(pasted).collect();
    // As it was before the fix: what was hunted then counts again.
    let back = "git checkout --quiet $(git rev-list --max-parents=0 HEAD)";
    commands.extend(typed(back));
    let own = readme.blocks("sh").filter(|block| block.starts_with("anyorder"));
    commands.extend(own.flat_map(typed));
    assert!(commands.len() > 15, "there is little to follow");
    let directory = tempfile::Builder::new().prefix("with a space ").tempdir().unwrap();
    let said = followed(directory.path(), &commands);
    assert_eq!(said.len(), commands.len());
    for (pasted, (said, code)) in commands.iter().zip(&said) {
        assert!([0, 1].contains(code), "`{}` ends with {code}:\n{said}", pasted.command);
        assert_eq!(missing(&pasted.shown, said), None, "`{}`:\n{said}", pasted.command);
    }
    the_demo_is_whole(directory.path(), &said[0].0);
    let report = fs::read_to_string(directory.path().join("shop/report.html")).unwrap();
    assert!(report.contains("v-a69b7f"), "the report shows another suite");
}
