//! Repairs in a made-up world: what tests do follows from what stands in their file.

use anyorder_model::{
    About, Cause, CellKind, Change, Effort, Evidence, Fan, FanRecord, Finding, Halted, Kind, News, NoPatch,
    Oracle, Order, Outcome, PatchSource, Placement, PlainAsk, PlainSeen, Rung, State, Step, Suite,
    TailRecord, Test, TestId, TestIndex, Treatment, TreatmentRecord,
};

use crate::repair::{RepairSettings, Repaired, repair};
use crate::workshop::{Files, Unopened, Workshop};

const FILE: &str = "test_shop.py";
const VICTIM: TestIndex = TestIndex(0);
const POLLUTER: TestIndex = TestIndex(1);
const BRITTLE: TestIndex = TestIndex(2);
const OTHER_VICTIM: TestIndex = TestIndex(3);
const OTHER_POLLUTER: TestIndex = TestIndex(4);
const TEXT: &str = "\
from shop import settings


def test_victim():
    assert settings.USER is None


def test_polluter():
    settings.USER = 'ann'


def test_brittle():
    assert settings.USER == 'ann'


def test_other_victim():
    assert settings.UNIT == 'kg'


def test_other_polluter():
    settings.UNIT = 'lb'
";

/// A suite whose tests behave as the text of their file says: who takes `monkeypatch` leaves nothing, or starts clean.
#[derive(Clone)]
struct World {
    suite: Suite,
    text: String,
    /// Whether the plain runner sees the same.
    is_confirmed: bool,
    /// Whether the third test is there to need what the second leaves.
    has_brittle: bool,
    /// What only some orders show.
    trap: Option<Trap>,
    /// So many questions about cells are answered before the time is used up; nothing once it is.
    time: Option<usize>,
}

/// What only some orders show.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trap {
    /// The third test leaves the same as the second.
    OtherPolluter,
    /// The third test leaves the same as the fifth, so that the fourth fails in the original order.
    RedFromTheStart,
    /// The first test passes whatever it expects, once it is patched itself.
    Unnoticed,
    /// The third test passes whatever it expects, once it is patched itself; by itself it fails.
    Indifferent,
    /// The third test fails in whole orders that begin otherwise, once the second is patched.
    Harm,
    /// The third test fails by chance in whole orders that begin otherwise: three times, and then not.
    Chance,
    /// The same in the original order.
    ChanceAtFirst,
}

impl World {
    fn new(has_brittle: bool) -> Self {
        let test = |name: &str| Test::in_file(format!("{FILE}::{name}"), FILE);
        let names =
            ["test_victim", "test_polluter", "test_brittle", "test_other_victim", "test_other_polluter"];
        let suite = Suite::new("pytest", names.iter().map(|name| test(name)).collect());
        World {
            suite,
            text: TEXT.to_owned(),
            is_confirmed: true,
            has_brittle,
            trap: None,
            time: Some(usize::MAX),
        }
    }

    fn is_patched(&self, name: &str) -> bool {
        self.text.contains(&format!("def {name}(monkeypatch)"))
    }

    /// Whether the first test expects another value.
    fn is_spoilt(&self) -> bool {
        self.text.contains("assert settings.USER is NotImplemented")
    }

    fn outcomes(&self, order: &Order, repetition: u32) -> Vec<Step> {
        let (mut is_polluted, mut is_in_pounds) = (false, false);
        let mut steps = vec![];
        let is_whole = order.tests().len() == self.suite.len();
        let is_original = is_whole && order.tests()[0] == VICTIM;
        let is_caught = match self.trap {
            Some(Trap::Harm) => !is_original,
            Some(Trap::Chance) => !is_original && repetition % 4 != 3,
            Some(Trap::ChanceAtFirst) => is_original && repetition % 4 != 3,
            _ => false,
        };
        let is_harmed = is_caught && is_whole && self.is_patched("test_polluter");
        for &test in order.tests() {
            let passes = match test {
                VICTIM if self.is_spoilt() => {
                    self.trap == Some(Trap::Unnoticed) && self.is_patched("test_victim")
                }
                VICTIM => !is_polluted || self.is_patched("test_victim"),
                BRITTLE if self.trap == Some(Trap::Indifferent) => self.is_patched("test_brittle"),
                BRITTLE => (!self.has_brittle || is_polluted) && !is_harmed,
                OTHER_VICTIM => !is_in_pounds,
                _ => true,
            };
            is_polluted |= test == POLLUTER && !self.is_patched("test_polluter");
            is_polluted |= test == BRITTLE && self.trap == Some(Trap::OtherPolluter);
            is_in_pounds |= test == OTHER_POLLUTER && !self.is_patched("test_other_polluter");
            is_in_pounds |= test == BRITTLE && self.trap == Some(Trap::RedFromTheStart);
            steps.push(Step::bare(test, if passes { Outcome::Passed } else { Outcome::Failed }));
        }
        steps
    }
}

