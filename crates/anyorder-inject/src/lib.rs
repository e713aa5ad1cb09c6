//! Makes order-dependent tests on purpose: mutants of a stable suite, each with its verdict, as a data set.
//!
//! Knows how tests are kept apart, and what to take away so that they are not. Sees the suite through a bench that runs
//! orders of it, changed or not; does not know processes or disk.

mod assertion;
mod bench;
mod classes;
mod concern;
mod confirm;
mod dataset;
mod generate;
mod judge;
#[cfg(test)]
mod judge_tests;
mod mutant;
mod operators;
mod orders;
mod plain;
mod role;
mod scope;
mod stable;
#[cfg(test)]
mod toy;
mod trial;
mod truth;
mod verdict;

pub use bench::{Ask, Bench, Fitness};
pub use classes::{Class, classes};
pub use dataset::{DataFile, Explaining, Injection, Metrics, OperatorMetrics, Tested};
pub use generate::{Files, mutants, sample};
pub use judge::Judge;
pub use mutant::Mutant;
pub use operators::Operator;
pub use scope::Scope;
pub use stable::{Amount, InjectSettings, Leavings, Unstable, amount, unstable};
pub use verdict::{Fate, Flaky, Verdict};
