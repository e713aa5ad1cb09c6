//! Which tests share state with affected ones: by hand, and on simulated suites.

mod common;

use anyorder_change::{Affected, Imports, OldProfiles, Records, Select, Tree, related};
use anyorder_model::{Oracle, Profile, Selected, Suite, TestIndex, Why};
use anyorder_search::simulate::{Eyes, Op, SimSuite, SimTest, passes};
use anyorder_search::{Noise, ProfileSettings, profile};
use common::{NONE, names, ran, recorded, suite, tree, why, write};
use proptest::prelude::*;

fn does(writes: &[&str], reads: &[&str]) -> Profile {
    Profile { writes: writes.iter().map(|path| write(path)).collect(), ..ran(&["t.py:test"], reads) }
}

fn ids(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("t.py::test_{at}")).collect()
}

/// The first test is affected, and has a new profile.
struct Case {
    suite: Suite,
    old: OldProfiles,
    affected: Affected,
    new: Vec<Profile>,
}

fn case(new: Profile, old: Vec<Profile>) -> Case {
    let ids = ids(old.len());
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let known = ids.iter().copied().zip(old).collect();
    let selected = Selected { test: TestIndex(0), why: vec![Why::New] };
    Case {
        suite: suite(&ids),
        old: recorded(&Tree::default(), known),
        affected: Affected { tests: vec![selected], ..Affected::default() },
        new: vec![Profile { test: TestIndex(0), ..new }],
    }
}

impl Case {
    fn related(&self, select: Select) -> Vec<Selected> {
        let imports = Imports::new(&Tree::default(), &Tree::default(), &Records::default());
        related(&self.suite, &self.affected, &self.old, &self.new, select, &imports, &Noise::default())
    }

    fn numbers(&self) -> Vec<u32> {
        self.related(Select::Cells).iter().map(|one| one.test.0).collect()
    }
}

#[test]
fn writes_meet_reads_in_both_directions() {
    let nothing = || does(&[], &[]);
    let others = vec![nothing(), does(&["m.x"], &[]), does(&[], &["m.y"]), does(&["m.z"], &["m.z"])];
    let case = case(does(&["m.y"], &["m.x"]), others);
    assert_eq!(case.numbers(), [1, 2]);
    let related = case.related(Select::Cells);
    assert_eq!(why(&case.suite, &related, "t.py::test_1"), ["shares m.x with t.py::test_0"]);
    assert_eq!(why(&case.suite, &related, "t.py::test_2"), ["shares m.y with t.py::test_0"]);
}

#[test]
fn what_an_affected_test_did_before_counts_as_well() {
    let case = case(does(&[], &[]), vec![does(&["m.x"], &[]), does(&[], &["m.x"]), does(&[], &[])]);
    assert_eq!(case.numbers(), [1]);
}

#[test]
fn relations_go_on_from_test_to_test() {
    let others = vec![does(&[], &[]), does(&["m.b"], &["m.a"]), does(&[], &["m.b"]), does(&["m.c"], &[])];
    let case = case(does(&["m.a"], &[]), others);
    assert_eq!(case.numbers(), [1, 2]);
}

#[test]
fn of_tests_that_leave_the_same_one_or_two_stand_for_all() {
    let writers = (0..9).map(|_| does(&["m.x"], &[]));
    let case = case(does(&[], &["m.x"]), [does(&[], &[])].into_iter().chain(writers).collect());
    assert_eq!(case.numbers(), [1, 2]);
}

#[test]
fn contents_that_cannot_be_looked_into_are_each_their_own() {
    let mut writers = vec![does(&[], &[]), does(&["m.x"], &[]), does(&["m.x"], &[]), does(&["m.x"], &[])];
    writers[1..].iter_mut().for_each(|profile| profile.writes[0].cell.key.clear());
    assert_eq!(case(does(&[], &["m.x"]), writers).numbers(), [1, 2, 3]);
}

#[test]
fn what_is_left_as_before_or_as_others_leave_it_pollutes_nobody_anew() {
    let same = case(does(&["m.x"], &[]), vec![does(&["m.x"], &[]), does(&[], &["m.x"])]);
    assert_eq!(same.numbers(), [] as [u32; 0]);
    let reader = does(&[], &["m.x"]);
    let as_others =
        case(does(&["m.x"], &[]), vec![does(&[], &[]), does(&["m.x"], &[]), does(&["m.x"], &[]), reader]);
    assert_eq!(as_others.numbers(), [] as [u32; 0]);
    let as_itself = case(does(&["m.x"], &[]), vec![does(&[], &[]), does(&["m.x"], &["m.x"])]);
    assert_eq!(as_itself.numbers(), [1]);
}

