//! What tests of the page share, and those about what nobody may make it do.

pub(crate) mod documents;
mod safety;

use std::fs;
use std::path::{Path, PathBuf};

use anyorder_report::html;
use anyorder_testkit::browser::{Browser, Page};
use serde_json::{Value, json};

/// The ids of the findings that can be seen.
pub(crate) const SHOWN: &str = "[...document.querySelectorAll('.finding')] \
    .filter((row) => row.checkVisibility()).map((row) => row.id).join(' ')";

/// The page of a document, as a file.
pub(crate) fn written(name: &str, document: &Value) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.html"));
    fs::write(&file, html(document)).expect("it can be written");
    file
}

/// Opens a document at a part of it, lets `look` look, and sees to it that nobody complained or asked for anything.
pub(crate) fn on(name: &str, document: &Value, part: &str, look: impl FnOnce(&mut Page<'_>)) {
    on_file(&written(name, document), part, look);
}

/// The same for a page that is written.
pub(crate) fn on_file(file: &Path, part: &str, look: impl FnOnce(&mut Page<'_>)) {
    let mut browser = Browser::shared();
    let mut page = browser.page();
    page.open(file, part);
    look(&mut page);
    assert_eq!(page.complaints(), [] as [Value; 0]);
    let address = format!("file://{}", file.display());
    let is_own = |url: &String| url.starts_with(&address) || url.starts_with("data:") || url == "about:blank";
    let elsewhere: Vec<String> = page.requests().into_iter().filter(|url| !is_own(url)).collect();
    assert_eq!(elsewhere, [] as [String; 0]);
}

/// Types into the filter as a user does.
pub(crate) fn filter(page: &mut Page<'_>, text: &str) {
    page.value("document.getElementById('filter').focus()");
    page.ask("Input.insertText", &json!({"text": text}));
}

/// Says what of `words` is not in a text.
pub(crate) fn assert_told(told: &str, words: &[&str]) {
    let missing: Vec<&&str> = words.iter().filter(|words| !told.contains(**words)).collect();
    assert!(missing.is_empty(), "{missing:?} in: {told}");
}
