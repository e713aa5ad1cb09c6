//! The JSON report, schema 1. Fields may be added, never renamed.

use std::sync::Arc;

use anyorder_model::{
    Aim, Differs, Event, Finding, Grade, Outcome, Profile, Profiles, RunRecord, Suite, Tally, Write,
};
use serde_json::{Map, Value, json};

use crate::Sink;
use crate::dependencies::dependencies_value;
use crate::finding_json::finding_value;
use crate::patch_json::{note_repairs, patches_value};
use crate::pollution::{minded_value, pollution_value};
use crate::selection::selection_value;

/// Gathers events into one JSON document.
#[derive(Debug, Default)]
pub struct JsonReport {
    reports: Vec<Map<String, Value>>,
    suite: Option<Arc<Suite>>,
    with_tests: bool,
}

impl JsonReport {
    /// `with_tests`: whether the tests themselves are part of the report.
    pub fn new(with_tests: bool) -> Self {
        JsonReport { with_tests, ..JsonReport::default() }
    }

    /// The document: the first suite's report; those of further suites under `more`. Which pairs were tried is left out: it is
    /// long, and meant to be drawn.
    pub fn document(&self) -> String {
        let mut reports = self.reports.clone();
        let coverages = reports.iter_mut().filter_map(|report| report.get_mut("coverage")?.as_object_mut());
        coverages.for_each(|coverage| drop(coverage.remove("matrix")));
        format!("{:#}\n", together(reports))
    }

    /// All that was heard.
    pub fn value(&self) -> Value {
        together(self.reports.clone())
    }

    fn begin(&mut self, suite: &Arc<Suite>) {
        let is_without_suite = self.suite.is_none() && !self.reports.is_empty();
        let mut report = if is_without_suite { self.reports.remove(0) } else { Map::new() };
        report.insert("schema".to_owned(), json!(1));
        report.insert("suite".to_owned(), suite_value(suite));
        if self.with_tests {
            report.insert("tests".to_owned(), json!(suite.tests()));
        }
        self.suite = Some(Arc::clone(suite));
        self.reports.push(report);
    }

    fn set(&mut self, field: &str, value: Value) {
        if let Some(report) = self.reports.last_mut() {
            report.insert(field.to_owned(), value);
        }
    }

    fn push_finding(&mut self, field: &str, finding: &Finding) {
        let value = self.suite.as_ref().map(|suite| finding_value(suite, finding));
        self.push(field, value.unwrap_or_default());
    }

    fn push(&mut self, field: &str, value: Value) {
        if self.reports.is_empty() {
            self.reports.push(Map::from_iter([("schema".to_owned(), json!(1))])); // a check of `doctor` before any suite
        }
        let report = self.reports.last_mut().expect("there is one now");
        if let Value::Array(list) = report.entry(field).or_insert_with(|| json!([])) {
            list.push(value);
        }
    }
}

impl Sink for JsonReport {
    fn hear(&mut self, event: &Event) {
        match event {
            Event::Collected { suite, .. } => self.begin(suite),
            Event::Planned(plan) => {
                let fields =
                    json!({"strategy": plan.strategy, "seed": plan.seed, "isolation": plan.isolation});
                self.set("plan", fields);
                if plan.aim == Aim::Pollution {
                    self.set("findings", json!([]));
                } else if matches!(plan.aim, Aim::Verdicts | Aim::Differences | Aim::Causes | Aim::Repairs) {
                    let fields = ["findings", "unconfirmed", "differs"];
                    fields.into_iter().for_each(|field| self.set(field, json!([])));
                }
            }
            Event::Original { tally, .. } => self.set("original", tally_value(tally)),
            Event::Notice { text, .. } => self.push("notices", json!(text)),
            Event::Differs(differs) => {
                let value = self.suite.as_ref().map(|suite| differs_value(suite, differs));
                self.push("differs", value.unwrap_or_default());
            }
            Event::Replayed { record, command } => {
                let value = self.suite.as_ref().map(|suite| run_value(suite, record, command.as_deref()));
                self.push("runs", value.unwrap_or_default());
            }
            Event::Finished { coverage, cost, stopped_early } => {
                if let Some(coverage) = coverage {
                    self.set("coverage", json!(coverage));
                }
                self.set("cost", json!(cost));
                if let Some(why) = stopped_early {
                    self.set("stopped_early", json!(why));
                }
            }
            Event::Profiled(profiles) => {
                let value = self.suite.as_ref().map(|suite| profiles_value(suite, profiles));
                self.set("profiles", value.unwrap_or_default());
                self.set("hidden_writes", json!(profiles.hidden));
            }
            Event::Depending(dependencies) => {
                let value = self.suite.as_ref().map(|suite| dependencies_value(suite, dependencies));
                self.set("dependencies", value.unwrap_or_default());
            }
            Event::Polluted { places, minded, findings } => {
                let value = self.suite.as_ref().map(|suite| pollution_value(suite, places));
                self.set("pollution", value.unwrap_or_default());
                if let Some((suite, minded)) = self.suite.clone().zip(minded.as_ref()) {
                    self.set("minded", minded_value(&suite, minded));
                }
                findings.iter().for_each(|finding| self.push_finding("findings", finding));
            }
            Event::Repaired { proposals, repairs } => {
                self.set("patches", patches_value(proposals));
                let findings = self.reports.last_mut().and_then(|report| report.get_mut("findings"));
                if let Some(Value::Array(findings)) = findings {
                    note_repairs(findings, proposals, repairs);
                }
            }
            Event::Checked { grade, text, .. } => {
                let grade = match grade {
                    Grade::Good => "good",
                    Grade::Warning => "careful",
                };
                self.push("checks", json!({"grade": grade, "text": text}));
            }
            Event::Found(finding) => self.push_finding("findings", finding),
            Event::Unconfirmed(finding) => self.push_finding("unconfirmed", finding),
            Event::Selected { selection, since, .. } => {
                let value = self.suite.as_ref().map(|suite| selection_value(suite, selection, since));
                self.set("selection", value.unwrap_or_default());
            }
            Event::Progressed(_) | Event::News(_) => {}
        }
    }
}