#[test]
fn random_numbers_and_the_environment_are_read_by_those_who_show_signs_of_it() {
    for (place, sign) in [("random numbers", "random.choice()"), ("os.environ['HOME']", "os.environ")] {
        let mut writer = does(&[place], &[]);
        writer.writes[0].cell.names.clear();
        let case = case(writer.clone(), vec![does(&[], &[]), does(&[], &[sign]), does(&[], &["m.x"])]);
        assert_eq!(case.numbers(), [1], "{place}");
        let mut umask = case;
        umask.new[0].writes[0].cell.path = "umask".to_owned();
        assert_eq!(umask.numbers(), [1, 2]);
    }
}

#[test]
fn what_is_kept_for_an_object_of_the_test_s_own_relates_nobody() {
    let paths = [
        "m.cache.data[<weak <m.Stream object>>]",
        "m.cache.data[<weak <m.Stream object>>] (2)",
        "m.cache.data{<weak None>}",
    ];
    let mut writer = does(&paths, &[]);
    for write in &mut writer.writes {
        write.cell.before = "<absent>".to_owned();
        write.cell.names = vec![".data".to_owned()];
    }
    // It was there, of an object that is gone, and is not now.
    writer.writes[2].cell.before = "<weak None>".to_owned();
    let case = case(writer, vec![does(&[], &[]), does(&[], &[".data"])]);
    assert_eq!(case.numbers(), [] as [u32; 0]);
}

#[test]
fn deleted_tests_are_related_to_those_whom_they_cleaned_up_for() {
    let mut case = case(does(&[], &[]), vec![does(&[], &[]), does(&[], &["m.a"]), does(&["m.a"], &[])]);
    case.suite = suite(&["t.py::test_0", "t.py::test_1"]);
    case.affected.deleted = vec![anyorder_model::TestId("t.py::test_2".to_owned())];
    assert_eq!(case.numbers(), [1]);
    let related = case.related(Select::Cells);
    assert_eq!(why(&case.suite, &related, "t.py::test_1"), ["shares m.a with t.py::test_2"]);
}

#[test]
fn state_that_cannot_be_looked_into_is_related_to_everything_affected() {
    let case = case(does(&[], &[]), vec![does(&[], &[]), does(&[], &["sqlite3.connect"]), does(&[], &[])]);
    let related = case.related(Select::Cells);
    assert_eq!(why(&case.suite, &related, "t.py::test_1"), ["opaque database"]);
    assert_eq!(related.len(), 1);
}

#[test]
fn noise_relates_nobody() {
    let case = case(does(&["re._cache"], &[]), vec![does(&[], &[]), does(&[], &["re._cache"])]);
    assert_eq!(case.numbers(), [] as [u32; 0]);
}

#[test]
fn an_affected_test_that_was_not_profiled_anew_is_related_by_the_published_rule() {
    let mut case = case(does(&[], &[]), vec![does(&[], &[]), does(&[], &[])]);
    assert_eq!(case.numbers(), [] as [u32; 0]);
    case.new.clear();
    assert_eq!(case.numbers(), [1]);
}

#[test]
fn the_published_rule_holds_for_the_affected_test_that_was_not_profiled_anew_and_for_no_other() {
    let files = tree(&[("a.py", "X = []\n"), ("b.py", "Y = []\n"), ("test.py", "")]);
    let code = [
        ("1.py::test", "a.py:get"),
        ("2.py::test", "b.py:get"),
        ("3.py::test", "a.py:get"),
        ("4.py::test", "b.py:get"),
    ];
    let suite = suite(&code.map(|(id, _)| id));
    let old = recorded(&files, code.map(|(id, code)| (id, ran(&[code], NONE))).to_vec());
    let selected = |number| Selected { test: TestIndex(number), why: vec![Why::New] };
    let affected = Affected { tests: vec![selected(0), selected(1)], ..Affected::default() };
    let new = vec![Profile { test: TestIndex(1), ..ran(&["b.py:get"], NONE) }];
    let imports = Imports::new(&files, &files, &Records::default());
    let found = related(&suite, &affected, &old, &new, Select::Cells, &imports, &Noise::default());
    assert_eq!(names(&suite, &found), ["3.py::test"]);
}

#[test]
fn where_nothing_is_affected_nothing_is_related() {
    let mut case = case(does(&["m.a"], &[]), vec![does(&["m.a"], &[]), does(&[], &["m.a"])]);
    case.affected = Affected::default();
    for select in [Select::Cells, Select::Class, Select::All] {
        assert_eq!(case.related(select), []);
    }
}

#[test]
fn all_are_related_or_none_if_that_is_asked_for() {
    let case = case(does(&[], &[]), vec![does(&[], &[]), does(&[], &[]), does(&[], &[])]);
    assert_eq!(case.related(Select::All).len(), 2);
    assert_eq!(case.related(Select::Affected), []);
}

