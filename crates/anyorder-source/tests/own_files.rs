//! The Python files of this repository come back byte for byte.

use std::fs;
use std::path::{Path, PathBuf};

use anyorder_source::Source;

fn python_files(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory of ours").flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            python_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "py") {
            files.push(path);
        }
    }
}

#[test]
fn every_file_of_agents_and_fixtures_comes_back_byte_for_byte() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    ["agents", "fixtures"].iter().for_each(|name| python_files(&root.join(name), &mut files));
    assert!(files.len() > 100, "{} files", files.len());
    for path in files {
        let bytes = fs::read(&path).expect("a file of ours");
        match Source::parse(bytes.clone()) {
            Ok(source) => assert_eq!(source.edit().finish(), Ok(bytes), "{}", path.display()),
            // A fixture may be about a file that is not Python.
            Err(fault) => assert!(path.starts_with(root.join("fixtures")), "{}: {fault}", path.display()),
        }
    }
}
