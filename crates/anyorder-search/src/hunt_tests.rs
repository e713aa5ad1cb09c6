//! Hunts through simulated suites: the hard cases by hand, then many suites at random.

use anyorder_model::{Fan, Finding, Kind, Mode, News, Oracle, Order, Purpose, Rung, Station, TestIndex};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

use crate::simulate::{Eyes, Mix, Op, SimFixture, SimSuite, SimTest, faults, passes, random_suite, trial};
use crate::{HuntReport, HuntSettings, Known, Sweep, hunt, investigate, twice};

/// Content with the first value of a cell only.
pub(crate) const ZERO: u8 = 1;
/// Content with the second value only.
pub(crate) const ONE: u8 = 2;

pub(crate) fn suite(tests: &[&[Op]]) -> SimSuite {
    let test =
        |(at, ops): (usize, &&[Op])| SimTest { group: at / 3, ops: ops.to_vec(), ..SimTest::default() };
    SimSuite::new(tests.iter().enumerate().map(test).collect(), 1)
}

fn hunt_in(suite: &SimSuite) -> HuntReport {
    let mut suite = suite.clone();
    let report = hunt(&mut suite, &HuntSettings::default());
    assert_eq!(faults(&suite, &report), [] as [String; 0]);
    report
}

pub(crate) fn the(report: &HuntReport, kind: Kind, test: u32) -> &Finding {
    let is_it = |finding: &&Finding| finding.kind == kind && finding.test == TestIndex(test);
    report.findings.iter().find(is_it).unwrap_or_else(|| panic!("no such finding in {:?}", report.findings))
}

fn numbers(groups: Option<&Vec<Vec<TestIndex>>>) -> Vec<Vec<u32>> {
    groups.expect("it was looked for").iter().map(|group| group.iter().map(|test| test.0).collect()).collect()
}

pub(crate) fn kinds(report: &HuntReport) -> Vec<(Kind, u32)> {
    report.findings.iter().map(|finding| (finding.kind, finding.test.0)).collect()
}

#[test]
fn two_tests_that_pollute_only_together_are_one_group() {
    let report =
        hunt_in(&suite(&[&[Op::Need(1, ZERO)], &[Op::Set(0, 1)], &[], &[Op::When(0, ONE, 1, 1)], &[]]));
    assert_eq!(numbers(the(&report, Kind::Victim, 0).polluters.as_ref()), [[1, 3]]);
}

#[test]
fn a_cleaner_right_behind_the_polluter_does_not_hide_it() {
    let report = hunt_in(&suite(&[&[], &[Op::Set(0, 1)], &[Op::Set(0, 0)], &[], &[Op::Need(0, ZERO)]]));
    let victim = the(&report, Kind::Victim, 4);
    assert_eq!(numbers(victim.polluters.as_ref()), [[1]]);
    assert_eq!(numbers(victim.cleaners.as_ref()), [[2]]);
}

#[test]
fn a_brittle_whose_setter_needs_another_test_has_both_as_its_setters() {
    let report = hunt_in(&suite(&[&[Op::Set(0, 1)], &[], &[Op::When(0, ONE, 1, 1)], &[Op::Need(1, ONE)]]));
    let brittle = the(&report, Kind::Brittle, 3);
    assert_eq!(numbers(brittle.setters.as_ref()), [[0, 2]]);
    assert_eq!(brittle.polluters, None);
    assert_eq!(brittle.evidence.as_ref().unwrap().failing, Order(vec![TestIndex(3)]));
}

#[test]
fn fifty_polluters_are_all_found() {
    let mut tests: Vec<&[Op]> = vec![&[Op::Set(0, 1)]; 50];
    tests.extend([&[Op::Need(0, ZERO)][..], &[], &[Op::Set(0, 0)]]);
    let report = hunt_in(&suite(&tests));
    assert_eq!(the(&report, Kind::Victim, 50).polluters.as_ref().unwrap().len(), 50);
}

