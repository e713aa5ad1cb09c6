//! The project's own build: which tool it is, and the command lines that compile the tests and run them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What builds the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// `mvn`, its wrapper or its daemon.
    Maven,
    /// `gradle` or its wrapper.
    Gradle,
    /// Something else, which starts one of them or JUnit in its own way.
    Other,
}

/// The build of one project.
#[derive(Clone, Debug)]
pub struct Build {
    /// What builds it.
    pub tool: Tool,
    /// Where it is started.
    pub directory: PathBuf,
    program: OsString,
    /// What was typed behind the program.
    words: Vec<OsString>,
    /// The modules that are meant; all, if there are none.
    modules: Vec<String>,
}

/// Phases of Maven that run tests on their way, and goals that do.
const MAVEN_TESTS: [&str; 7] =
    ["test", "prepare-package", "package", "integration-test", "verify", "install", "deploy"];
/// Options of Maven that are followed by a value.
const MAVEN_VALUES: [&str; 12] =
    ["-pl", "--projects", "-P", "-f", "--file", "-s", "-gs", "-T", "-rf", "-t", "-l", "-b"];
/// Tasks of Gradle that run tests on their way.
const GRADLE_TESTS: [&str; 3] = ["test", "check", "build"];

impl Build {
    /// The build of `directory`: the command that was typed, or else what the directory's files ask for.
    pub fn find(directory: &Path, typed: &[OsString], modules: &[String]) -> Self {
        let has = |names: &[&str]| names.iter().any(|name| directory.join(name).is_file());
        let (tool, program, words) = match typed {
            [program, words @ ..] => (tool_called(program), program.clone(), words.to_vec()),
            [] if has(&["pom.xml"]) => {
                (Tool::Maven, program(directory, "mvn", "mvnw", ".m2/wrapper"), vec![])
            }
            [] => (Tool::Gradle, program(directory, "gradle", "gradlew", ".gradle/wrapper"), vec![]),
        };
        Build { tool, directory: directory.to_owned(), program, words, modules: modules.to_vec() }
    }

    /// Compiles the tests; `None` where only the project itself knows how.
    pub fn compile(&self) -> Option<Command> {
        let mut command = self.start();
        match self.tool {
            Tool::Maven => {
                command.args(["-q", "-B"]).args(self.maven_words("test-compile"));
            }
            Tool::Gradle => {
                command.args(["-q", "--no-daemon"]).args(self.gradle_words(&["testClasses"]));
            }
            Tool::Other => return None,
        }
        Some(command)
    }

    /// Runs the tests in worker processes, the red ones too; with `insists` even where the project would rather not fork.
    pub fn test(&self, insists: bool) -> Command {
        let mut command = self.start();
        match self.tool {
            Tool::Maven => {
                command.args(["-B", "-Dmaven.test.failure.ignore=true", "-DfailIfNoTests=false"]);
                if insists {
                    command.args(["-DforkCount=1", "-DforkMode=once"]);
                }
                command.args(self.maven_words("test"));
            }
            Tool::Gradle => {
                command.args(["--no-daemon", "--continue"]).args(self.gradle_words(&["cleanTest", "test"]));
            }
            Tool::Other => {
                command.args(&self.words);
            }
        }
        command
    }

    /// Directories that builds fill for good.
    pub fn caches() -> Vec<PathBuf> {
        let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let gradle = env::var_os("GRADLE_USER_HOME").map_or_else(|| home.join(".gradle"), PathBuf::from);
        [home.join(".m2"), gradle].into_iter().filter_map(|place| place.canonicalize().ok()).collect()
    }

    /// What a person would type to run the tests.
    pub fn shown(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.words).map(|word| word.to_string_lossy());
        let typed = words.collect::<Vec<_>>().join(" ");
        if self.words.is_empty() { format!("{typed} test") } else { typed }
    }

    /// The module that was named and that the build says it does not have.
    pub(crate) fn unknown_module(&self, said: &str) -> Option<&str> {
        let says_so = |line: &str, module: &str| {
            line.contains(&format!("Could not find the selected project in the reactor: {module} "))
                || line.contains(&format!("Project '{}' not found in ", module.trim_matches(':')))
        };
        let is_unknown = |module: &&String| said.lines().any(|line| says_so(line, module));
        self.modules.iter().find(is_unknown).map(String::as_str)
    }

    /// Directories that have tests and a file for the build, as `--module` takes them.
    pub(crate) fn modules_on_disk(&self) -> Vec<String> {
        let mut found = Vec::new();
        collect_modules(&self.directory, &self.directory, &mut found);
        found.sort();
        found
    }

    fn start(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.directory);
        command
    }

    /// The words that were typed, with this phase instead of those that run tests. What is compiled already stays so.
    fn maven_words(&self, phase: &str) -> Vec<OsString> {
        let mut words = Vec::new();
        let mut is_value = false;
        let mut has_phase = false;
        for word in &self.words {
            let text = word.to_string_lossy();
            let is_goal = !is_value && !text.starts_with('-');
            is_value = MAVEN_VALUES.contains(&&*text);
            if is_goal && (MAVEN_TESTS.contains(&&*text) || text.ends_with("surefire:test")) {
                if !has_phase {
                    words.push(phase.into());
                }
                has_phase = true;
            } else if !(is_goal && text == "clean" && phase == "test") {
                words.push(word.clone());
            }
        }
        if !has_phase {
            words.push(phase.into());
        }
        let named: Vec<&str> =
            self.modules.iter().map(String::as_str).filter(|module| *module != ".").collect();
        if self.words.is_empty() && !named.is_empty() {
            words.extend(["-pl".into(), named.join(",").into(), "-am".into()]);
        }
        words
    }

    /// The words that were typed, with these tasks of each project instead of those that run tests.
    fn gradle_words(&self, tasks: &[&str]) -> Vec<OsString> {
        let tasks_of = |project: &str| -> Vec<OsString> {
            tasks.iter().map(|task| format!("{project}{task}").into()).collect()
        };
        let mut words = Vec::new();
        let mut has_task = false;
        for word in &self.words {
            let text = word.to_string_lossy();
            let (project, task) = text.rfind(':').map_or(("", &*text), |colon| text.split_at(colon + 1));
            if GRADLE_TESTS.contains(&task) {
                words.extend(tasks_of(project));
                has_task = true;
            } else if text != "clean" && text != "--no-daemon" {
                words.push(word.clone());
            }
        }
        let named = self.modules.iter().filter(|module| *module != ".");
        let projects: Vec<String> =
            named.map(|module| format!(":{}:", module.trim_matches(':').replace('/', ":"))).collect();
        match &projects[..] {
            _ if has_task => {}
            [] => words.extend(tasks_of("")),
            projects => words.extend(projects.iter().flat_map(|project| tasks_of(project))),
        }
        words
    }
}

