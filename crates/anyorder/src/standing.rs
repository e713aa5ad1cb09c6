//! Whether what earlier hunts have found still shows itself: files may have changed since then.

use anyorder_model::{Evidence, Fan, FanRecord, Finding, Halted, Mode, News, Oracle, Order, Purpose};

/// Leaves out findings that do not show themselves any more, and tells so; says why it could not.
pub(crate) fn leave_out_gone(oracle: &mut dyn Oracle, findings: &mut Vec<Finding>) -> Result<(), Halted> {
    let evidence: Vec<Option<[Fan; 2]>> = findings.iter().map(fans).collect();
    let ran = oracle.run(evidence.iter().flatten().flatten().cloned().collect())?;
    let mut ran = ran.chunks(2);
    let stands: Vec<bool> = evidence
        .iter()
        .map(|asked| asked.is_none() || ran.next().is_none_or(|pair| is_red(&pair[0]) && !is_red(&pair[1])))
        .collect();
    for (finding, _) in findings.iter().zip(&stands).filter(|(_, stands)| !**stands) {
        oracle.tell(News::Replayed { test: finding.test, kind: finding.kind, holds: false });
    }
    let mut stands = stands.into_iter();
    findings.retain(|_| stands.next().unwrap_or(true));
    Ok(())
}

/// The order in which it fails, and the one in which it passes; nothing where forks cannot show it.
fn fans(finding: &Finding) -> Option<[Fan; 2]> {
    let Evidence { passing, failing, .. } = finding.evidence.as_ref()?;
    let is_in_one_process = finding.mode != Some(Mode::AcrossRuns);
    passing.as_ref().filter(|_| is_in_one_process).and_then(|passing| Some([fan(failing)?, fan(passing)?]))
}

fn fan(order: &Order) -> Option<Fan> {
    let (&last, before) = order.tests().split_last()?;
    let (prefix, tails) = (Order(before.to_vec()), vec![Order(vec![last])]);
    Some(Fan { purpose: Purpose::Known, repetition: 0, prefix, tails })
}

fn is_red(record: &FanRecord) -> bool {
    let last = record.tails.last().and_then(|tail| tail.steps.last());
    last.is_some_and(|step| step.outcome.is_red())
}
