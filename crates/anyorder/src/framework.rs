//! Which framework is meant: what was typed decides, then what the directory holds.

use std::ffi::OsString;
use std::path::Path;

use crate::args::SuiteArgs;

/// The frameworks that there are drivers for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framework {
    Pytest,
    Junit,
}

/// A framework, and whether the directory would have gone for the other as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) framework: Framework,
    pub(crate) is_ambiguous: bool,
}

const JAVA_FILES: [&str; 5] =
    ["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];
const PYTHON_FILES: [&str; 7] =
    ["pyproject.toml", "pytest.ini", "setup.py", "setup.cfg", "tox.ini", "conftest.py", "requirements.txt"];

/// Python wins where a directory holds both and nothing was said.
pub(crate) fn choose(directory: &Path, suite: &SuiteArgs) -> Choice {
    let sure = |framework| Choice { framework, is_ambiguous: false };
    if !suite.how.module.is_empty() || suite.command.iter().any(is_java_build) {
        return sure(Framework::Junit);
    }
    if suite.how.python.is_some() {
        return sure(Framework::Pytest);
    }
    let holds = |names: &[&str]| names.iter().any(|name| directory.join(name).is_file());
    match (holds(&JAVA_FILES), holds(&PYTHON_FILES)) {
        (true, false) => sure(Framework::Junit),
        (is_ambiguous, _) => Choice { framework: Framework::Pytest, is_ambiguous },
    }
}

fn is_java_build(word: &OsString) -> bool {
    let name = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    matches!(name, "mvn" | "mvnw" | "mvnd" | "gradle" | "gradlew")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(files: &[&str], change: impl FnOnce(&mut SuiteArgs)) -> (Framework, bool) {
        let directory = tempfile::tempdir().unwrap();
        files.iter().for_each(|name| std::fs::write(directory.path().join(name), "").unwrap());
        let mut suite = SuiteArgs::default();
        change(&mut suite);
        let Choice { framework, is_ambiguous } = choose(directory.path(), &suite);
        (framework, is_ambiguous)
    }

    #[test]
    fn what_the_directory_holds_decides() {
        assert_eq!(chosen(&["pom.xml"], |_| {}), (Framework::Junit, false));
        assert_eq!(chosen(&["settings.gradle.kts"], |_| {}), (Framework::Junit, false));
        assert_eq!(chosen(&[], |_| {}), (Framework::Pytest, false));
        assert_eq!(chosen(&["pom.xml", "setup.py"], |_| {}), (Framework::Pytest, true));
    }

    #[test]
    fn what_was_typed_decides_first() {
        let both = ["pom.xml", "setup.py"];
        let module = |suite: &mut SuiteArgs| suite.how.module.push("core".to_owned());
        assert_eq!(chosen(&both, module), (Framework::Junit, false));
        let command = |suite: &mut SuiteArgs| suite.command = ["./mvnw", "test"].map(OsString::from).to_vec();
        assert_eq!(chosen(&both, command), (Framework::Junit, false));
        let python = |suite: &mut SuiteArgs| suite.how.python = Some("python3".into());
        assert_eq!(chosen(&["pom.xml"], python), (Framework::Pytest, false));
    }
}