impl Oracle for World {
    fn suite(&self) -> &Suite {
        &self.suite
    }

    fn run(&mut self, fans: Vec<Fan>) -> Result<Vec<FanRecord>, Halted> {
        let record = |fan: &Fan| {
            let tail = |order| TailRecord { late: None, steps: self.outcomes(order, fan.repetition) };
            FanRecord { prefix: vec![], tails: fan.tails.iter().map(tail).collect() }
        };
        Ok(fans.iter().map(record).collect())
    }

    fn run_plain(&mut self, asked: Vec<PlainAsk>) -> Result<Vec<PlainSeen>, Halted> {
        let seen = |ask: &PlainAsk| PlainSeen {
            steps: if self.is_confirmed { self.outcomes(&ask.order, ask.repetition) } else { vec![] },
            rung: Rung::Plain,
            is_as_asked: true,
            command: String::new(),
        };
        Ok(asked.iter().map(seen).collect())
    }

    fn treat(&mut self, asked: Vec<Treatment>) -> Result<Vec<TreatmentRecord>, Halted> {
        let about = |path: &String| About {
            path: path.clone(),
            kind: Some(CellKind::Global),
            module: Some("shop.settings".to_owned()),
            expression: Some("shop.settings".to_owned()),
            key: path.rsplit('.').next().map(str::to_owned),
            literal: Some("None".to_owned()),
            ..About::default()
        };
        self.time = self.time.and_then(|time| time.checked_sub(1));
        self.time.ok_or(Halted::Budget)?;
        let record = |treatment: &Treatment| TreatmentRecord {
            about: treatment.about.iter().map(about).collect(),
            ..TreatmentRecord::default()
        };
        Ok(asked.iter().map(record).collect())
    }

    fn spent(&self) -> f64 {
        0.0
    }

    fn tell(&mut self, _: News) {}
}

impl Workshop for World {
    fn as_is(&mut self) -> &mut dyn Oracle {
        self
    }

    fn may_call_anything(&self) -> bool {
        true
    }

    fn take_time(&mut self) {
        self.time = Some(usize::MAX);
    }

    fn with(&mut self, changes: &[Change], work: &mut dyn FnMut(&mut dyn Oracle)) -> Result<(), Unopened> {
        self.time.ok_or(Unopened::Halted(Halted::Budget))?;
        let text = match changes {
            [] => TEXT.to_owned(),
            [change] => String::from_utf8(change.after.clone()).expect("it is text"),
            _ => return Err(Unopened::Refused("there is one file".to_owned())),
        };
        work(&mut World { suite: self.suite.clone(), text, ..*self });
        Ok(())
    }
}

struct OneFile;

impl Files for OneFile {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        (path == FILE).then(|| TEXT.as_bytes().to_vec())
    }

    fn temporary(&self) -> String {
        "/tmp".to_owned()
    }
}

fn victim() -> Finding {
    victim_of(VICTIM, POLLUTER, "USER", 9)
}

/// A test that fails behind another one, which changes this name of the settings on this line.
fn victim_of(test: TestIndex, polluter: TestIndex, name: &str, line: usize) -> Finding {
    let id = World::new(false).suite.id(test).clone();
    let mut finding = Finding::new(Kind::Victim, test, &id);
    finding.polluters = Some(vec![vec![polluter]]);
    let state = State {
        cell: format!("shop.settings.{name}"),
        kind: Some(CellKind::Global),
        before: "None".to_owned(),
        after: "'ann'".to_owned(),
        written: Some(format!("{FILE}:{line}")),
        ..State::default()
    };
    let cures = vec![vec![state.cell.clone()]];
    let effort = Effort::default();
    finding.causes = Some(vec![Cause {
        group: 0,
        state: vec![state],
        cures,
        reason: None,
        left: vec![],
        resets: vec![],
        effort,
    }]);
    finding
}

