//! Findings as a JSON report has them become findings again, so that every format tells them in the same words.
//!
//! The opposite of `finding_json.rs`. A field that cannot be read is one that was not looked for.

use std::cell::RefCell;

use anyorder_model::{
    Acceptance, After, ByPolluter, Cause, Effort, Evidence, Finding, Group, Kind, NotRestored, Order, Rates,
    Reset, Signature, Suite, Test, TestId, TestIndex,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What a document says of a suite.
pub(crate) struct Recalled {
    /// Its tests; those that only findings name stand at the end.
    pub(crate) suite: Suite,
    /// In the sequence of the document.
    pub(crate) findings: Vec<Finding>,
}

impl Recalled {
    /// All that a document says.
    pub(crate) fn of(document: &Value) -> Self {
        let findings = document["findings"].as_array().map_or(&[][..], Vec::as_slice);
        let mut tests: Vec<Test> = field(document, "tests").unwrap_or_default();
        let suite = Suite::new("", tests.clone());
        // Those whose file is gone, or that were not among the targets of the last command.
        let mut others: Vec<TestId> =
            findings.iter().filter_map(|finding| finding_of(&suite, finding).err()).flatten().collect();
        others.sort();
        others.dedup();
        tests.extend(others.into_iter().map(unknown));
        let mut suite = Suite::new(document["suite"]["driver"].as_str().unwrap_or_default(), tests);
        let words = |name: &str| document["suite"][name].as_str().unwrap_or_default().to_owned();
        (suite.framework, suite.language, suite.root) =
            (words("framework"), words("language"), words("root"));
        let findings = findings.iter().filter_map(|finding| finding_of(&suite, finding).ok().flatten());
        let findings = findings.collect();
        Recalled { suite, findings }
    }

    /// What patches there are for a finding.
    pub(crate) fn patches<'a>(
        document: &'a Value,
        finding: &'a Finding,
    ) -> impl Iterator<Item = &'a Value> + use<'a> {
        let patches = document["patches"].as_array().into_iter().flatten();
        let is_cured =
            |patch: &&Value| patch["cures"].as_array().into_iter().flatten().any(|id| *id == *finding.id.0);
        patches.filter(is_cured)
    }
}

/// A test of which nothing but the id is known: its file is what stands before the first colons.
fn unknown(id: TestId) -> Test {
    let file = id.0.split_once("::").map_or("", |(file, _)| file).to_owned();
    Test { group: file.clone(), file, line: 1, markers: vec![], id }
}

/// The finding that `value` is about; nothing if it is of a kind that we do not know. An error has the tests that are not in
/// the suite.
pub fn finding_of(suite: &Suite, value: &Value) -> Result<Option<Finding>, Vec<TestId>> {
    let reader = Reader { suite, unknown: RefCell::default() };
    let finding = reader.finding(value);
    let unknown = reader.unknown.into_inner();
    if unknown.is_empty() { Ok(finding) } else { Err(unknown) }
}

struct Reader<'a> {
    suite: &'a Suite,
    unknown: RefCell<Vec<TestId>>,
}

