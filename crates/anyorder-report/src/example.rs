//! What tests of this crate tell about: a suite of one file, two victims in it, and a patch for one.

use anyorder_model::{
    Cause, Change, Effort, Evidence, Finding, Kind, NoPatch, Order, Patch, PatchSource, Placement, Proposal,
    Repair, Reproduce, Rung, State, Strength, Suite, Test, TestIndex, Verified,
};

/// A suite with tests of these names.
pub(crate) fn suite(names: &[&str]) -> Suite {
    let test = |name: &&str| Test::in_file(format!("t.py::{name}"), "t.py");
    Suite::new("pytest", names.iter().map(test).collect())
}

/// The tests `a` and `b` of a suite of `p`, `a`, `b`: `p` makes both fail.
pub(crate) fn victims() -> Vec<Finding> {
    let suite = suite(&["p", "a", "b"]);
    let victim = |test: u32| {
        let (polluter, test) = (TestIndex(0), TestIndex(test));
        let evidence = Evidence {
            passing: Some(Order(vec![test])),
            failing: Order(vec![polluter, test]),
            confirmed: Some(Rung::Plain),
            plain_pairs: 5,
        };
        let [fail, pass] =
            ["t.py::p ", ""].map(|before| format!("/venv/bin/python -m pytest {before}{}", suite.id(test)));
        Finding {
            polluters: Some(vec![vec![polluter]]),
            evidence: Some(evidence),
            causes: Some(vec![cause()]),
            reproduce: Some(Reproduce { fail, pass }),
            ..Finding::new(Kind::Victim, test, suite.id(test))
        }
    };
    vec![victim(1), victim(2)]
}

fn cause() -> Cause {
    let state = State {
        cell: "shop.TAX".to_owned(),
        before: "19".to_owned(),
        after: "7".to_owned(),
        proved: Some(true),
        written: Some("t.py:2".to_owned()),
        read: Some("shop.py:8".to_owned()),
        ..State::default()
    };
    Cause {
        group: 0,
        cures: vec![vec![state.cell.clone()]],
        state: vec![state],
        reason: None,
        left: vec![],
        resets: vec![],
        effort: Effort::default(),
    }
}

/// A patch for all of `findings`.
pub(crate) fn proposal(findings: &[Finding]) -> Proposal {
    let change = Change {
        path: "t.py".to_owned(),
        before: Some(b"def test_p():\n    shop.TAX = 7\n".to_vec()),
        after: b"def test_p(monkeypatch):\n    monkeypatch.setattr(shop, \"TAX\", 7)\n".to_vec(),
    };
    let patch = Patch {
        cures: findings.iter().map(|finding| finding.id.clone()).collect(),
        source: PatchSource::Restore,
        placement: Placement::Polluter,
        strength: Strength::Safe,
        summary: "puts `shop.TAX` back after t.py::p".to_owned(),
        changes: vec![change.clone()],
        verified: Verified { failing: 4, passing: 12, sweeps: 20, plain: 3 },
    };
    let name = &findings[0].id;
    Proposal {
        patches: vec![patch],
        changes: vec![change],
        diff: format!(".anyorder/patches/{name}.diff"),
        pull_request: format!(".anyorder/patches/{name}.md"),
        apply: Some(format!("anyorder fix --apply {name}")),
        is_applied: false,
    }
}

/// The first of `findings` has a patch, the second has none.
pub(crate) fn repairs(findings: &[Finding]) -> Vec<Repair> {
    let repair = |(at, finding): (usize, &Finding)| Repair {
        finding: finding.id.clone(),
        patch: (at == 0).then_some(0),
        reason: (at > 0).then_some(NoPatch::BreaksOthers),
        generated: 12,
        tried: 5,
    };
    findings.iter().enumerate().map(repair).collect()
}