/// The reports of several suites in one.
fn together(reports: Vec<Map<String, Value>>) -> Value {
    let mut reports = reports.into_iter();
    let mut first = reports.next().unwrap_or_default();
    let more: Vec<Value> = reports.map(Value::Object).collect();
    if !more.is_empty() {
        first.insert("more".to_owned(), Value::Array(more));
    }
    Value::Object(first)
}

fn profiles_value(suite: &Suite, profiles: &Profiles) -> Value {
    let write = |write: &Write| {
        let Write { cell, is_torn_down, is_unstable, is_elsewhere } = write;
        json!({
            "cell": cell.path,
            "kind": cell.kind,
            "before": cell.before,
            "after": cell.after,
            "names": cell.names,
            "key": cell.key,
            "torn_down": is_torn_down,
            "unstable": is_unstable,
            "elsewhere": is_elsewhere,
        })
    };
    let one = |profile: &Profile| {
        let mut value = json!({
            "test": suite.id(profile.test),
            "alone": profile.alone.outcome,
            "seconds": profile.alone.duration.as_secs_f64(),
            "writes": profile.writes.iter().map(write).collect::<Vec<_>>(),
            "reads": profile.reads,
            "code": profile.code,
        });
        if let Some(signature) = &profile.alone.signature {
            value["signature"] = json!(signature);
        }
        if let Some(again) = profile.again {
            value["again"] = json!(again);
        }
        value
    };
    profiles.profiles.iter().map(one).collect()
}

fn suite_value(suite: &Suite) -> Value {
    json!({
        "driver": suite.driver,
        "tests": suite.len(),
        "root": suite.root,
        "framework": suite.framework,
        "language": suite.language,
        "errors": suite.errors,
        "duplicates": suite.duplicates,
    })
}

fn tally_value(tally: &Tally) -> Value {
    let counts = Outcome::ALL.into_iter().filter(|&outcome| tally.count(outcome) > 0);
    counts.map(|outcome| (outcome_name(outcome), json!(tally.count(outcome)))).collect::<Map<_, _>>().into()
}

fn outcome_name(outcome: Outcome) -> String {
    outcome.word().replace(' ', "-")
}

fn differs_value(suite: &Suite, differs: &Differs) -> Value {
    json!({
        "test": suite.id(differs.test),
        "original": differs.original,
        "outcomes": tally_value(&differs.tally),
        "repeats": differs.repeats,
        "first": {
            "number": differs.first.number,
            "outcome": differs.first.outcome,
            "signature": differs.first.signature,
            "order": differs.first.order.ids(suite),
            "saved": differs.first.saved,
            "replay": differs.first.replay,
        },
    })
}

fn run_value(suite: &Suite, record: &RunRecord, command: Option<&str>) -> Value {
    let step = |step: &anyorder_model::Step| {
        let mut value = json!({
            "test": suite.id(step.test),
            "outcome": step.outcome,
            "seconds": step.duration.as_secs_f64(),
        });
        let fields = [
            ("phase", step.phase.map(|phase| json!(phase))),
            ("signature", step.signature.as_ref().map(|signature| json!(signature))),
            ("output", step.output.as_ref().map(|output| json!(output))),
        ];
        for (name, field) in fields {
            if let Some(field) = field {
                value[name] = field;
            }
        }
        value
    };
    json!({
        "asked": record.asked.ids(suite),
        "ran": record.steps.iter().map(step).collect::<Vec<_>>(),
        "command": command,
    })
}