/// Two files of tests, one module with a global and one without.
fn by_class(second: Profile, globals: &str) -> Vec<String> {
    let files = tree(&[
        ("state.py", globals),
        ("test_a.py", "def test_1(): pass\ndef test_2(): pass"),
        ("test_b.py", "import state\ndef test_3(): pass"),
    ]);
    let suite = suite(&["test_a.py::test_1", "test_a.py::test_2", "test_b.py::test_3"]);
    let old = recorded(&files, vec![("test_b.py::test_3", second)]);
    let selected = Selected { test: TestIndex(0), why: vec![Why::New] };
    let affected = Affected { tests: vec![selected], ..Affected::default() };
    let new = vec![Profile { test: TestIndex(0), ..ran(&["state.py:get", "test_a.py:test_1"], NONE) }];
    let imports = Imports::new(&files, &files, &Records::default());
    let found = related(&suite, &affected, &old, &new, Select::Class, &imports, &Noise::default());
    names(&suite, &found).into_iter().map(str::to_owned).collect()
}

#[test]
fn the_published_rule_takes_groups_as_a_whole_and_modules_with_globals() {
    let state = || ran(&["state.py:put", "test_b.py:test_3"], NONE);
    assert_eq!(by_class(state(), "X = []\n"), ["test_a.py::test_2", "test_b.py::test_3"]);
    assert_eq!(by_class(state(), "X: Final = 1\n"), ["test_a.py::test_2"]);
    assert_eq!(by_class(ran(&["test_b.py:test_3"], NONE), "X = []\n"), ["test_a.py::test_2"]);
}

#[test]
fn a_test_without_any_profile_is_related_by_the_published_rule() {
    let files =
        tree(&[("state.py", "X = []\n"), ("test_a.py", "import state"), ("test_b.py", "import state")]);
    let suite = suite(&["test_a.py::test_1", "test_b.py::test_2"]);
    let selected = Selected { test: TestIndex(0), why: vec![Why::New] };
    let affected = Affected { tests: vec![selected], unknown: vec![TestIndex(1)], ..Affected::default() };
    let new = vec![Profile { test: TestIndex(0), ..ran(&["state.py:get"], NONE) }];
    let (imports, old) = (Imports::new(&files, &files, &Records::default()), recorded(&files, vec![]));
    let found = related(&suite, &affected, &old, &new, Select::Cells, &imports, &Noise::default());
    assert_eq!(why(&suite, &found, "test_b.py::test_2"), ["shares state.X with test_a.py::test_1"]);
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        (0..4usize, 1..4u8).prop_map(|(cell, mask)| Op::Need(cell, mask)),
        (0..4usize, 0..2u8).prop_map(|(cell, value)| Op::Set(cell, value)),
        (0..4usize).prop_map(Op::Bump),
    ]
}

fn simulated(tests: &[Vec<Op>]) -> SimSuite {
    let tests = tests.iter().map(|ops| SimTest { group: 0, ops: ops.clone(), ..SimTest::default() });
    let mut suite = SimSuite::new(tests.collect(), 1);
    suite.eyes = Some(Eyes::default());
    suite
}

fn profiled(suite: &SimSuite) -> Vec<Profile> {
    let tests: Vec<TestIndex> = suite.suite().indices().collect();
    profile(&mut suite.clone(), &tests, &ProfileSettings::default()).profiles
}

/// Tests behind which this one ends otherwise than alone.
fn partners(suite: &SimSuite, test: TestIndex) -> Vec<TestIndex> {
    let others = suite.suite().indices().filter(|&other| other != test);
    others.filter(|&other| passes(suite, &[other, test]) != passes(suite, &[test])).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// One test of a suite does something else: whoever has become order-dependent by that is selected, and so is a test
    /// that shows it.
    #[test]
    fn whoever_becomes_order_dependent_is_selected_with_a_partner(
        tests in prop::collection::vec(prop::collection::vec(op(), 0..3), 2..7),
        other in prop::collection::vec(op(), 0..3),
    ) {
        let mut changed = tests.clone();
        changed[0] = other;
        let (before, after) = (simulated(&tests), simulated(&changed));
        let suite = before.suite().clone();
        let id = |profile: &Profile| suite.id(profile.test).0.clone();
        let old: Vec<(String, Profile)> = profiled(&before).into_iter().map(|it| (id(&it), it)).collect();
        let old = recorded(&Tree::default(), old.iter().map(|(id, it)| (id.as_str(), it.clone())).collect());
        let new = profiled(&after).into_iter().filter(|it| it.test.0 == 0).collect();
        let selected = Selected { test: TestIndex(0), why: vec![Why::New] };
        let affected = Affected { tests: vec![selected], ..Affected::default() };
        let case = Case { suite, old, affected, new };
        let related = case.numbers();
        let is_selected = |test: TestIndex| test.0 == 0 || related.contains(&test.0);
        for test in case.suite.indices().filter(|&test| partners(&before, test).is_empty()) {
            let partners = partners(&after, test);
            let is_shown = is_selected(test) && partners.iter().any(|&partner| is_selected(partner));
            prop_assert!(partners.is_empty() || is_shown, "{test:?} {partners:?} {related:?}");
        }
    }
}
