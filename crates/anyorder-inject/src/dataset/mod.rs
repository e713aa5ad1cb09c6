//! The data set: mutants and verdicts as files. The same ones give the same bytes; no clock has a say.

mod metrics;
mod readme;
mod statistics;

use anyorder_model::{Kind, Order, Suite, TestIndex, csv_line};
use serde_json::{Value, json};

pub use metrics::{Explaining, Metrics, OperatorMetrics};
pub use statistics::Tested;

use self::metrics::{counts, flaky_of};
use crate::classes::Class;
use crate::stable::{InjectSettings, Leavings};
use crate::verdict::{Fate, Flaky, Verdict};
use crate::{Mutant, Operator};

/// All that a data set is made of.
pub struct Injection<'a> {
    /// The suite as it is.
    pub suite: &'a Suite,
    /// What was chosen.
    pub settings: InjectSettings,
    /// The operators that were chosen.
    pub operators: &'a [Operator],
    /// All mutants that were tried.
    pub mutants: &'a [Mutant],
    /// One for each.
    pub verdicts: &'a [Verdict],
    /// How many tests were looked at before they were changed.
    pub looked_at: usize,
    /// Those of them that are not stable.
    pub left_out: &'a Leavings,
    /// All classes of the suite.
    pub classes: &'a [Class],
}

/// A file of the data set: its path, and what is in it.
pub type DataFile = (String, Vec<u8>);