/// Whether a directory has a file that tells how to build it.
pub(crate) fn is_module(directory: &Path) -> bool {
    ["pom.xml", "build.gradle", "build.gradle.kts"].iter().any(|name| directory.join(name).is_file())
}

fn collect_modules(directory: &Path, root: &Path, found: &mut Vec<String>) {
    if is_module(directory) && directory.join("src/test").is_dir() {
        let inside = directory.strip_prefix(root).unwrap_or(directory).display().to_string();
        found.push(if inside.is_empty() { ".".to_owned() } else { inside });
    }
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_skipped = name.to_string_lossy().starts_with('.')
            || ["src", "target", "build"].iter().any(|skipped| name == *skipped);
        if !is_skipped && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect_modules(&entry.path(), root, found);
        }
    }
}

fn tool_called(program: &OsStr) -> Tool {
    match Path::new(program).file_name().and_then(OsStr::to_str) {
        Some("mvn" | "mvnw" | "mvnd") => Tool::Maven,
        Some("gradle" | "gradlew") => Tool::Gradle,
        _ => Tool::Other,
    }
}

/// The project's wrapper if it has been used before, else what is installed, else the wrapper.
fn program(directory: &Path, installed: &str, wrapper: &str, used: &str) -> OsString {
    let wrapper = directory.join(wrapper);
    let path = env::var_os("PATH").unwrap_or_default();
    let is_installed = env::split_paths(&path).any(|place| place.join(installed).is_file());
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let prefers_wrapper = home.join(used).is_dir() || !is_installed;
    if wrapper.is_file() && prefers_wrapper { wrapper.into() } else { installed.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(typed: &[&str], modules: &[&str]) -> Build {
        let typed: Vec<OsString> = typed.iter().map(Into::into).collect();
        let modules: Vec<String> = modules.iter().map(ToString::to_string).collect();
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("pom.xml"), "").unwrap();
        Build::find(directory.path(), &typed, &modules)
    }

    fn words(command: &Command) -> String {
        command.get_args().map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_was_typed_for_maven_stays_but_for_the_phase() {
        let typed = build(&["mvn", "-P", "test", "-Dx=1", "clean", "verify", "install"], &[]);
        assert_eq!(words(&typed.compile().unwrap()), "-q -B -P test -Dx=1 clean test-compile");
        assert!(words(&typed.test(false)).ends_with("-P test -Dx=1 test"), "{}", words(&typed.test(false)));
        assert!(words(&typed.test(true)).contains("-DforkCount=1"));
    }

    #[test]
    fn modules_are_built_with_what_they_need() {
        let build = build(&[], &["core", "web"]);
        assert_eq!(words(&build.compile().unwrap()), "-q -B test-compile -pl core,web -am");
    }

    #[test]
    fn gradle_runs_tests_that_ran_before() {
        let typed = build(&["gradle", ":core:test", "-Px"], &[]);
        assert_eq!(words(&typed.test(false)), "--no-daemon --continue :core:cleanTest :core:test -Px");
        assert_eq!(words(&typed.compile().unwrap()), "-q --no-daemon :core:testClasses -Px");
        let named = build(&["gradle"], &["libs/core"]);
        assert!(words(&named.test(false)).ends_with(":libs:core:cleanTest :libs:core:test"));
    }

    #[test]
    fn a_build_says_which_module_it_does_not_have() {
        let build = build(&[], &["core", "nope"]);
        for said in [
            "[ERROR] Could not find the selected project in the reactor: nope -> [Help 1]",
            "> Project 'nope' not found in root project 'shop'.",
        ] {
            assert_eq!(build.unknown_module(said), Some("nope"), "{said}");
        }
        assert_eq!(build.unknown_module("[ERROR] nope does not compile"), None);
    }

    #[test]
    fn only_the_project_knows_how_make_compiles() {
        assert!(build(&["make", "test"], &[]).compile().is_none());
        assert_eq!(words(&build(&["make", "test"], &[]).test(false)), "test");
    }
}