/// Passes behind the polluter alone.
fn brittle() -> Finding {
    let mut finding = Finding::new(Kind::Brittle, BRITTLE, &TestId(format!("{FILE}::test_brittle")));
    finding.setters = Some(vec![vec![POLLUTER]]);
    finding.evidence = Some(Evidence {
        passing: Some(Order(vec![POLLUTER, BRITTLE])),
        failing: Order(vec![BRITTLE]),
        confirmed: Some(Rung::Plain),
        plain_pairs: 5,
    });
    finding
}

fn repaired(world: &mut World, findings: &[Finding], others: &[Finding]) -> Repaired {
    repair(world, &OneFile, findings, others, RepairSettings::default())
}

#[test]
fn where_nothing_is_found_nothing_is_run() {
    let mut world = World::new(false);
    world.suite = Suite::new("pytest", vec![]);
    assert_eq!(repaired(&mut world, &[], &[]).repairs, []);
}

#[test]
fn a_polluter_that_nobody_needs_cleans_up_after_itself() {
    let repaired = repaired(&mut World::new(false), &[victim()], &[]);
    let [patch] = &repaired.patches[..] else { panic!("{repaired:?}") };
    assert_eq!((patch.source, patch.placement), (PatchSource::Restore, Placement::Polluter));
    assert_eq!((patch.verified.failing, patch.verified.sweeps, patch.verified.plain), (1, 20, 1));
    assert_eq!(patch.changes, repaired.together);
    let after = String::from_utf8(patch.changes[0].after.clone()).unwrap();
    assert!(
        after.contains("def test_polluter(monkeypatch):\n    monkeypatch.setattr(settings, 'USER', 'ann')")
    );
    assert_eq!((repaired.repairs[0].patch, repaired.repairs[0].reason), (Some(0), None));
}

#[test]
fn a_patch_that_breaks_a_passing_order_of_another_finding_is_refused_for_one_that_does_not() {
    let repaired = repaired(&mut World::new(true), &[victim()], &[brittle()]);
    let [patch] = &repaired.patches[..] else { panic!("{repaired:?}") };
    assert_eq!(patch.placement, Placement::Test);
    let after = String::from_utf8(patch.changes[0].after.clone()).unwrap();
    assert!(
        after.contains("def test_victim(monkeypatch):\n    monkeypatch.setattr(settings, 'USER', None)"),
        "{after}"
    );
}

#[test]
fn a_patch_with_which_a_test_does_not_notice_wrong_values_any_more_is_refused() {
    let mut world = World::new(true);
    world.trap = Some(Trap::Unnoticed);
    let repaired = repaired(&mut world, &[victim()], &[brittle()]);
    assert_eq!(repaired.patches, []);
    assert_eq!(repaired.repairs[0].reason, Some(NoPatch::Weakens));
}

#[test]
fn a_test_that_fails_by_itself_cannot_notice_less() {
    let mut world = World::new(true);
    world.trap = Some(Trap::Indifferent);
    let mut finding = brittle();
    finding.causes = victim().causes;
    let repaired = repaired(&mut world, &[finding], &[]);
    assert_eq!(repaired.patches.len(), 1, "{repaired:?}");
    assert_eq!(repaired.patches[0].placement, Placement::Test);
}

#[test]
fn what_the_plain_runner_does_not_confirm_is_no_patch() {
    let mut world = World::new(false);
    world.is_confirmed = false;
    let repaired = repaired(&mut world, &[victim()], &[]);
    assert_eq!(repaired.patches, []);
    assert_eq!(repaired.repairs[0].reason, Some(NoPatch::NotConfirmed));
}

#[test]
fn a_patch_with_which_a_cured_test_fails_in_random_orders_is_taken_back() {
    let mut world = World::new(false);
    world.trap = Some(Trap::OtherPolluter);
    let repaired = repaired(&mut world, &[victim()], &[]);
    assert_eq!(repaired.patches, []);
    assert_eq!(repaired.repairs[0].reason, Some(NoPatch::BreaksOthers));
}

