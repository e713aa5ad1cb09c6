//! Files for other tools say what is true.

mod common;

use std::fs;

use anyorder_testkit::repository;
use common::Anyorder;
use yaml_rust2::{Yaml, YamlLoader};

/// The scripts of `action.yml`.
fn scripts() -> Vec<String> {
    let text = fs::read_to_string(repository().join("action.yml")).unwrap();
    let action = YamlLoader::load_from_str(&text).expect("it is YAML").remove(0);
    let steps = action["runs"]["steps"].as_vec().expect("it has steps").clone();
    steps.iter().map(|step: &Yaml| step["run"].as_str().expect("it has a script").to_owned()).collect()
}

#[test]
fn every_option_of_the_action_is_one() {
    let place = tempfile::tempdir().unwrap();
    let mut options = 0;
    for line in scripts().iter().flat_map(|script| script.lines()) {
        let Some((_, words)) = line.split_once("/bin/anyorder\" ") else { continue };
        let words: Vec<&str> = words.split(' ').collect();
        let help = Anyorder::without_python(place.path()).run(&[words[0], "--help"]).with_code(0).stdout;
        for word in words.iter().filter_map(|word| word.find("--").map(|at| &word[at..])) {
            assert!(help.contains(word), "{word} is no option of {}", words[0]);
            options += 1;
        }
    }
    assert_eq!(options, 6);
}

#[test]
fn no_input_of_the_action_is_pasted_into_a_script() {
    assert!(scripts().iter().all(|script| !script.contains("${{")));
}
