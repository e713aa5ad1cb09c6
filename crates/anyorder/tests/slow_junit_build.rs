//! Java builds as they come: which tests are meant, what is refused, and what is left behind.

mod common;

use std::fs;

use anyorder_testkit::fixture::Fixture;
use common::Anyorder;

#[test]
fn modules_and_classes_are_chosen_by_name() {
    let fixture = Fixture::junit("modules");
    let anyorder = Anyorder::built(fixture.path());
    let all = anyorder.run(&["collect"]).with_code(0).stdout;
    let one = anyorder.run(&["collect", "--module", "shipping"]).with_code(0).stdout;
    assert!(all.contains("acme.billing.TaxTest#") && !one.contains("acme.billing.TaxTest#"), "{all}{one}");
    let class = anyorder.run(&["collect", "TaxTest"]).with_code(0).stdout;
    assert!(class.lines().all(|id| id.starts_with("acme.billing.TaxTest#")), "{class}");
    let none = anyorder.run(&["collect", "NoSuchTest"]).with_code(4);
    assert!(none.stderr.contains("JUnit collected no tests in `NoSuchTest`"), "{}", none.shown());
    let slip = anyorder.run(&["collect", "--module", "nope"]).with_code(2);
    assert!(slip.stderr.contains("modules with tests: billing, shipping"), "{}", slip.shown());
}

#[test]
fn a_module_whose_tests_run_inside_the_build_is_left_out_by_name() {
    let fixture = Fixture::junit("modules");
    let pom = fixture.path().join("billing/pom.xml");
    let text = fs::read_to_string(&pom).unwrap();
    let properties = "<properties><forkCount>0</forkCount></properties></project>";
    fs::write(&pom, text.replace("</project>", properties)).unwrap();
    let ran = Anyorder::built(fixture.path()).run(&["collect"]).with_code(0);
    assert!(ran.stderr.contains("inside its own JVM (`forkCount` 0): billing"), "{}", ran.shown());
    assert!(!ran.stdout.contains("acme.billing."), "{}", ran.shown());
}

#[test]
fn a_build_is_asked_again_only_when_something_has_changed_and_what_its_tests_write_stays_away_from_it() {
    let fixture = Fixture::junit("four");
    let anyorder = Anyorder::built(fixture.path());
    let asks = || anyorder.run(&["collect"]).with_code(0).stderr.contains("runs once");
    assert!(asks());
    assert!(!asks());
    anyorder.run(&["sweep", "--rounds", "1"]);
    assert!(fixture.path().join("target/test-classes").is_dir());
    assert!(!fixture.path().join("target/surefire-reports").exists());
    let source = fixture.path().join("src/test/java/acme/RetryTest.java");
    let text = fs::read_to_string(&source).unwrap();
    fs::write(&source, text + "// changed\n").unwrap();
    assert!(asks());
}

#[test]
fn a_build_that_runs_tests_inside_itself_is_refused_by_name() {
    let fixture = Fixture::junit("four");
    let pom = fixture.path().join("pom.xml");
    let text = fs::read_to_string(&pom).unwrap();
    fs::write(&pom, text.replace("<runOrder>", "<forkCount>0</forkCount><runOrder>")).unwrap();
    let ran = Anyorder::built(fixture.path()).run(&["collect"]).with_code(3);
    assert!(ran.stderr.contains("`forkCount` is 0"), "{}", ran.shown());
}

#[test]
fn a_build_that_does_not_compile_shows_why() {
    let fixture = Fixture::junit("four");
    let source = fixture.path().join("src/test/java/acme/RetryTest.java");
    fs::write(&source, "no Java").unwrap();
    let ran = Anyorder::built(fixture.path()).run(&["hunt"]).with_code(3);
    assert!(ran.stderr.contains("RetryTest.java"), "{}", ran.shown());
}

#[test]
fn options_of_the_build_go_behind_two_dashes() {
    let fixture = Fixture::junit("four");
    let words = ["collect", "--", "mvn", "-Dtest=RetryTest", "clean", "verify"];
    let ran = Anyorder::built(fixture.path()).run(&words).with_code(0);
    assert!(ran.stdout.lines().all(|id| id.starts_with("acme.RetryTest#")), "{}", ran.shown());
}

#[test]
fn copies_do_where_layers_cannot_be_had() {
    let fixture = Fixture::junit("four");
    let words = ["sweep", "--disk", "copy", "--strategy", "reverse"];
    let ran = Anyorder::built(fixture.path()).run(&words).with_code(1);
    assert!(ran.stdout.contains("acme.GreetingTest#greetsWhoeverLoggedIn"), "{}", ran.shown());
    assert!(!ran.stderr.contains("ended otherwise here"), "{}", ran.shown());
}
