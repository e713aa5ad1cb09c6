//! The pages of the documentation, as a reader of Markdown sees them.

use std::fs;
use std::path::PathBuf;

use anyorder_testkit::repository;

/// One page.
pub(crate) struct Page {
    pub(crate) path: PathBuf,
    text: String,
}

/// The README, what stands beside it, and the docs.
pub(crate) fn pages() -> Vec<Page> {
    let of = |directory: PathBuf| {
        fs::read_dir(directory).expect("it is there").flatten().map(|entry| entry.path())
    };
    let files = of(repository()).chain(of(repository().join("docs")));
    let mut pages: Vec<Page> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "md")).map(Page::read).collect();
    pages.sort_by(|one, other| one.path.cmp(&other.path));
    pages
}

impl Page {
    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).expect("it is text");
        Page { path, text }
    }

    /// One of the docs, or `../README.md`.
    pub(crate) fn named(name: &str) -> Self {
        Page::read(repository().join("docs").join(name).canonicalize().expect("it is there"))
    }

    pub(crate) fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).expect("it has a name")
    }

    /// Code blocks in this language.
    pub(crate) fn blocks<'a>(&'a self, language: &'a str) -> impl Iterator<Item = &'a str> {
        let fenced = self.text.split("\n```").skip(1).step_by(2);
        fenced.filter_map(move |block| block.strip_prefix(language)?.strip_prefix('\n'))
    }

    /// The text without code blocks.
    fn prose(&self) -> impl Iterator<Item = &str> {
        self.text.split("\n```").step_by(2)
    }

    /// Where links lead.
    pub(crate) fn links(&self) -> impl Iterator<Item = &str> {
        self.prose().flat_map(|text| text.split("](").skip(1).filter_map(|rest| rest.split(')').next()))
    }

    /// The names of headings, as links mention them.
    pub(crate) fn anchors(&self) -> impl Iterator<Item = String> {
        let heading =
            |line: &str| line.starts_with('#').then(|| line.trim_start_matches('#').trim().to_owned());
        let anchor = |heading: String| {
            let kept = heading
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
                .collect::<String>();
            kept.replace(' ', "-")
        };
        self.prose().flat_map(str::lines).filter_map(heading).map(anchor)
    }

    /// What is mentioned in the text and begins with the name of the binary.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &str> {
        let mentioned = self.prose().flat_map(|text| text.split('`').skip(1).step_by(2));
        let typed =
            ["sh", "console"].into_iter().flat_map(|language| self.blocks(language)).flat_map(str::lines);
        let typed =
            typed.map(|line| line.trim_start_matches("$ ").split(" #").next().unwrap_or_default().trim());
        mentioned.chain(typed).filter(|words| *words == "anyorder" || words.starts_with("anyorder "))
    }
}