impl Injection<'_> {
    /// What it comes to.
    pub fn metrics(&self) -> Metrics {
        metrics::metrics(self)
    }

    /// All files.
    pub fn files(&self) -> Vec<DataFile> {
        let metrics = self.metrics();
        let mut files: Vec<DataFile> = self
            .mutants
            .iter()
            .map(|mutant| (format!("mutants/{}.diff", mutant.id()), mutant.diff()))
            .collect();
        let mut add = |name: &str, bytes: Vec<u8>| files.push((name.to_owned(), bytes));
        add("mutants.csv", self.mutant_table());
        add("order-dependent.csv", self.flaky_table());
        add("classes.csv", self.class_table());
        add("idoft.csv", self.idoft_table());
        add("dataset.json", pretty(&self.document(&metrics)));
        add("metrics.json", pretty(&serde_json::to_value(&metrics).unwrap_or_default()));
        add("README.md", readme::readme(self, &metrics).into_bytes());
        files
    }

    fn pairs(&self) -> impl Iterator<Item = (&Mutant, &Verdict)> {
        self.mutants.iter().zip(self.verdicts)
    }

    /// Each test that a mutant has made order-dependent.
    fn flaky(&self) -> impl Iterator<Item = (&Mutant, &Verdict, &Flaky)> {
        self.pairs().flat_map(|(mutant, verdict)| {
            let flaky = flaky_of(&verdict.fate).unwrap_or_default();
            flaky.iter().map(move |flaky| (mutant, verdict, flaky))
        })
    }

    fn ids(&self, tests: &[TestIndex]) -> Vec<&str> {
        tests.iter().map(|&test| self.suite.id(test).0.as_str()).collect()
    }

    fn joined(&self, order: &Order) -> String {
        self.ids(order.tests()).join(" ")
    }

    fn mutant_table(&self) -> Vec<u8> {
        let columns = [
            "id",
            "operator",
            "file",
            "line",
            "function",
            "changed",
            "mutated_tests",
            "verdict",
            "why",
            "orders",
        ];
        let row = |(mutant, verdict): (&Mutant, &Verdict)| {
            vec![
                mutant.id(),
                mutant.operator.name().to_owned(),
                mutant.file.clone(),
                mutant.line.to_string(),
                mutant.function.join("."),
                mutant.words.clone(),
                self.ids(&mutant.tests).join(" "),
                verdict.fate.name().to_owned(),
                why(&verdict.fate),
                verdict.orders.to_string(),
            ]
        };
        table(&columns, self.pairs().map(row))
    }

    fn flaky_table(&self) -> Vec<u8> {
        let columns = [
            "id",
            "operator",
            "file",
            "line",
            "mutated_test",
            "flaky_test",
            "kind",
            "partners",
            "cleaners",
            "failure",
            "signature",
            "orders",
            "seed",
            "passing_order",
            "failing_order",
        ];
        let row = |(mutant, verdict, flaky): (&Mutant, &Verdict, &Flaky)| {
            let partners: Vec<String> =
                flaky.partners.iter().map(|group| self.ids(group).join(" ")).collect();
            vec![
                mutant.id(),
                mutant.operator.name().to_owned(),
                mutant.file.clone(),
                mutant.line.to_string(),
                self.ids(&mutant.tests).join(" "),
                self.suite.id(flaky.test).0.clone(),
                flaky.kind.name().to_owned(),
                partners.join(" | "),
                self.ids(flaky.cleaners.as_deref().unwrap_or_default()).join(" | "),
                failure(flaky).to_owned(),
                flaky.failure.kind.clone(),
                verdict.orders.to_string(),
                self.settings.seed.to_string(),
                self.joined(&flaky.passing),
                self.joined(&flaky.failing),
            ]
        };
        table(&columns, self.flaky().map(row))
    }

    fn class_table(&self) -> Vec<u8> {
        let columns = ["class", "tests", "shared_names", "fixture", "mutants", "order_dependent"];
        let row = |(class, (mutants, od)): (&Class, (usize, usize))| {
            vec![
                class.name.clone(),
                class.tests.len().to_string(),
                class.shared_names.to_string(),
                class.has_fixture.to_string(),
                mutants.to_string(),
                od.to_string(),
            ]
        };
        table(&columns, self.classes.iter().zip(counts(self)).map(row))
    }

    /// The columns of `IDoFT`'s list of Python tests. A mutant is in no repository, so there is neither address nor commit.
    fn idoft_table(&self) -> Vec<u8> {
        let columns = [
            "Project URL",
            "SHA Detected",
            "Pytest Test Name (PathToFile::TestClass::TestMethod or PathToFile::TestMethod)",
            "Category",
            "Status",
            "PR Link",
            "Notes",
        ];
        let row = |(mutant, _, flaky): (&Mutant, &Verdict, &Flaky)| {
            let category = match flaky.kind {
                Kind::Brittle => "OD-Brit",
                Kind::NonIdempotent => "NIO",
                _ => "OD-Vic",
            };
            let note = format!("injected: apply mutants/{}.diff", mutant.id());
            let test = self.suite.id(flaky.test).0.clone();
            vec![String::new(), String::new(), test, category.to_owned(), String::new(), String::new(), note]
        };
        table(&columns, self.flaky().map(row))
    }

    fn document(&self, metrics: &Metrics) -> Value {
        let mutants: Vec<Value> =
            self.pairs().map(|(mutant, verdict)| self.mutant(mutant, verdict)).collect();
        let left_out: Vec<Value> = self
            .left_out
            .iter()
            .map(|(&test, why)| json!({"test": self.suite.id(test), "why": why}))
            .collect();
        json!({
            "schema": 1,
            "suite": {
                "driver": self.suite.driver,
                "framework": self.suite.framework,
                "language": self.suite.language,
                "tests": self.suite.len(),
            },
            "settings": {
                "seed": self.settings.seed,
                "scope": self.settings.scope.name(),
                "orders": self.settings.orders,
                "reruns": self.settings.reruns,
                "times": self.settings.times,
                "operators": self.operators.iter().map(|operator| operator.name()).collect::<Vec<_>>(),
            },
            "unstable": left_out,
            "mutants": mutants,
            "metrics": metrics,
        })
    }

    fn mutant(&self, mutant: &Mutant, verdict: &Verdict) -> Value {
        let flaky = flaky_of(&verdict.fate).unwrap_or_default();
        json!({
            "id": mutant.id(),
            "operator": mutant.operator.name(),
            "file": mutant.file,
            "line": mutant.line,
            "function": mutant.function,
            "changed": mutant.words,
            "mutated_tests": self.ids(&mutant.tests),
            "verdict": verdict.fate.name(),
            "why": why(&verdict.fate),
            "orders": verdict.orders,
            "diff": format!("mutants/{}.diff", mutant.id()),
            "not_looked_into": self.ids(&verdict.not_looked_into),
            "flaky": flaky.iter().map(|flaky| self.flaky_value(flaky)).collect::<Vec<_>>(),
        })
    }

    fn flaky_value(&self, flaky: &Flaky) -> Value {
        let mut value = json!({
            "test": self.suite.id(flaky.test),
            "kind": flaky.kind.name(),
            "partners": flaky.partners.iter().map(|group| self.ids(group)).collect::<Vec<_>>(),
            "failure": failure(flaky),
            "signature": flaky.failure.kind,
            "passing": self.ids(flaky.passing.tests()),
            "failing": self.ids(flaky.failing.tests()),
        });
        if let Some(cleaners) = &flaky.cleaners {
            value["cleaners"] = self.ids(cleaners).into();
        }
        value
    }
}

fn failure(flaky: &Flaky) -> &'static str {
    if flaky.is_assertion() { "assertion" } else { "exception" }
}

/// What there is to say about a verdict in a few words; messages may hold addresses, so there are none.
fn why(fate: &Fate) -> String {
    match fate {
        Fate::Invalid(why) => why.clone(),
        Fate::Killed(signature) => signature.kind.clone(),
        _ => String::new(),
    }
}

fn pretty(value: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// A table with a line for the names of its columns.
fn table(columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Vec<u8> {
    let lines = std::iter::once(csv_line(columns)).chain(rows.into_iter().map(csv_line));
    lines.map(|line| line + "\r\n").collect::<String>().into_bytes()
}
