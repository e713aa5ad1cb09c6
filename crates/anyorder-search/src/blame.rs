//! Tear-down errors: do they belong to the test, or to a fixture above it?
//!
//! The tear-down of a class, module or session fixture runs behind whichever test comes last, and frameworks blame that
//! test. Run twice in a row, a test whose own tear-down fails is red the first time too; where the error has moved to
//! the second time, it is the fixture's.

use anyorder_model::{Evidence, Finding, Halted, Kind, Order, Purpose, Signature, TestIndex};

use crate::asker::Asker;
use crate::seen::Suspect;
use crate::sight::Sight;

/// Takes out of `suspects` those that are blamed for a fixture's error; a finding for each such error.
pub(crate) fn charge_fixtures(
    asker: &mut Asker<'_>,
    suspects: &mut Vec<Suspect>,
    known: &[Finding],
) -> Result<Vec<Finding>, Halted> {
    let mut charged: Vec<Finding> = Vec::new();
    let mut cleared: Vec<Signature> = Vec::new();
    for suspect in suspects.iter() {
        let sighting = &suspect.sightings[0];
        let Some(signature) = torn(&sighting.sight) else { continue };
        let is_same = |finding: &Finding| {
            finding.kind == Kind::Fixture
                && finding.signature.as_ref().is_some_and(|other| other.is_same_failure(&signature))
        };
        if known.iter().chain(&charged).any(is_same)
            || cleared.iter().any(|other| other.is_same_failure(&signature))
        {
            continue;
        }
        let test = suspect.test;
        let tails = vec![vec![test, test]];
        let record = asker.fans(Purpose::Charge, 0, vec![(sighting.before.clone(), tails)])?;
        if Sight::from(&record[0].tails[0].steps[0]).is_torn() {
            cleared.push(signature);
        } else {
            let order = [sighting.before.as_slice(), &[test]].concat();
            charged.push(fixture_finding(asker, test, order, signature));
        }
    }
    suspects.retain(|suspect| {
        torn(&suspect.sightings[0].sight)
            .is_none_or(|signature| cleared.iter().any(|other| other.is_same_failure(&signature)))
    });
    Ok(charged)
}

/// A fixture's tear-down fails after this order, which ends with `test`.
pub(crate) fn fixture_finding(
    asker: &Asker<'_>,
    test: TestIndex,
    order: Vec<TestIndex>,
    signature: Signature,
) -> Finding {
    let mut finding = Finding::new(Kind::Fixture, test, asker.suite().id(test));
    finding.signature = Some(signature);
    let twice = [order.as_slice(), &[test]].concat();
    finding.evidence =
        Some(Evidence { passing: Order(twice), failing: Order(order), confirmed: None, plain_pairs: 0 });
    finding
}

/// The error of a sight that was torn.
pub(crate) fn torn(sight: &Sight) -> Option<Signature> {
    sight.is_torn().then(|| sight.signature.clone().unwrap_or_default())
}
