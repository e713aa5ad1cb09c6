//! Compilers on this machine, and what class paths hold.

use std::env;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The compiler of the JDK that tests run on, or of the one that the user has named, or the first on the path.
pub(crate) fn compiler(java_home: Option<&Path>) -> Option<PathBuf> {
    let named = env::var_os("JAVA_HOME").map(PathBuf::from);
    let homes = java_home.map(Path::to_owned).into_iter().chain(named).map(|home| home.join("bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places = homes.chain(env::split_paths(&path)).map(|place| place.join("javac"));
    places.find(|javac| javac.is_file()).and_then(|javac| javac.canonicalize().ok())
}

/// What tells one JDK from another.
pub(crate) fn identity(compiler: &Path) -> String {
    let home = compiler.ancestors().nth(2).unwrap_or(compiler);
    let release = fs::read_to_string(home.join("release")).unwrap_or_default();
    format!("{} {release}", compiler.display())
}

/// Whether a class, such as `org/junit/Test.class`, is on the class path.
pub(crate) fn has_class(class_path: &[PathBuf], class: &str) -> bool {
    class_path.iter().any(|place| {
        if place.is_dir() {
            place.join(class).is_file()
        } else {
            directory_of_jar(place).is_some_and(|names| contains(&names, class.as_bytes()))
        }
    })
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// The central directory of a jar, which holds the names of its files as they are.
fn directory_of_jar(path: &Path) -> Option<Vec<u8>> {
    const LONGEST_END: u64 = 22 + 65_535;
    let mut jar = File::open(path).ok()?;
    let size = jar.metadata().ok()?.len();
    jar.seek(SeekFrom::Start(size.saturating_sub(LONGEST_END))).ok()?;
    let mut end = Vec::new();
    jar.read_to_end(&mut end).ok()?;
    let at = end.windows(4).rposition(|window| window == b"PK\x05\x06")?;
    let number =
        |offset: usize| Some(u32::from_le_bytes(end.get(at + offset..at + offset + 4)?.try_into().ok()?));
    let (length, start) = (u64::from(number(12)?), u64::from(number(16)?));
    jar.seek(SeekFrom::Start(start)).ok()?;
    let mut names = Vec::new();
    jar.take(length).read_to_end(&mut names).ok()?;
    Some(names)
}

/// Where programs keep what can be made again.
pub(crate) fn cache_directory() -> PathBuf {
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")));
    cache.unwrap_or_else(env::temp_dir).join("anyorder")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_found_in_directories_and_in_jars() {
        let directory = tempfile::tempdir().unwrap();
        let classes = directory.path().join("classes");
        fs::create_dir_all(classes.join("org/junit")).unwrap();
        fs::write(classes.join("org/junit/Test.class"), "").unwrap();
        // A jar with one empty file, up to what is looked at.
        let name = b"org/junit/Rule.class";
        let mut jar = b"PK\x01\x02".to_vec();
        jar.extend(name);
        let length = u32::try_from(jar.len()).unwrap();
        jar.extend(b"PK\x05\x06");
        jar.extend([0; 8]);
        jar.extend(length.to_le_bytes());
        jar.extend(0_u32.to_le_bytes());
        jar.extend([0; 2]);
        fs::write(directory.path().join("a.jar"), jar).unwrap();
        let class_path = [directory.path().join("missing.jar"), classes, directory.path().join("a.jar")];
        assert!(has_class(&class_path, "org/junit/Test.class"));
        assert!(has_class(&class_path, "org/junit/Rule.class"));
        assert!(!has_class(&class_path, "org/junit/Before.class"));
    }
}