#[test]
fn polluters_whose_effect_depends_on_their_order_keep_it() {
    // 0 doubles as an innocent if it comes last.
    let report = hunt_in(&suite(&[&[Op::When(0, ONE, 1, 1)], &[Op::Set(0, 1)], &[Op::Need(1, ZERO)]]));
    assert_eq!(numbers(the(&report, Kind::Victim, 2).polluters.as_ref()), [[1, 0]]);
}

#[test]
fn a_victim_that_cleans_up_after_itself_is_its_own_cleaner() {
    // It fails once, and puts the value right for the next time.
    let report = hunt_in(&suite(&[
        &[Op::When(0, ONE, 1, 1), Op::Set(0, 0), Op::Need(1, ZERO)],
        &[Op::Set(0, 1)],
        &[Op::Set(1, 0)],
    ]));
    assert_eq!(numbers(the(&report, Kind::Victim, 0).polluters.as_ref()), [[1]]);
    let toggle = hunt_in(&suite(&[
        &[Op::When(0, ONE, 0, 2), Op::When(0, ZERO, 0, 1), Op::When(0, 4, 0, 0)],
        &[Op::Need(0, ZERO)],
    ]));
    assert_eq!(numbers(the(&toggle, Kind::Victim, 1).cleaners.as_ref()), [[0]]);
}

#[test]
fn who_minds_being_run_twice_only_while_a_fixture_stands_is_found_though_all_tests_were_watched() {
    let mut tests: Vec<&[Op]> = vec![&[]; 30];
    tests[0] = &[Op::Need(0, ZERO), Op::Set(0, 1)];
    tests[5] = &[Op::Need(1, ZERO), Op::Set(1, 1)];
    let suite = suite(&tests).with_fixture(0, SimFixture { cells: vec![0], need: None });
    let report = hunt_in(&suite);
    assert_eq!(kinds(&report), [(Kind::NonIdempotent, 0), (Kind::NonIdempotent, 5)]);
}

#[test]
fn tests_that_were_watched_twice_do_not_run_once_more_for_that() {
    let twice = |suite: &mut SimSuite| {
        hunt(suite, &HuntSettings::default());
        let begun = suite.news.iter().filter_map(|news| match news {
            News::Began(Station::Twice, tests) => *tests,
            _ => None,
        });
        begun.collect::<Vec<_>>()
    };
    let tests: Vec<&[Op]> = vec![&[]; 30];
    assert_eq!(twice(&mut suite(&tests)), [0; 0]);
    let fixture = SimFixture { cells: vec![0], need: None };
    assert_eq!(twice(&mut suite(&tests).with_fixture(0, fixture)), [3]);
    assert_eq!(twice(&mut suite(&tests[..20])), [20], "all pairs run, and nobody is watched");
}

#[test]
fn cleaners_that_only_work_in_pairs_are_one_group() {
    let report = hunt_in(&suite(&[
        &[Op::Set(0, 1)],
        &[Op::When(0, ONE, 0, 2)],
        &[],
        &[Op::When(0, 4, 0, 0)],
        &[Op::Need(0, ZERO)],
    ]));
    let victim = the(&report, Kind::Victim, 4);
    let after_polluter = &victim.by_polluter.as_ref().unwrap()[0];
    assert_eq!(numbers(victim.polluters.as_ref())[0], [0]);
    assert_eq!(numbers(after_polluter.cleaners.as_ref()), [[1, 3]]);
}

#[test]
fn groups_that_were_not_looked_for_are_named() {
    // Fourteen pairs, each of which pollutes by itself.
    let first: Vec<[Op; 1]> = (1..15).map(|cell| [Op::Set(cell, 1)]).collect();
    let second: Vec<[Op; 1]> = (1..15).map(|cell| [Op::When(cell, ONE, 0, 1)]).collect();
    let mut tests: Vec<&[Op]> = first.iter().chain(&second).map(|ops| &ops[..]).collect();
    tests.push(&[Op::Need(0, ZERO)]);
    let settings = HuntSettings { rounds: Some(0), ..HuntSettings::default() };
    let report = hunt(&mut suite(&tests), &settings);
    let victim = the(&report, Kind::Victim, 28);
    assert!(victim.polluters.as_ref().unwrap().len() < 14);
    assert!(victim.not_searched.iter().any(|what| what.starts_with("groups of polluters")), "{victim:?}");
    let report = hunt_in(&suite(&[&[Op::Set(0, 1)], &[Op::Set(0, 0)], &[Op::Need(0, ZERO)]]));
    let victim = the(&report, Kind::Victim, 2);
    assert!(victim.not_searched.is_empty(), "{:?}", victim.not_searched);
}

