//! A document that means no good: what tests of formats are tried on.

use anyorder_model::{Acceptance, Finding, Kind, Order, Signature, Suite, Test, TestId, TestIndex};
use serde_json::{Value, json};

use crate::example;
use crate::finding_json::finding_value;

/// Markup, quotes, control characters, marks that turn the direction of text, and 5,000 characters.
pub(crate) fn names() -> [String; 4] {
    [
        "t.py::<script>alert('\u{202e}')</script>".to_owned(),
        "t.py::quote\"]]>&amp;%0A::error::%".to_owned(),
        "sub dir/t.py::bell\u{7}\u{1b}[31m\u{0}\u{fffe}\r\n".to_owned(),
        format!("t.py::{}", "long ".repeat(1000)),
    ]
}

/// Each of [`names`] is the victim of the next one; the last is accepted.
pub(crate) fn document() -> Value {
    let test = |id: &String| {
        let file = id.split("::").next().unwrap_or_default().to_owned();
        Test { id: TestId(id.clone()), group: file.clone(), file, line: 7, markers: vec![] }
    };
    let suite = Suite::new("pytest", names().iter().map(test).collect());
    let findings = suite.indices().map(|test| {
        let partner = TestIndex((test.0 + 1) % 4);
        let mut finding = example::victims().remove(0);
        finding.evidence.as_mut().expect("it has some").failing = Order(vec![partner, test]);
        finding.evidence.as_mut().expect("it has some").passing = Some(Order(vec![test]));
        let message = format!("AssertionError: {}", suite.id(partner));
        let accepted = (test.0 == 3).then(|| Acceptance {
            reason: "issue <12> \"x\"".to_owned(),
            expires: None,
            is_expired: false,
        });
        finding = Finding {
            polluters: Some(vec![vec![partner]]),
            signature: Some(Signature { message, ..Signature::default() }),
            accepted,
            causes: finding.causes.clone(),
            evidence: finding.evidence.clone(),
            reproduce: finding.reproduce.clone(),
            ..Finding::new(Kind::Victim, test, suite.id(test))
        };
        finding_value(&suite, &finding)
    });
    let findings: Vec<Value> = findings.collect();
    let diff = "--- a/t.py\n+++ b/t.py\n@@ -1,3 +1,3 @@\n import shop\n-shop.TAX = 7\n+pass\n def\n";
    json!({
        "schema": 1,
        "suite": {"driver": "pytest", "tests": 4, "root": "."},
        "tests": suite.tests(),
        "findings": findings,
        "patches": [{"cures": [findings[0]["id"]], "summary": "puts `shop.TAX` back", "text": diff}],
        "repository": {"prefix": "sub/"},
        "version": "0.1.0",
    })
}