#[test]
fn so_is_one_whose_cured_test_fails_there_as_it_does_in_the_original_order() {
    let mut world = World::new(false);
    world.trap = Some(Trap::RedFromTheStart);
    let repaired = repaired(&mut world, &[victim_of(OTHER_VICTIM, OTHER_POLLUTER, "UNIT", 21)], &[]);
    assert_eq!(repaired.patches, []);
    assert_eq!(repaired.repairs[0].reason, Some(NoPatch::BreaksOthers));
}

#[test]
fn an_order_that_its_author_fixed_is_left_alone_unless_asked() {
    let declared = Finding { declared: true, ..victim() };
    let mut world = World::new(false);
    let left = repaired(&mut world, std::slice::from_ref(&declared), &[]);
    assert_eq!((left.patches.len(), left.repairs[0].reason), (0, Some(NoPatch::Declared)));
    let settings = RepairSettings { declared: true, ..RepairSettings::default() };
    assert_eq!(repair(&mut world, &OneFile, &[declared], &[], settings).patches.len(), 1);
}

#[test]
fn the_patch_that_is_to_blame_is_taken_back_and_the_others_stay() {
    let mut world = World::new(false);
    world.trap = Some(Trap::Harm);
    let findings = [victim(), victim_of(OTHER_VICTIM, OTHER_POLLUTER, "UNIT", 21)];
    let repaired = repaired(&mut world, &findings, &[]);
    let [patch] = &repaired.patches[..] else { panic!("{repaired:?}") };
    assert_eq!(patch.cures, [findings[1].id.clone()]);
    assert_eq!((patch.verified.sweeps, patch.verified.plain), (20, 1));
    assert_eq!(repaired.repairs[0].reason, Some(NoPatch::BreaksOthers));
}

#[test]
fn what_does_not_fail_every_time_is_chance_and_no_fault_of_a_patch() {
    for trap in [Trap::Chance, Trap::ChanceAtFirst] {
        let mut world = World::new(false);
        world.trap = Some(trap);
        let patches = repaired(&mut world, &[victim()], &[]).patches;
        assert_eq!(patches.iter().map(|patch| patch.placement).collect::<Vec<_>>(), [Placement::Polluter]);
    }
}

#[test]
fn each_patch_tells_its_own_plain_runs() {
    let findings = [victim(), victim_of(OTHER_VICTIM, OTHER_POLLUTER, "UNIT", 21)];
    let repaired = repaired(&mut World::new(false), &findings, &[]);
    assert_eq!(repaired.patches.iter().map(|patch| patch.verified.plain).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn what_was_found_in_time_is_verified_to_its_end() {
    let mut world = World::new(false);
    world.time = Some(2);
    let findings = [victim(), victim_of(OTHER_VICTIM, OTHER_POLLUTER, "UNIT", 21)];
    let repaired = repaired(&mut world, &findings, &[]);
    let [patch] = &repaired.patches[..] else { panic!("{repaired:?}") };
    assert_eq!((patch.verified.sweeps, patch.verified.plain), (20, 1));
    assert_eq!(repaired.halted, Some(Halted::Budget));
    let reasons: Vec<_> = repaired.repairs.iter().map(|repair| repair.reason).collect();
    assert!(reasons.contains(&None) && reasons.contains(&Some(NoPatch::OutOfResources)), "{reasons:?}");
}

#[test]
fn what_there_was_no_time_for_is_not_cured_by_half_of_it() {
    let mut world = World::new(false);
    world.time = Some(2);
    let (mut finding, other) = (victim(), victim_of(VICTIM, OTHER_POLLUTER, "UNIT", 21));
    finding.polluters.as_mut().unwrap().extend(other.polluters.unwrap());
    let causes = other.causes.unwrap().into_iter().map(|cause| Cause { group: 1, ..cause });
    finding.causes.as_mut().unwrap().extend(causes);
    let repaired = repaired(&mut world, &[finding], &[]);
    assert_eq!(repaired.patches, []);
    assert_eq!(repaired.repairs[0].reason, Some(NoPatch::OutOfResources));
}