#[test]
fn pass_then_fail_is_non_idempotent_and_fail_then_pass_sets_itself() {
    let tests: [&[Op]; 3] = [
        &[Op::Need(0, ZERO), Op::Set(0, 1)],
        &[],
        &[Op::When(1, ONE, 2, 1), Op::Set(1, 1), Op::Need(2, ONE)],
    ];
    let report = hunt_in(&suite(&tests));
    assert_eq!(kinds(&report), [(Kind::NonIdempotent, 0), (Kind::SelfSetting, 2)]);
    assert_eq!(the(&report, Kind::NonIdempotent, 0).mode, Some(Mode::IsolatedTest));
    for mode in [Mode::IsolatedTest, Mode::IsolatedGroup, Mode::Suite] {
        let report = twice(&mut suite(&tests), mode, &HuntSettings::default());
        assert_eq!(kinds(&report), [(Kind::NonIdempotent, 0), (Kind::SelfSetting, 2)], "{mode:?}");
    }
}

#[test]
fn a_test_that_minds_being_run_twice_only_behind_another_is_non_idempotent() {
    // What the first test gives, the second spends; by itself it has nothing to spend.
    let tests: [&[Op]; 3] = [&[Op::Set(0, 1)], &[], &[Op::Need(0, ZERO | ONE), Op::When(0, ONE, 0, 2)]];
    for mode in [Mode::IsolatedGroup, Mode::Suite] {
        let report = twice(&mut suite(&tests), mode, &HuntSettings::default());
        assert_eq!(kinds(&report), [(Kind::NonIdempotent, 2)], "{mode:?}");
        let evidence = report.findings[0].evidence.as_ref().unwrap();
        assert_eq!(evidence.passing, Some(Order([0, 2].map(TestIndex).to_vec())));
        assert_eq!(evidence.failing, Order([0, 2, 2].map(TestIndex).to_vec()));
        assert_eq!(evidence.confirmed, Some(Rung::Plain));
    }
}

#[test]
fn red_both_times_because_of_a_polluter_is_not_non_idempotent() {
    let mut suite = suite(&[&[Op::Set(0, 1)], &[Op::Need(0, ZERO)]]);
    let report = twice(&mut suite, Mode::Suite, &HuntSettings::default());
    assert_eq!(kinds(&report), []);
}

#[test]
fn a_skip_that_comes_and_goes_is_listed_and_is_no_victim() {
    let report = hunt_in(&suite(&[&[Op::Set(0, 1)], &[Op::SkipUnless(0, ZERO)], &[]]));
    assert_eq!(kinds(&report), [(Kind::OutcomeVaries, 1)]);
}

#[test]
fn red_in_every_state_is_broken() {
    let report = hunt_in(&suite(&[&[Op::Set(0, 1)], &[Op::Need(0, 4)], &[]]));
    assert_eq!(kinds(&report), [(Kind::Broken, 1)]);
}

#[test]
fn a_fixture_that_cannot_be_torn_down_is_to_blame_and_not_the_last_test() {
    let fixture = SimFixture { cells: vec![], need: Some((0, ONE)) };
    let report = hunt_in(&suite(&[&[], &[], &[], &[], &[]]).with_fixture(0, fixture));
    assert_eq!(kinds(&report), [(Kind::Fixture, 0)]);
    let evidence = report.findings[0].evidence.as_ref().unwrap();
    assert_eq!((evidence.confirmed, evidence.plain_pairs), (Some(Rung::Plain), 2));
    assert_eq!((&evidence.passing, &evidence.failing), (&None, &Order(vec![TestIndex(0)])));
}

