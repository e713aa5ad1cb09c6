//! What the pages say is so: links lead somewhere, commands and options exist, and the list of commands is what they say of themselves.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, iter};

use anyorder_testkit::repository;
use common::Anyorder;
use common::page::{Page, pages};

/// Set to write the pages that are made.
const UPDATE: &str = "ANYORDER_UPDATE_DOCS";

fn help_of(command: &[&str]) -> String {
    let nowhere = tempfile::tempdir().unwrap();
    let words: Vec<&str> = command.iter().copied().chain(["--help"]).collect();
    let anyorder = Anyorder::without_python(nowhere.path()).variable("COLUMNS", "100");
    anyorder.run(&words).with_code(0).stdout
}

/// In the sequence of the overview.
fn commands() -> Vec<String> {
    let overview = help_of(&[]);
    let listed = overview.split_once("Commands:\n").unwrap().1.split("\n\n").next().unwrap();
    let is_first = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let names = listed.lines().filter(is_first).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_page_of_commands_is_what_they_say_of_themselves() {
    let path = repository().join("docs/commands.md");
    let part = |command: String| {
        let help = help_of(&[&command]);
        let lines: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
        format!("\n## {command}\n\n```text\n{}\n```\n", lines.join("\n"))
    };
    let heading = "# Commands\n\nWhat `--help` says; this page is made from it.\n".to_owned();
    let made: String = iter::once(heading).chain(commands().into_iter().map(part)).collect();
    if std::env::var_os(UPDATE).is_some() {
        fs::write(&path, &made).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == made,
        "docs/commands.md is old: `{UPDATE}=1 cargo test -p anyorder --test documentation` writes it"
    );
}

#[test]
fn links_lead_somewhere() {
    let all = pages();
    let mut broken = Vec::new();
    for page in &all {
        for link in page.links().filter(|link| !link.contains("://")) {
            let (file, anchor) =
                link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
            let target =
                if file.is_empty() { page.path.clone() } else { normal(&page.path.with_file_name(file)) };
            let is_there = match all.iter().find(|page| page.path == target) {
                Some(page) => anchor.is_none_or(|anchor| page.anchors().any(|there| there == anchor)),
                None => anchor.is_none() && target.exists(),
            };
            if !is_there {
                broken.push(format!("{}: {link}", page.name()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Without `..`.
fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, part| {
        if part.as_os_str() == ".." {
            path.pop();
        } else {
            path.push(part);
        }
        path
    })
}

#[test]
fn every_page_of_the_docs_can_be_reached_from_the_readme() {
    let all = pages();
    let (mut seen, mut waiting) = (BTreeSet::new(), vec![repository().join("README.md")]);
    while let Some(path) = waiting.pop() {
        let Some(page) = all.iter().find(|page| page.path == path) else { continue };
        if seen.insert(path.clone()) {
            waiting.extend(
                page.links().map(|link| normal(&path.with_file_name(link.split('#').next().unwrap()))),
            );
        }
    }
    let lost: Vec<&str> = all.iter().filter(|page| !seen.contains(&page.path)).map(Page::name).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[test]
fn commands_and_options_that_pages_mention_exist() {
    let known = commands();
    let help: Vec<(String, String)> = known.iter().map(|name| (name.clone(), help_of(&[name]))).collect();
    let of = |name: &str| help.iter().find(|(command, _)| command == name).map(|(_, help)| help.as_str());
    let hunt = of("hunt").unwrap();
    let mut unknown = Vec::new();
    for page in &pages() {
        for words in page.commands() {
            // What stands behind two dashes belongs to the user's own runner.
            let own: Vec<&str> = words.split(" -- ").next().unwrap().split_whitespace().skip(1).collect();
            let named = own.iter().find(|word| !word.starts_with('-'));
            let help = match named.and_then(|word| of(word)) {
                Some(help) => help,
                None if named.is_none_or(|word| word.chars().all(char::is_uppercase)) => hunt,
                None if own.first().is_some_and(|word| word.starts_with('-')) => hunt,
                None => {
                    unknown.push(format!("{}: `{words}`", page.name()));
                    continue;
                }
            };
            let option = |word: &&&str| word.starts_with("--") && word.len() > 2;
            let missing = own.iter().filter(option).map(|word| word.split('=').next().unwrap());
            unknown.extend(
                missing
                    .filter(|option| {
                        !help.contains(&format!("{option} ")) && !help.contains(&format!("{option}\n"))
                    })
                    .map(|option| format!("{}: `{words}`: {option}", page.name())),
            );
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
}
