//! What the agent wrote down in the JVMs that the build ran tests in, and how a JVM like those is set up.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// One test JVM of the build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Capture {
    pub(crate) pid: u32,
    pub(crate) command: Vec<String>,
    pub(crate) worker: String,
    pub(crate) java_home: PathBuf,
    pub(crate) java_version: String,
    pub(crate) directory: PathBuf,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) class_path: Vec<PathBuf>,
    pub(crate) module_path: Vec<PathBuf>,
    pub(crate) properties: BTreeMap<String, String>,
    pub(crate) removed_properties: Vec<String>,
    /// How many JVMs of the module this one stands for, itself included.
    pub(crate) jvms: usize,
}

/// Properties that say where the worker's own files were, or belong to what started it; and those of our own making.
const OF_THE_WORKER: [&str; 10] = [
    "java.class.path",
    "surefire.real.class.path",
    "surefire.test.class.path",
    "sun.java.command",
    "org.gradle.native",
    "org.gradle.internal.worker.tmpdir",
    "failIfNoTests",
    "maven.test.failure.ignore",
    "forkCount",
    "forkMode",
];

impl Capture {
    /// The module that these tests belong to.
    pub(crate) fn module(&self) -> PathBuf {
        self.properties.get("basedir").map_or_else(|| self.directory.clone(), PathBuf::from)
    }

    /// The first number of the version: 8 for `1.8.0`, 17 for `17.0.15`.
    pub(crate) fn java_feature(&self) -> u32 {
        let version = self.java_version.strip_prefix("1.").unwrap_or(&self.java_version);
        let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(0)
    }

    /// The program that runs tests.
    pub(crate) fn java(&self) -> PathBuf {
        self.java_home.join("bin/java")
    }

    /// The options that the user's build gives the JVM, without those that only serve its worker.
    pub(crate) fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        let mut words = self.command.iter().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "-cp" | "-classpath" | "--class-path" | "-p" | "--module-path" => {
                    words.next();
                }
                "--add-modules" | "--add-opens" | "--add-exports" | "--add-reads" | "--patch-module" => {
                    options.extend(words.next().map(|value| format!("{word}={value}")));
                }
                "-jar" | "-m" | "--module" => break,
                word if is_of_the_worker(word) => {}
                word if word.starts_with('-') => options.push(word.to_owned()),
                _ => break,
            }
        }
        if self.worker == "surefire" && !options.iter().any(|option| option.starts_with("-da")) {
            // Surefire switches assertions on inside the JVM.
            options.insert(0, "-ea".to_owned());
        }
        options
    }

    /// The properties that the worker has set inside the JVM.
    pub(crate) fn set_properties(&self) -> BTreeMap<String, String> {
        let is_ours = |name: &str| !OF_THE_WORKER.contains(&name);
        let mut properties = self.properties.clone();
        properties.retain(|name, _| is_ours(name));
        properties
    }

    /// The same with all that is in one directory as if it were in another.
    pub(crate) fn moved(mut self, from: &Path, to: &Path) -> Self {
        let (from, to) = (from.display().to_string(), to.display().to_string());
        let text = |text: &mut String| *text = text.replace(&from, &to);
        let path = |path: &mut PathBuf| *path = path.to_string_lossy().replace(&from, &to).into();
        self.command.iter_mut().for_each(text);
        path(&mut self.directory);
        self.environment.values_mut().for_each(text);
        self.class_path.iter_mut().for_each(path);
        self.module_path.iter_mut().for_each(path);
        self.properties.values_mut().for_each(text);
        self
    }
}

/// Gradle's own arrangements, and debuggers that would wait for somebody.
fn is_of_the_worker(word: &str) -> bool {
    word.starts_with("-Djava.security.manager=worker.org.gradle")
        || word.starts_with("-Dorg.gradle.")
        || word.starts_with("-agentlib:jdwp")
        || word.starts_with("-Xrunjdwp")
        || word == "-Xdebug"
}

/// One capture for each module, in the order in which their first JVMs were started. Where a module had several JVMs, the
/// first stands for all.
pub(crate) fn read(directory: &Path) -> io::Result<Vec<Capture>> {
    let mut found: Vec<Capture> = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            found.push(serde_json::from_slice(&fs::read(path)?)?);
        }
    }
    found.sort_by_key(|capture| capture.pid);
    let mut jvms: BTreeMap<PathBuf, usize> = BTreeMap::new();
    found.iter().for_each(|capture| *jvms.entry(capture.module()).or_default() += 1);
    let first_of_module = |mut capture: Capture| {
        capture.jvms = jvms.remove(&capture.module())?;
        Some(capture)
    };
    Ok(found.into_iter().filter_map(first_of_module).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(worker: &str, command: &[&str]) -> Capture {
        Capture {
            worker: worker.to_owned(),
            command: command.iter().map(ToString::to_string).collect(),
            ..Capture::default()
        }
    }

    #[test]
    fn options_of_the_user_are_kept_and_those_of_the_worker_are_not() {
        let surefire =
            capture("surefire", &["/jdk/bin/java", "-Xmx1g", "-Dx=a b", "-jar", "/tmp/b.jar", "-y"]);
        assert_eq!(surefire.options(), ["-ea", "-Xmx1g", "-Dx=a b"]);
        let words = [
            "java",
            "-Dorg.gradle.native=false",
            "-Djava.security.manager=worker.org.gradle.process.X",
            "--add-opens",
            "java.base/java.lang=ALL-UNNAMED",
            "-ea",
            "-cp",
            "/gradle-worker.jar",
            "worker.org.gradle.process.internal.worker.GradleWorkerMain",
            "'Gradle Test Executor 1'",
        ];
        assert_eq!(
            capture("gradle", &words).options(),
            ["--add-opens=java.base/java.lang=ALL-UNNAMED", "-ea"]
        );
    }

    #[test]
    fn old_and_new_versions_have_a_first_number() {
        let feature =
            |version: &str| Capture { java_version: version.to_owned(), ..Capture::default() }.java_feature();
        assert_eq!(["1.8.0_392", "17.0.15", "25", "25-ea"].map(feature), [8, 17, 25, 25]);
    }

    #[test]
    fn a_module_with_several_jvms_is_one_module() {
        let directory = tempfile::tempdir().unwrap();
        for (pid, module) in [(12, "/p/b"), (11, "/p/a"), (13, "/p/a")] {
            let text =
                format!(r#"{{"pid": {pid}, "directory": "/p", "properties": {{"basedir": "{module}"}}}}"#);
            fs::write(directory.path().join(format!("{pid}.json")), text).unwrap();
        }
        let modules: Vec<_> =
            read(directory.path()).unwrap().iter().map(|one| (one.pid, one.module(), one.jvms)).collect();
        assert_eq!(modules, [(11, PathBuf::from("/p/a"), 2), (12, PathBuf::from("/p/b"), 1)]);
    }

    #[test]
    fn a_capture_in_a_copy_is_told_as_if_it_were_the_project() {
        let one = Capture { directory: "/tmp/c/project/a".into(), ..Capture::default() };
        assert_eq!(one.moved(Path::new("/tmp/c/project"), Path::new("/p")).directory, Path::new("/p/a"));
    }
}
