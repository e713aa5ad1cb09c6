//! Reads what `anyorder inject` has written.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// All files of a data set, but for what the command needs for itself.
pub(crate) fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for folder in [directory.to_owned(), directory.join("mutants")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.strip_prefix(directory).unwrap().display().to_string();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

pub(crate) fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// What was changed in each mutant, the verdict on it, and who is flaky.
pub(crate) fn verdicts(directory: &Path) -> Vec<(String, String, Vec<String>)> {
    let dataset = json(&directory.join("dataset.json"));
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let told = |mutant: &Value| {
        let flaky = mutant["flaky"].as_array().unwrap().iter();
        let tests = flaky.map(|flaky| text(&flaky["test"])).collect();
        (text(&mutant["changed"]), text(&mutant["verdict"]), tests)
    };
    dataset["mutants"].as_array().unwrap().iter().map(told).collect()
}
