//! The page that tells readers of a data set how it was made.

use super::Injection;
use super::metrics::Metrics;
use crate::{Operator, Scope};

pub(super) fn readme(injection: &Injection<'_>, metrics: &Metrics) -> String {
    let Injection { suite, settings, operators, .. } = injection;
    let operators: Vec<String> = operators
        .iter()
        .map(|&operator| format!("- `{}`: {}", operator.name(), Operator::about(operator)))
        .collect();
    let how = match settings.scope {
        Scope::Suite => "a guided hunt over the whole suite".to_owned(),
        Scope::Class => format!(
            "up to {} random orders of the class, or of the file of tests in no class",
            settings.orders
        ),
        Scope::File => format!("up to {} random orders of the file", settings.orders),
    };
    format!(
        "\
# Order-dependent tests, made on purpose

Made by `anyorder inject` from a suite of {tests} tests ({framework}, {language}), seed {seed}.
The seed, the suite and the version of the tool decide every byte of it.

## How

1. A test is stable if it passes {reruns} times alone, twice in a row, and in every order that mutants are tried in. {stable} are.
2. Each mutant has one change, made by one of these operators:

{operators}

3. Each valid mutant was tried alone, and if need be in {how}. A test counts as order-dependent only if
   what it showed alone and in such an order came {times} times more in forks, if the shortest orders that show it did so once in the
   plain runner on the changed files, maybe beside other tests that depend on the same ones, and if the suite without the change
   passes in them.

## Files

| file | holds |
|---|---|
| `mutants/ID.diff` | the change, for `git apply` |
| `mutants.csv` | every mutant and what became of it |
| `order-dependent.csv` | every test that a mutant has made order-dependent, with its partners, cleaners and both orders |
| `dataset.json` | all of this |
| `classes.csv` | what classes of tests are like, and how many order-dependent mutants they have |
| `metrics.json` | the metrics of the FLAKER paper, in percent where they are shares |
| `idoft.csv` | the same tests as rows in the manner of IDoFT |

## What came of it

{mutants} mutants, {valid} of them valid, {od} order-dependent ({share} % of the valid ones).
",
        tests = suite.len(),
        framework = suite.framework,
        language = suite.language,
        seed = settings.seed,
        reruns = settings.reruns,
        stable = metrics.stable_tests,
        operators = operators.join("\n"),
        times = settings.times,
        mutants = metrics.mutants,
        valid = metrics.valid_mutants,
        od = metrics.od_mutants,
        share = metrics.od_mutants_of_valid,
    )
}