#[test]
fn a_victim_beside_such_a_fixture_is_still_found() {
    let fixture = SimFixture { cells: vec![], need: Some((1, ONE)) };
    let report =
        hunt_in(&suite(&[&[Op::Need(0, ZERO)], &[], &[], &[Op::Set(0, 1)]]).with_fixture(0, fixture));
    assert_eq!(kinds(&report), [(Kind::Victim, 0), (Kind::Fixture, 0)]);
}

#[test]
fn what_only_forks_show_is_not_confirmed() {
    let mut suite = suite(&[&[Op::Set(0, 1)], &[Op::Need(0, ZERO)]]);
    suite.fork_only = vec![0];
    let report = hunt(&mut suite, &HuntSettings::default());
    assert_eq!((report.findings.len(), report.unconfirmed.len()), (0, 1));
    assert!(report.unconfirmed[0].unconfirmed.is_some());
}

#[test]
fn a_group_around_a_stranger_is_interleaved_only() {
    let tests: [(usize, &[Op]); 4] =
        [(0, &[Op::Set(0, 1)]), (0, &[Op::Need(1, ZERO)]), (1, &[Op::When(0, ONE, 1, 1)]), (1, &[])];
    let tests = tests.map(|(group, ops)| SimTest { group, ops: ops.to_vec(), ..SimTest::default() });
    let report = hunt_in(&SimSuite::new(tests.to_vec(), 1));
    assert_eq!(the(&report, Kind::Victim, 1).interleaved_only, Some(true));
}

#[test]
fn victims_of_one_polluter_share_plain_runs() {
    let mut tests: Vec<&[Op]> = vec![&[Op::Need(0, ZERO)]; 12];
    tests.push(&[Op::Set(0, 1)]);
    let mut suite = suite(&tests);
    let report = hunt(&mut suite, &HuntSettings::default());
    assert_eq!(report.findings.len(), 12);
    assert!(report.findings.iter().all(|finding| finding.evidence.as_ref().unwrap().plain_pairs == 5));
    let baseline = 1;
    assert_eq!(suite.plain_runs, baseline + 2 * 12 + 2 * 4);
}

#[test]
fn victims_of_different_polluters_share_plain_runs() {
    let cells: Vec<usize> = (0..6).collect();
    let mut tests: Vec<Vec<Op>> = cells.iter().map(|&cell| vec![Op::Need(cell, ZERO)]).collect();
    tests.extend(cells.iter().map(|&cell| vec![Op::Set(cell, 1)]));
    let tests: Vec<&[Op]> = tests.iter().map(Vec::as_slice).collect();
    let mut suite = suite(&tests);
    let report = hunt(&mut suite, &HuntSettings::default());
    assert_eq!(report.findings.len(), 6);
    assert!(report.findings.iter().all(|finding| finding.evidence.as_ref().unwrap().plain_pairs == 5));
    let baseline = 1;
    assert_eq!(suite.plain_runs, baseline + 2 * 6 + 2 * 4);
}

#[test]
fn a_polluter_that_others_keep_from_its_work_has_plain_runs_of_its_own() {
    let tests: [&[Op]; 4] =
        [&[Op::Need(0, ZERO)], &[Op::Need(1, ZERO)], &[Op::Set(0, 1)], &[Op::When(0, ZERO, 1, 1)]];
    let mut suite = suite(&tests);
    let report = hunt(&mut suite, &HuntSettings::default());
    assert_eq!(kinds(&report), [(Kind::Victim, 0), (Kind::Victim, 1)]);
    assert!(report.findings.iter().all(|finding| finding.evidence.as_ref().unwrap().plain_pairs == 5));
    let baseline = 1;
    assert_eq!(suite.plain_runs, baseline + 2 * 5 + 2 * 5);
}

#[test]
fn a_known_finding_is_tried_first_and_found_without_a_sweep() {
    let mut suite = suite(&[&[Op::Need(0, ZERO)], &[Op::Set(0, 1)]]);
    let order = |tests: &[u32]| Order(tests.iter().copied().map(TestIndex).collect());
    let known =
        Known { kind: Kind::Victim, test: TestIndex(0), passing: order(&[0]), failing: order(&[1, 0]) };
    let settings = HuntSettings { rounds: Some(0), known: vec![known], ..HuntSettings::default() };
    let report = hunt(&mut suite, &settings);
    assert_eq!(kinds(&report), [(Kind::Victim, 0)]);
    assert!(suite.news.contains(&News::Replayed { test: TestIndex(0), kind: Kind::Victim, holds: true }));
}