impl Reader<'_> {
    fn finding(&self, value: &Value) -> Option<Finding> {
        let kind: Kind = field(value, "kind")?;
        let id: TestId = field(value, "test")?;
        // A test that is unknown is noted, and what the finding names besides is read all the same.
        let mut finding = Finding::new(kind, self.test(&id).unwrap_or(TestIndex(0)), &id);
        finding.polluters = self.groups(value, "polluters");
        finding.setters = self.groups(value, "setters");
        finding.cleaners = self.groups(value, "cleaners");
        let rows = value.get("by_polluter").or_else(|| value.get("by_setter")).and_then(Value::as_array);
        let by_polluter = value.get("by_polluter").and(rows).map(|rows| {
            let row = |(at, row): (usize, &Value)| ByPolluter {
                group: field(row, "group").unwrap_or(at),
                cleaners: self.groups(row, "cleaners"),
            };
            rows.iter().enumerate().map(row).filter(|row| row.cleaners.is_some()).collect()
        });
        finding.by_polluter = by_polluter.filter(|rows: &Vec<ByPolluter>| !rows.is_empty());
        let causes: Vec<Cause> = match rows {
            Some(rows) => rows.iter().filter_map(|row| self.cause(row)).collect(),
            None => self.cause(value).into_iter().collect(),
        };
        finding.causes = Some(causes).filter(|causes| !causes.is_empty());
        finding.state = field(value, "state");
        finding.failure = field(value, "failure");
        finding.evidence = value.get("evidence").and_then(|evidence| self.evidence(evidence));
        finding.signature =
            field(value, "signature").map(|message| Signature { message, ..Signature::default() });
        finding.interleaved_only = field(value, "interleaved_only");
        finding.declared = field(value, "declared").unwrap_or(false);
        finding.reproduce = field(value, "reproduce");
        finding.mode = field(value, "mode");
        finding.rates = value.get("rates").map(|rates| self.rates(rates));
        finding.not_searched = field(value, "not_searched").unwrap_or_default();
        finding.unconfirmed = field(value, "unconfirmed");
        finding.age = field(value, "age");
        finding.accepted = value.get("accepted").and_then(|accepted| {
            Some(Acceptance {
                reason: field(accepted, "reason")?,
                expires: field(accepted, "expires"),
                is_expired: field(accepted, "expired")?,
            })
        });
        Some(finding)
    }

    fn test(&self, id: &TestId) -> Option<TestIndex> {
        let index = self.suite.index_of(id);
        if index.is_none() {
            self.unknown.borrow_mut().push(id.clone());
        }
        index
    }

    /// All of them: one that is unknown is noted, and the next ones are looked for, too.
    fn tests(&self, ids: &[TestId]) -> Vec<TestIndex> {
        ids.iter().filter_map(|id| self.test(id)).collect()
    }

    fn groups(&self, value: &Value, name: &str) -> Option<Vec<Group>> {
        let groups: Vec<Vec<TestId>> = field(value, name)?;
        Some(groups.iter().map(|ids| self.tests(ids)).collect())
    }

    fn order(&self, value: &Value, name: &str) -> Option<Order> {
        field(value, name).map(|ids: Vec<TestId>| Order(self.tests(&ids)))
    }

    fn evidence(&self, value: &Value) -> Option<Evidence> {
        Some(Evidence {
            passing: self.order(value, "passing"),
            failing: self.order(value, "failing")?,
            confirmed: field(value, "confirmed"),
            plain_pairs: field(value, "plain_pairs").unwrap_or(0),
        })
    }

    fn cause(&self, value: &Value) -> Option<Cause> {
        let explanation = value.get("explanation")?;
        let resets = explanation["resets"].as_array().into_iter().flatten().map(|reset| Reset {
            cleaner: self.tests(&field::<Vec<TestId>>(reset, "cleaner").unwrap_or_default()),
            cell: field(reset, "cell").unwrap_or_default(),
            written: field(reset, "written"),
        });
        let left = explanation["left"].as_array().into_iter().flatten();
        let left = left
            .filter_map(|left| Some(NotRestored { path: field(left, "cell")?, why: field(left, "why")? }));
        Some(Cause {
            group: field(value, "group").unwrap_or(0),
            state: field(value, "state").unwrap_or_default(),
            cures: field(explanation, "cures").unwrap_or_default(),
            reason: field(explanation, "reason"),
            left: left.collect(),
            resets: resets.collect(),
            effort: serde_json::from_value::<Effort>(explanation.clone()).unwrap_or_default(),
        })
    }

    fn rates(&self, value: &Value) -> Rates {
        let after = value.get("after").and_then(|after| {
            Some(After {
                order: self.order(after, "order")?,
                rate: field(after, "rate")?,
                reference: field(after, "reference")?,
                chance: field(after, "chance")?,
                is_correlated: field(after, "is_correlated")?,
            })
        });
        Rates { alone: field(value, "alone"), suite: field(value, "suite"), after }
    }
}

fn field<T: DeserializeOwned>(value: &Value, name: &str) -> Option<T> {
    serde_json::from_value(value.get(name)?.clone()).ok()
}

#[cfg(test)]
mod tests {
    use anyorder_model::{Age, Rate, State};
    use serde_json::json;

    use super::*;
    use crate::example;
    use crate::finding_json::finding_value;

    /// A finding with as much as one can have.
    fn rich() -> Finding {
        let mut finding = example::victims().remove(0);
        finding.cleaners = Some(vec![vec![TestIndex(2)]]);
        finding.by_polluter = Some(vec![ByPolluter { group: 0, cleaners: finding.cleaners.clone() }]);
        finding.state = Some(vec![State { cell: "shop.TAX".to_owned(), ..State::default() }]);
        let reset = Reset { cleaner: vec![TestIndex(2)], cell: "shop.TAX".to_owned(), written: None };
        finding.causes.as_mut().unwrap()[0].resets = vec![reset];
        finding.failure = Some("E  no".to_owned());
        let order = Order(vec![TestIndex(0), TestIndex(1)]);
        let after =
            After { order, rate: Rate(4, 8), reference: Rate(0, 8), chance: 0.25, is_correlated: false };
        finding.rates = Some(Rates { after: Some(after), ..Rates::default() });
        finding.signature = Some(Signature { message: "ValueError: no".to_owned(), ..Signature::default() });
        finding.age = Some(Age::New);
        let expires = Some("2026-12-31".to_owned());
        finding.accepted = Some(Acceptance { reason: "known".to_owned(), expires, is_expired: true });
        finding
    }

    #[test]
    fn what_was_written_comes_back_as_it_was() {
        let suite = example::suite(&["p", "a", "b"]);
        for finding in [rich(), example::victims().remove(1)] {
            let value = finding_value(&suite, &finding);
            let back = finding_of(&suite, &value).unwrap().unwrap();
            assert_eq!(finding_value(&suite, &back), value);
            assert_eq!(back, finding);
        }
    }

    #[test]
    fn tests_that_are_not_in_the_suite_are_named_and_in_a_document_they_get_a_place() {
        let suite = example::suite(&["p", "a", "b"]);
        let value = finding_value(&suite, &rich());
        let unknown = finding_of(&example::suite(&["a"]), &value).unwrap_err();
        assert!(unknown.contains(&TestId("t.py::p".to_owned())), "{unknown:?}");
        let document = json!({"findings": [value], "tests": example::suite(&["a"]).tests()});
        let recalled = Recalled::of(&document);
        assert_eq!((recalled.suite.len(), recalled.findings.len()), (3, 1));
        assert_eq!(recalled.suite.test(TestIndex(2)).file, "t.py");
    }
}
