//! Looks at the user's tree and at the processes around every command: it leaves neither changed nor behind.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyorder_testkit::mark::Mark;
use anyorder_testkit::tree::{self, Digest};

/// One command, from before it starts until after it has ended. One that nobody looks at is looked at when it is dropped.
pub(crate) struct Watch {
    mark: Mark,
    trees: Vec<(PathBuf, Digest)>,
    /// Files that the command was asked to write.
    asked: Vec<PathBuf>,
    is_checked: bool,
}

impl Watch {
    /// `words` are about to be run in `directory`.
    pub(crate) fn begin<S: AsRef<OsStr>>(directory: &Path, words: &[S], mark: &Mark) -> Self {
        let values = |names: &[&str]| -> Vec<PathBuf> {
            let pairs = words.windows(2).filter(|pair| names.iter().any(|name| pair[0].as_ref() == *name));
            pairs.map(|pair| directory.join(pair[1].as_ref())).collect()
        };
        let named = values(&["-C", "--directory"]);
        // Whoever shares the disk with the tests has asked for what they write there; whoever applies patches, too.
        let is_shared = values(&["--disk"]).iter().any(|value| value.ends_with("shared"));
        let is_interrupted = directory.join(".anyorder/patches/apply.json").exists();
        let is_applied = is_interrupted || words.iter().any(|word| word.as_ref() == "--apply");
        let places = named.into_iter().chain([directory.to_owned()]).filter(|_| !is_shared && !is_applied);
        let trees = places.map(|place| (tree::digest(&place), place)).map(|(digest, place)| (place, digest));
        Watch { mark: mark.clone(), trees: trees.collect(), asked: values(&["--json"]), is_checked: false }
    }

    /// The command has ended, however it did; `said` is what it printed.
    #[track_caller]
    pub(crate) fn check(mut self, said: &str) {
        self.is_checked = true;
        self.look(said);
    }

    #[track_caller]
    fn look(&mut self, said: &str) {
        let gone = self.mark.gone_within(Duration::from_secs(2));
        assert!(gone.is_ok(), "these processes outlived the command: {gone:#?}\n{said}");
        for (place, before) in std::mem::take(&mut self.trees) {
            let of_tests = |digest: Digest| {
                let asked = self.asked.iter().filter_map(|file| file.strip_prefix(&place).ok());
                let digest = asked.fold(digest, Digest::without);
                // The project's own build compiles where it always does.
                let is_built = ["pom.xml", "build.gradle"].iter().any(|name| place.join(name).is_file());
                let made = ["target", "build", ".gradle"].iter().filter(|_| is_built);
                made.fold(digest, |digest, name| digest.without_any(name))
            };
            let changes = of_tests(before).changes(&of_tests(tree::digest(&place)));
            assert!(changes.is_empty(), "the command has changed the user's tree: {changes:#?}\n{said}");
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.is_checked && !std::thread::panicking() {
            self.look("");
        }
    }
}