#[test]
fn one_polluter_among_a_thousand_tests_takes_few_forks() {
    let mut tests: Vec<&[Op]> = vec![&[]; 1_000];
    (tests[321], tests[999]) = (&[Op::Set(0, 1)], &[Op::Need(0, ZERO)]);
    let mut suite = suite(&tests);
    let order = Order::original(suite.suite());
    let settings = HuntSettings { forks: Some(0), ..HuntSettings::default() };
    let report = investigate(&mut suite, &order, &settings);
    assert_eq!(numbers(the(&report, Kind::Victim, 999).polluters.as_ref()), [[321]]);
    assert!(suite.forks < 30 && suite.runs < 1_500, "{} forks, {} runs", suite.forks, suite.runs);
}

/// 600 tests that are watched but for these cells: the first one minds what five others do, and every other one changes something
/// that nobody minds. What came of a hunt, and how many runs the search for partners took.
fn many_watched(hidden: Vec<usize>) -> (HuntReport, usize) {
    let mut tests: Vec<&[Op]> =
        (0..600).map(|at| if at % 2 == 0 { &[Op::Set(1, 1)][..] } else { &[] }).collect();
    tests[0] = &[Op::Need(0, ZERO)];
    [100, 201, 302, 403, 504].into_iter().for_each(|at| tests[at] = &[Op::Set(0, 1)]);
    let mut suite = suite(&tests);
    suite.eyes = Some(Eyes { hidden, ..Eyes::default() });
    suite.questions = Some(Vec::new());
    let report = hunt(&mut suite, &HuntSettings::default());
    let is_meant = |fan: &&Fan| fan.purpose == Purpose::Minimise;
    let tried = suite.questions.iter().flatten().filter(is_meant).map(|fan| fan.tails.len()).sum();
    (report, tried)
}

/// Whether it is said of the victim that others stood for candidates.
fn is_inferred(report: &HuntReport) -> bool {
    the(report, Kind::Victim, 0).not_searched.iter().any(|what| what.contains("that leave the same as tests"))
}

#[test]
fn one_of_those_that_leave_the_same_is_tried_for_all_of_them() {
    let (report, tried) = many_watched(vec![]);
    let polluters = numbers(the(&report, Kind::Victim, 0).polluters.as_ref());
    assert_eq!(polluters, [[100], [201], [302], [403], [504]]);
    assert!(tried < 60 && is_inferred(&report), "{tried}");
}

#[test]
fn where_nobody_sees_what_the_polluters_do_all_tests_are_tried() {
    let (report, _) = many_watched(vec![0]);
    let polluters = numbers(the(&report, Kind::Victim, 0).polluters.as_ref());
    assert_eq!(polluters, [[100], [201], [302], [403], [504]]);
    assert!(!is_inferred(&report));
}

#[test]
fn what_the_plain_runner_shows_only_with_everything_collected_says_so() {
    let mut suite = suite(&[&[Op::Set(0, 1)], &[Op::Need(0, ZERO)]]);
    suite.import_only = vec![0];
    let report = hunt(&mut suite, &HuntSettings::default());
    assert_eq!(kinds(&report), [(Kind::Victim, 1)]);
    assert_eq!(report.findings[0].evidence.as_ref().unwrap().confirmed, Some(Rung::PlainOrdered));
}

