//! Programs that some machines have and others do not.

use std::env;

/// What tests of Java builds need, and this machine lacks.
pub fn missing_for_java() -> Vec<&'static str> {
    ["javac", "mvn"].into_iter().filter(|name| !is_installed(name)).collect()
}

/// Whether a program is on the path.
pub fn is_installed(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|place| place.join(name).is_file())
}
