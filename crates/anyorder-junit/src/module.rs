//! A module of the build: its tests, and the JVM that they run in.

use std::path::PathBuf;

use anyorder_model::{CollectionError, Outcome, Test, TestId};
use serde::{Deserialize, Serialize};

use crate::capture::Capture;
use crate::java::Changes;
use crate::jdk;
use crate::targets::is_meant;

/// One module's tests, and the JVM that they run in.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Module {
    /// Its directory, as seen from the project's.
    pub name: String,
    pub(crate) base: PathBuf,
    /// Where the build is started.
    pub(crate) home: PathBuf,
    pub(crate) capture: Capture,
    pub(crate) environment: Changes,
    pub(crate) jar: PathBuf,
    pub(crate) listing: Listing,
    pub(crate) outcomes: Vec<(TestId, Outcome)>,
    pub(crate) targets: Vec<String>,
    /// What there is to know before its tests are believed.
    pub notices: Vec<String>,
}

/// The file that `list` writes and `serve` reads.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Listing {
    pub(crate) framework: String,
    pub(crate) tests: Vec<Listed>,
    #[serde(default)]
    pub(crate) errors: Vec<CollectionError>,
}

/// A test, and what else the agent wants to know of it when it runs it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Listed {
    #[serde(flatten)]
    pub(crate) test: Test,
    #[serde(flatten)]
    rest: serde_json::Map<String, serde_json::Value>,
}

impl AsRef<Test> for Listed {
    fn as_ref(&self) -> &Test {
        &self.test
    }
}

impl Module {
    /// Leaves out the tests that are not meant.
    pub(crate) fn narrow(&mut self, targets: &[String]) {
        self.listing.tests.retain(|listed| is_meant(&listed.test, targets));
        self.targets = targets.to_vec();
        if !targets.is_empty() {
            // Some tests alone may end otherwise than in the company of all.
            self.outcomes.clear();
        }
    }

    pub(crate) fn facts(&self) -> Vec<String> {
        let capture = &self.capture;
        let junit = capture.class_path.iter().filter_map(|place| place.file_stem()?.to_str());
        let junit: Vec<&str> =
            junit.filter(|name| name.starts_with("junit") || name.starts_with("jupiter")).collect();
        let mut facts = vec![
            format!("Java {} ({})", capture.java_version, capture.java_home.display()),
            format!("{}: {} tests", self.listing.framework, self.listing.tests.len()),
            format!("{} entries on the class path; {}", capture.class_path.len(), junit.join(", ")),
        ];
        let options = capture.options();
        if !options.is_empty() {
            facts.push(format!("options of the JVM: {}", options.join(" ")));
        }
        if !capture.module_path.is_empty() {
            facts.push(format!("{} entries on the module path", capture.module_path.len()));
        }
        if jdk::compiler(Some(&capture.java_home))
            .is_none_or(|compiler| !compiler.starts_with(&capture.java_home))
        {
            facts.push(
                "the tests run on a Java without a compiler; another JDK compiles the agent".to_owned(),
            );
        }
        facts
    }
}

/// What there is to know before the tests are believed.
pub(crate) fn notices(name: &str, capture: &Capture) -> Vec<String> {
    let several = (capture.jvms > 1).then(|| {
        let jvms = capture.jvms;
        format!("the build ran the tests of {name} in {jvms} JVMs; here they run in one, as with `forkCount` 1 and `reuseForks`")
    });
    several.into_iter().collect()
}
