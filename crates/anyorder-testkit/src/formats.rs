//! Are files what others take them for? Schemas come from packages that carry them, by their names, and are kept under
//! `target/schemas`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::environment::{Recipe, must, python};
use crate::repository;

/// What validates, and what it takes to unpack a package's sources.
const VALIDATORS: Recipe = Recipe {
    name: "validators",
    requirements: &["jsonschema", "xmlschema", "pip", "setuptools", "setuptools-scm", "wheel"],
};

const SARIF: &str = "
import json, sys, jsonschema
schema, document = (json.load(open(path, encoding='utf-8')) for path in sys.argv[1:])
for error in jsonschema.validators.validator_for(schema)(schema).iter_errors(document):
    print('/'.join(map(str, error.absolute_path)), error.message[:500])
";

const JUNIT: &str = "
import sys, xmlschema
for error in xmlschema.XMLSchema(sys.argv[1]).iter_errors(sys.argv[2]):
    print(error.path, error.reason)
";

/// What is wrong with a SARIF 2.1.0 log, a line for each fault.
pub fn sarif_faults(file: &Path) -> String {
    faults(SARIF, &sarif_schema(), file)
}

/// What is wrong with a file of JUnit XML, by the schema that pytest's own files are tried on.
pub fn junit_faults(file: &Path) -> String {
    faults(JUNIT, &junit_schema(), file)
}

fn faults(script: &str, schema: &Path, file: &Path) -> String {
    let output = Command::new(python(VALIDATORS)).args(["-c", script]).arg(schema).arg(file).output();
    let output = output.expect("an interpreter can be started");
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", said(&output.stderr));
    said(&output.stdout)
}

/// The crate `serde-sarif` carries it.
fn sarif_schema() -> PathBuf {
    kept("sarif-2.1.0.json", |place| {
        let manifest = place.join("Cargo.toml");
        fs::create_dir_all(place.join("src")).expect("target can be written");
        fs::write(place.join("src/lib.rs"), "").expect("target can be written");
        let text = "[package]\nname = \"schema\"\nedition = \"2024\"\n[dependencies]\nserde-sarif = { version = \
                    \"=0.8.0\", default-features = false }\n[workspace]\n";
        fs::write(&manifest, text).expect("target can be written");
        let words = ["metadata", "--format-version", "1", "--manifest-path"];
        let output = Command::new("cargo").args(words).arg(&manifest).output().expect("cargo is there");
        let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        let packages = metadata["packages"].as_array().expect("there are some");
        let package =
            packages.iter().find(|package| package["name"] == "serde-sarif").expect("it is asked for");
        let manifest = package["manifest_path"].as_str().expect("every package has one");
        Path::new(manifest).with_file_name("src").join("schema.json")
    })
}

/// The sources of pytest carry it.
fn junit_schema() -> PathBuf {
    kept("junit-10.xsd", |place| {
        const UNPACK: &str = "
import glob, sys, tarfile
archive = tarfile.open(glob.glob(sys.argv[1] + '/*.tar.gz')[0])
member = next(name for name in archive.getnames() if name.endswith('/junit-10.xsd'))
open(sys.argv[1] + '/junit-10.xsd', 'wb').write(archive.extractfile(member).read())
";
        let mut download = Command::new(python(VALIDATORS));
        download.args(["-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation"]);
        must(download.args(["--no-binary", "pytest", "pytest==9.0.2", "--dest"]).arg(place));
        must(Command::new(python(VALIDATORS)).args(["-c", UNPACK]).arg(place));
        place.join("junit-10.xsd")
    })
}

/// A file that is made once; `make` has a directory to itself, and says where the file is then.
fn kept(name: &str, make: impl FnOnce(&Path) -> PathBuf) -> PathBuf {
    let home = repository().join("target/schemas");
    fs::create_dir_all(&home).expect("target can be written");
    let lock = File::create(home.join(format!("{name}.lock"))).expect("target can be written");
    lock.lock().expect("locks work");
    let file = home.join(name);
    if !file.exists() {
        let place = tempfile::tempdir_in(&home).expect("target can be written");
        let made = make(place.path());
        let whole = place.path().join("whole");
        fs::copy(made, &whole).expect("the package carries it");
        fs::rename(whole, &file).expect("target can be written");
    }
    file
}
