//! Tear-down errors: do they belong to the test, or to a fixture above it?
//!
//! The tear-down of a class, module or session fixture runs behind whichever test comes last, and frameworks blame that
//! test. Run twice in a row, a test whose own tear-down fails is red the first time too; where the error has moved to
//! the second time, it is the fixture's.

use anyorder_model::{
    Evidence, Finding, Halted, Kind, Order, PlainAsk, PlainSeen, Purpose, Rung, Signature, TestIndex,
};

use crate::asker::end;
use crate::judge::Judge;
use crate::seen::Suspect;
use crate::sight::Sight;
use crate::steady::plain_ask;

/// How often the plain runner has to show a fixture's error.
const RUNS: u32 = 2;

/// Takes out of `suspects` those that are blamed for a fixture's error, and charges the fixture.
pub(crate) fn charge_fixtures(judge: &mut Judge<'_>, suspects: &mut Vec<Suspect>) -> Result<(), Halted> {
    let mut cleared: Vec<Signature> = Vec::new();
    for suspect in suspects.iter() {
        let sighting = &suspect.sightings[0];
        let Some(signature) = torn(&sighting.sight) else { continue };
        if judge.has_charged(&signature) || cleared.iter().any(|other| other.is_same_failure(&signature)) {
            continue;
        }
        let test = suspect.test;
        let tails = vec![vec![test, test]];
        let record = judge.asker().fans(Purpose::Charge, 0, vec![(sighting.before.clone(), tails)])?;
        if Sight::from(&record[0].tails[0].steps[0]).is_torn() {
            cleared.push(signature);
        } else {
            charge(judge, &sighting.before, test, signature);
        }
    }
    suspects.retain(|suspect| {
        torn(&suspect.sightings[0].sight)
            .is_none_or(|signature| cleared.iter().any(|other| other.is_same_failure(&signature)))
    });
    Ok(())
}

/// A fixture's tear-down fails behind `test`, after `before`. The same error is charged once.
pub(crate) fn charge(judge: &mut Judge<'_>, before: &[TestIndex], test: TestIndex, signature: Signature) {
    if judge.has_charged(&signature) {
        return;
    }
    let mut finding = Finding::new(Kind::Fixture, test, judge.asker().suite().id(test));
    finding.signature = Some(signature);
    let failing = Order([before, &[test]].concat());
    finding.evidence = Some(Evidence { passing: None, failing, confirmed: None, plain_pairs: 0 });
    judge.charged.push(finding);
}

/// Asks the plain runner about every fixture that was charged: with the test once, with everything collected, and with
/// the test twice, as it was when the error was seen to move.
pub(crate) fn confirm_fixtures(judge: &mut Judge<'_>) -> Result<(), Halted> {
    for (times, rung) in [(1, None), (1, Some(Rung::PlainOrdered)), (2, None)] {
        let ask = |finding: &Finding, number| {
            let failing = finding.evidence.as_ref().map_or(&[][..], |evidence| evidence.failing.tests());
            let again = vec![finding.test; times - 1];
            PlainAsk { rung, ..plain_ask([failing, &again].concat(), number) }
        };
        let asked = judge.charged.iter().flat_map(|finding| (0..RUNS).map(|number| ask(finding, number)));
        let asked: Vec<PlainAsk> = asked.collect();
        let seen = judge.asker().plain(asked.clone())?;
        let mut open = Vec::new();
        for (at, mut finding) in std::mem::take(&mut judge.charged).into_iter().enumerate() {
            let runs = at * RUNS as usize..(at + 1) * RUNS as usize;
            if seen[runs.clone()].iter().all(|seen| seen.is_as_asked && end(&seen.steps).is_torn()) {
                finding.evidence = Some(shown(&asked[runs.start], &seen[runs]));
                judge.found(finding);
            } else {
                open.push(finding);
            }
        }
        judge.charged = open;
    }
    for finding in std::mem::take(&mut judge.charged) {
        judge.doubt_finding(finding, "the plain runner does not show it");
    }
    Ok(())
}

fn shown(asked: &PlainAsk, seen: &[PlainSeen]) -> Evidence {
    Evidence {
        passing: None,
        failing: asked.order.clone(),
        confirmed: seen.iter().map(|seen| seen.rung).max(),
        plain_pairs: RUNS,
    }
}

/// The error of a sight that was torn.
pub(crate) fn torn(sight: &Sight) -> Option<Signature> {
    sight.is_torn().then(|| sight.signature.clone().unwrap_or_default())
}
