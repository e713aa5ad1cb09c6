//! What the last survey found, for as long as nothing has changed that it may depend on.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::module::Module;

/// A survey that was written down.
#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
    /// What the class paths held.
    stamps: String,
    modules: Vec<Module>,
}

/// The modules that were found under this key, if their class paths are still the same.
pub(crate) fn recall(file: &Path, key: &str) -> Option<Vec<Module>> {
    let kept: Kept = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    (kept.key == key && kept.stamps == stamps(&kept.modules)).then_some(kept.modules)
}

/// Writes modules down. That this cannot be done is no reason to stop.
pub(crate) fn keep(file: &Path, key: &str, modules: &[Module]) {
    let kept = Kept { key: key.to_owned(), stamps: stamps(modules), modules: modules.to_vec() };
    if let Ok(text) = serde_json::to_vec(&kept) {
        let _ = fs::write(file, text);
    }
}

fn stamps(modules: &[Module]) -> String {
    let places = modules.iter().flat_map(|module| {
        let capture = &module.capture;
        capture
            .class_path
            .iter()
            .chain(&capture.module_path)
            .cloned()
            .chain([module.jar.clone(), capture.java()])
    });
    let mut hasher = blake3::Hasher::new();
    places.for_each(|place| add(&mut hasher, &place));
    hasher.finalize().to_hex().to_string()
}

fn add(hasher: &mut blake3::Hasher, path: &Path) {
    let Ok(metadata) = fs::metadata(path) else { return };
    hasher.update(path.to_string_lossy().as_bytes());
    if metadata.is_dir() {
        let mut inside: Vec<PathBuf> =
            fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        inside.sort();
        inside.iter().for_each(|path| add(hasher, path));
    } else {
        let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed = changed.unwrap_or_default().as_nanos();
        hasher.update(&metadata.len().to_le_bytes()).update(&changed.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_survey_is_forgotten_when_a_class_changes() {
        let directory = tempfile::tempdir().unwrap();
        let (classes, file) = (directory.path().join("classes"), directory.path().join("survey.json"));
        fs::create_dir(&classes).unwrap();
        fs::write(classes.join("A.class"), "1").unwrap();
        let mut module = Module::default();
        module.capture.class_path.push(classes.clone());
        keep(&file, "key", &[module]);
        assert!(recall(&file, "key").is_some());
        assert!(recall(&file, "other").is_none());
        fs::write(classes.join("A.class"), "12").unwrap();
        assert!(recall(&file, "key").is_none());
    }
}
