//! Command lines of JVMs like those that the user's build runs tests in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use crate::agent::{self, join};
use crate::capture::Capture;

/// Words as they stand in a file that `java` and `javac` read arguments from.
pub(crate) fn argument_file(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        let escaped =
            word.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "\\r");
        format!("\"{escaped}\"\n")
    });
    quoted.collect()
}

/// Whether an option chooses how garbage is collected. Quick runs choose that themselves: a JVM with ZGC cannot be forked, and
/// the others have more threads than a short run is worth.
fn is_collector(option: &str) -> bool {
    let name = option.trim_start_matches("-XX:+").trim_start_matches("-XX:-");
    name.len() < option.len() && (name.starts_with("Use") && name.ends_with("GC") || name == "ZGenerational")
}

/// Variables whose words a JVM takes for options. What they say of collectors stands: a JVM does not start with two.
const OPTION_VARIABLES: [&str; 3] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"];

/// The options that the environment of a JVM has for it.
fn options_around(environment: &Changes) -> Vec<String> {
    let value = |name: &str| match environment.get(name) {
        Some(changed) => changed.clone(),
        None => env::var(name).ok(),
    };
    let values = OPTION_VARIABLES.iter().filter_map(|name| value(name));
    values.flat_map(|value| value.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// What lets many short runs start quickly, and fork cheaply, where the user has not chosen otherwise.
fn search_options(users: &[String], java: u32) -> Vec<String> {
    let mut options = vec![
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Xshare:auto",
        // Memory that forks would share.
        "-XX:-UsePerfData",
        // A fork copies the tables of all pages: the larger these are the better.
        "-XX:+UseTransparentHugePages",
    ];
    if java >= FIRST_TO_WARN {
        options.push("--enable-native-access=ALL-UNNAMED");
    }
    let name = |option: &str| {
        let name = option.trim_start_matches("-XX:").trim_start_matches(['+', '-']);
        name.split(['=', ':']).next().unwrap_or(name).to_owned()
    };
    options.retain(|option| {
        let is_chosen =
            |users: &String| name(users) == name(option) || is_collector(users) && is_collector(option);
        !users.iter().any(is_chosen)
    });
    options.into_iter().map(str::to_owned).collect()
}

/// The first Java that warns of native libraries which nobody has allowed.
const FIRST_TO_WARN: u32 = 24;

/// Options, module path and class path of a JVM for quick runs, with the agent's jar last on the class path.
pub(crate) fn quick_arguments(capture: &Capture, environment: &Changes, jar: &Path) -> Vec<String> {
    let mut words = capture.options();
    words.retain(|option| !is_collector(option));
    let chosen = [words.as_slice(), &options_around(environment)].concat();
    words.extend(search_options(&chosen, capture.java_feature()));
    let class_path: Vec<PathBuf> = capture.class_path.iter().cloned().chain([jar.to_owned()]).collect();
    words.extend(paths(&capture.module_path, &class_path));
    words
}

/// Options, properties, module path and class path of a JVM as the user's build starts it, with the plain runner last.
pub(crate) fn plain_arguments(capture: &Capture, runner: &Path) -> Vec<String> {
    let mut words = capture.options();
    words.extend(capture.set_properties().into_iter().map(|(name, value)| format!("-D{name}={value}")));
    let class_path: Vec<PathBuf> = capture.class_path.iter().cloned().chain([runner.to_owned()]).collect();
    words.extend(paths(&capture.module_path, &class_path));
    words
}

fn paths(module_path: &[PathBuf], class_path: &[PathBuf]) -> Vec<String> {
    let mut words = Vec::new();
    if !module_path.is_empty() {
        words.extend(["--module-path".to_owned(), join(module_path)]);
    }
    words.extend(["-cp".to_owned(), join(class_path)]);
    words
}

/// Variables that a build sets to other values, or takes away.
pub(crate) type Changes = BTreeMap<String, Option<String>>;

/// Gives `command` the environment that tests have in the user's build.
pub(crate) fn with_environment(command: &mut Command, changes: &Changes) {
    for (name, value) in changes {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// Variables that say where a shell is, or how the build was started.
const PASSING: [&str; 7] =
    ["PWD", "OLDPWD", "SHLVL", "_", "JAVA_TOOL_OPTIONS", "MAVEN_CMD_LINE_ARGS", "MAVEN_PROJECTBASEDIR"];

/// How that environment differs from ours.
pub(crate) fn changes(environment: &BTreeMap<String, String>) -> Changes {
    let ours: BTreeMap<String, String> = env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let set = environment.iter().filter(|(name, value)| ours.get(*name) != Some(value));
    let set = set.map(|(name, value)| (name.clone(), Some(value.clone())));
    let gone = ours.keys().filter(|name| !environment.contains_key(*name)).map(|name| (name.clone(), None));
    set.chain(gone).filter(|(name, _)| !PASSING.contains(&name.as_str())).collect()
}

/// `java` with the agent's main class, in the environment of the user's tests.
pub(crate) fn main_command(
    capture: &Capture,
    environment: &Changes,
    jar: &Path,
    orders: &Path,
    arguments: &Path,
) -> io::Result<Command> {
    fs::write(arguments, argument_file(&quick_arguments(capture, environment, jar)))?;
    let mut command = Command::new(capture.java());
    command
        .arg(format!("@{}", arguments.display()))
        .arg(agent::MAIN)
        .arg(orders)
        .current_dir(&capture.directory);
    with_environment(&mut command, environment);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_an_argument_file_may_hold_anything() {
        assert_eq!(argument_file(&[r#"-Da=b "c" \d"#.to_owned()]), "\"-Da=b \\\"c\\\" \\\\d\"\n");
    }

    #[test]
    fn what_the_user_has_chosen_stands() {
        let users =
            ["-XX:+UsePerfData", "-XX:TieredStopAtLevel=4", "-Xshare:off", "-Xmx1g"].map(str::to_owned);
        assert_eq!(search_options(&users, 17), ["-XX:+UseSerialGC", "-XX:+UseTransparentHugePages"]);
        assert!(search_options(&[], 25).contains(&"--enable-native-access=ALL-UNNAMED".to_owned()));
    }

    #[test]
    fn the_environment_chooses_too() {
        let options = |said: &str| {
            let said = Some(said.to_owned());
            options_around(&Changes::from([("JDK_JAVA_OPTIONS".to_owned(), said)]))
        };
        let starts_with_serial =
            |said: &str| search_options(&options(said), 17).contains(&"-XX:+UseSerialGC".to_owned());
        assert!(starts_with_serial("-Xmx1g -ea"));
        assert!(!starts_with_serial("-Xmx1g -XX:+UseZGC"));
    }

    #[test]
    fn but_not_how_garbage_is_collected() {
        let is_one = ["-XX:+UseZGC", "-XX:+ZGenerational", "-XX:-UseG1GC"].map(is_collector);
        assert_eq!(is_one, [true; 3]);
        assert_eq!(
            ["-XX:+UsePerfData", "-DUseMyGC", "-XX:G1HeapRegionSize=1m"].map(is_collector),
            [false; 3]
        );
    }
}