#[test]
fn blocks_find_the_polluters_that_each_test_alone_would() {
    let mut tests: Vec<&[Op]> = vec![&[]; 300];
    (tests[10], tests[200], tests[100]) = (&[Op::Set(0, 1)], &[Op::Set(0, 2)], &[Op::Set(0, 0)]);
    (0..20).for_each(|at| tests[20 + at] = &[Op::Need(0, ZERO)]);
    let mut suite = suite(&tests);
    let report = hunt(&mut suite, &HuntSettings { forks: Some(1_500), ..HuntSettings::default() });
    assert_eq!(report.findings.len(), 20);
    for finding in &report.findings {
        assert_eq!(numbers(finding.polluters.as_ref()), [[10], [200]]);
        assert_eq!(numbers(finding.cleaners.as_ref()), [[100]]);
        assert!(!finding.not_searched.is_empty());
    }
    assert!(suite.forks < 6_000, "{}", suite.forks);
}

#[test]
fn random_suites_have_no_wrong_verdict() {
    let trial = trial(Mix::Deterministic, 1_000_000, 300);
    assert_eq!(trial.faults, [] as [String; 0]);
    assert!(trial.partnered_found * 10 > trial.partnered * 8, "{trial:?}");
}

#[test]
fn tests_that_fail_at_random_are_not_order_dependent() {
    let trial = trial(Mix::WithChance, 1_000_000, 200);
    assert_eq!(trial.faults, [] as [String; 0]);
    assert!(trial.chance_tests > 500, "{trial:?}");
}

#[test]
fn chance_that_forks_share_is_not_taken_for_order() {
    let trial = trial(Mix::WithSharedChance, 1_500, 200);
    assert_eq!(trial.faults, [] as [String; 0]);
    assert!(trial.chance_tests > 500, "{trial:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_same_answers_lead_to_the_same_questions(seed in any::<u64>()) {
        let ask = || {
            let mut suite = random_suite(seed, Mix::WithChance, 40);
            suite.questions = Some(vec![]);
            let report = hunt(&mut suite, &HuntSettings { seed, ..HuntSettings::default() });
            (suite.questions, report.findings)
        };
        prop_assert_eq!(ask(), ask());
    }

    #[test]
    fn a_hunt_that_is_stopped_claims_only_what_is_so(seed in any::<u64>(), limit in 0_u64..3_000) {
        let mut suite = random_suite(seed, Mix::Deterministic, 30);
        suite.limit = limit;
        let report = hunt(&mut suite, &HuntSettings { seed, ..HuntSettings::default() });
        let confirmed = report.findings.iter().filter(|finding| finding.kind.is_order_dependent());
        for finding in confirmed {
            let evidence = finding.evidence.as_ref().unwrap();
            prop_assert_eq!(evidence.confirmed, Some(Rung::Plain));
            prop_assert_eq!(passes(&suite, evidence.passing.as_ref().unwrap().tests()), Some(true));
            prop_assert_eq!(passes(&suite, evidence.failing.tests()), Some(false));
        }
        // The last fan that is begun is finished: a group, then each test and the victim behind it.
        prop_assert!(report.stopped_early.is_some() || suite.runs <= limit + 3 * 30);
    }

    #[test]
    fn halves_are_no_less_right(seed in any::<u64>()) {
        let mut suite = random_suite(seed, Mix::Deterministic, 40);
        let report = hunt(&mut suite, &HuntSettings { seed, sweep: Sweep::Halves, ..HuntSettings::default() });
        prop_assert_eq!(faults(&suite, &report), Vec::<String>::new());
    }
}

/// The verdicts on a test that chance fails, more often behind another one, among others that do nothing; over many hunts.
#[test]
fn a_test_that_chance_fails_more_often_behind_another_is_not_called_a_victim() {
    let test = |at: usize| {
        let ops = if at == 1 { vec![Op::Set(0, 1)] } else { vec![] };
        let (rate, other_rate) = if at == 0 { (Some(0.2), Some((0, ONE, 0.8))) } else { (None, None) };
        SimTest { group: at / 3, ops, rate, other_rate }
    };
    let is_believed = |seed: &u64| {
        let mut suite = SimSuite::new((0..8).map(test).collect(), *seed);
        let report = hunt(&mut suite, &HuntSettings { seed: *seed, ..HuntSettings::default() });
        report.findings.iter().any(|finding| finding.kind == Kind::Victim)
    };
    let believed = (0..2_000).filter(is_believed).count();
    assert!(believed <= 2, "{believed} of 2,000 hunts");
}
