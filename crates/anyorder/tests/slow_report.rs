//! What a project knows, in every format: one hunt, and all that can be made of it.

mod common;

use std::fs;
use std::process::Command;

use anyorder_testkit::fixture::Fixture;
use anyorder_testkit::formats::{junit_faults, sarif_faults};
use common::{Anyorder, Ran, suite};
use serde_json::{Value, json};

/// Runs `report` in a project, which needs no interpreter.
#[track_caller]
fn report(fixture: &Fixture, words: &[&str]) -> Ran {
    let nowhere = Anyorder::without_python(fixture.path()).through(&["env", "PATH=/nowhere"]);
    nowhere.run(&[&["report"], words].concat()).with_code(0)
}

#[test]
fn one_hunt_is_told_in_every_format() {
    let fixture = Fixture::pytest("red_baseline");
    let hunt = ["hunt", "--plain-pairs", "1", "--rounds", "2", "--json", "-"];
    let hunted = Anyorder::at(fixture.path()).run(&hunt).json();
    let anyorder = Anyorder::without_python(fixture.path());

    let document = anyorder.run(&["report", "--json", "-"]).with_code(0).json();
    assert_eq!(document["findings"], hunted["findings"]);
    assert_eq!(document["hunts"][0]["exit"], 1);
    assert_eq!(document["history"].as_array().unwrap().len(), 3);
    let matrix = &document["coverage"]["matrix"];
    assert_eq!((&matrix["by"], matrix["names"].as_array().unwrap().len()), (&Value::from("test"), 5));
    let tried: u64 = matrix["rows"].as_array().unwrap().iter().map(|row| row[3].as_u64().unwrap()).sum();
    assert_eq!(Value::from(tried), hunted["coverage"]["pairs_tried"]);

    let place = tempfile::tempdir().unwrap();
    let file = |name: &str| place.path().join(name);
    let words: Vec<String> = ["junit-xml", "sarif", "idoft", "dot"]
        .iter()
        .flat_map(|name| [format!("--{name}"), file(name).display().to_string()])
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(report(&fixture, &words).stdout, "");
    assert_eq!(junit_faults(&file("junit-xml")), "");
    assert_eq!(sarif_faults(&file("sarif")), "");
    let idoft = fs::read_to_string(file("idoft")).unwrap();
    assert!(idoft.contains(",test_red_baseline.py::test_needs_seed,OD-Brit,"), "{idoft}");
    let dot = fs::read_to_string(file("dot")).unwrap();
    assert!(dot.contains("::test_dirties\" -> \"test_red_baseline.py::test_needs_clean_state\""), "{dot}");

    let told = report(&fixture, &["--no-times"]).stdout;
    assert!(told.contains("cause     `test_red_baseline.state['dirty']` is True"), "{told}");
    assert!(told.ends_with("   Summary  1 victim, 1 brittle, 1 broken; 1 hunt\n"), "{told}");
    let page = file("summary");
    let github = anyorder.variable("GITHUB_STEP_SUMMARY", &page).run(&["report", "--github"]).with_code(0);
    assert_eq!(github.stdout.matches("::error file=").count(), 2, "{}", github.stdout);
    assert!(
        github.stdout.starts_with("::error file=test_red_baseline.py,line=7,title=victim"),
        "{}",
        github.stdout
    );
    assert!(fs::read_to_string(page).unwrap().starts_with("## anyorder: 2 order-dependent tests\n"));
}

/// Names that mean no good, in a report that a hunt could have kept.
#[test]
fn hostile_names_are_valid_in_every_format() {
    let project = suite(&[]);
    let reports = project.path().join(".anyorder/reports");
    fs::create_dir_all(&reports).unwrap();
    let long = format!("t.py::{}", "x ".repeat(2500));
    let names = [
        "t.py::<script>alert('\u{202e}\"')</script>",
        "a b/t.py::]]>\u{0}\u{1b}[31m\r\n\u{ffff}::error::%",
        &long,
    ];
    let test = |name: &&str| json!({"id": name, "group": "", "file": name.split("::").next(), "line": 3, "markers": []});
    let finding = |(at, name): (usize, &&str)| {
        let state =
            json!([{"cell": name, "before": name, "after": name, "written": "a b/c.py:7", "read": "t.py:9"}]);
        let evidence =
            json!({"failing": [names[0], name], "passing": [name], "confirmed": null, "plain_pairs": 0});
        json!({"id": format!("v-{at}"), "kind": "victim", "test": name, "declared": false, "signature": name,
               "polluters": [[names[0]]], "cleaners": [[names[1]]], "state": state, "evidence": evidence})
    };
    let findings: Vec<Value> = names.iter().enumerate().map(finding).collect();
    let suite = json!({"driver": "pytest", "tests": 3, "root": ".", "framework": "", "language": "", "errors": [], "duplicates": []});
    let report = json!({"schema": 1, "suite": suite, "tests": names.iter().map(test).collect::<Vec<_>>(), "findings": findings});
    fs::write(reports.join("hunt.json.z"), json!({"at": 0, "report": report}).to_string()).unwrap();
    let anyorder = Anyorder::without_python(project.path());
    let place = tempfile::tempdir().unwrap();
    let [xml, sarif] = ["out.xml", "out.sarif"].map(|name| place.path().join(name).display().to_string());
    anyorder.run(&["report", "--junit-xml", &xml, "--sarif", &sarif]).with_code(0);
    assert_eq!(junit_faults(xml.as_ref()), "");
    assert_eq!(sarif_faults(sarif.as_ref()), "");
    let annotations = anyorder.run(&["report", "--github"]).with_code(0).stdout;
    assert_eq!(annotations.lines().count(), 3, "{annotations}");
    let told = anyorder.run(&["report"]).with_code(0).stdout;
    assert!(!told.contains('\u{1b}'), "a name colours nothing: {told}");
}

#[test]
fn without_a_hunt_there_is_nothing_to_report_and_a_hint() {
    let nothing = suite(&[]);
    let ran = Anyorder::without_python(nothing.path()).run(&["report", "--json", "-"]).with_code(2);
    assert_eq!(ran.stdout, "");
    assert!(ran.errors().starts_with("error: nothing was recorded yet in `[dir]`"), "{}", ran.errors());
    assert!(ran.errors().contains("hint: `anyorder hunt` finds"), "{}", ran.errors());
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let place = tempfile::tempdir().unwrap();
    let anyorder = Anyorder::without_python(place.path());
    for shell in ["bash", "zsh", "fish"] {
        let script = anyorder.run(&["completions", shell]).with_code(0).stdout;
        assert!(script.contains("pollution") && script.contains("junit-xml"), "{shell}");
    }
    let bash = anyorder.run(&["completions", "bash"]).stdout;
    let checked = Command::new("bash").args(["-n", "-c", &bash]).status().unwrap();
    assert!(checked.success());
    let page = anyorder.run(&["man"]).with_code(0).stdout;
    assert!(page.contains(".TH anyorder 1") && page.contains("anyorder\\-pollution"), "{page}");
}
