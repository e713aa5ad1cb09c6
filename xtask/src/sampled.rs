//! One commit as a whole: what a hunt costs and finds there, what each way to select does, and pairs of tests before and after.
//!
//! Knows how to ask for all of that. What it comes to is for `variants.rs` to say.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_engine::{Isolation, Settings};
use anyorder_model::{Order, Outcome, Suite, TestId, TestIndex};
use anyorder_testkit::engine;
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::checked::Project;
use crate::variants::{ASKED, Selection, Sort, VARIANTS, sort};

/// How many orders of the selected tests run, as in the publication.
const ROUNDS: &str = "10";
/// How many pairs of any two tests run, and how many of an affected test with one that is not selected.
const ANY: usize = 300;
const AFFECTED: usize = 300;

/// What came of it; nothing if the suite cannot be collected.
pub(crate) fn sample(project: &Project<'_>, now: &str, answers: &[Value]) -> Option<Value> {
    if let Some(known) = project.history.noted(now, "sample") {
        return Some(known);
    }
    let before = project.history.parent(now);
    project.history.check_out(now);
    let hunt = known_or(project, now, "hunt", || {
        project.put_store_back(None);
        let (cpu_s, report) = project.ask(&["hunt", "--no-explain"])?;
        Some(json!({"cpu_s": cpu_s, "report": report}))
    })?;
    println!("    {} a hunt took {:.0} s of CPU", &now[..10], hunt["cpu_s"].as_f64()?);
    let checks = checks(project, now, &before, answers)?;
    let ours = Selection::new(&answers[ASKED.len() - 1]);
    let pairs = known_or(project, now, "pairs", || Some(compare(project, now, &before, &ours)))?;
    let sample = json!({
        "hunt": hunt, "checks": checks, "pairs": pairs["pairs"], "lost": pairs["lost"],
    });
    project.history.note(now, "sample", &sample);
    Some(sample)
}

fn known_or(
    project: &Project<'_>,
    now: &str,
    what: &str,
    make: impl FnOnce() -> Option<Value>,
) -> Option<Value> {
    project.history.noted(now, what).or_else(|| {
        let made = make()?;
        project.history.note(now, what, &made);
        Some(made)
    })
}

/// Every variant, from what was known before the commit. Those that select the same are one.
fn checks(project: &Project<'_>, now: &str, before: &str, answers: &[Value]) -> Option<Vec<Value>> {
    let mut done: Vec<(Sort, Value)> = Vec::new();
    let mut checks = Vec::new();
    for (select, rts) in VARIANTS {
        let (_, sort) = sort((select, rts), answers)?;
        let same = done.iter().find(|(known, _)| *known == sort).map(|(_, check)| check.clone());
        let check = match same {
            Some(check) => check,
            None => known_or(project, now, &format!("ran-{select}-{rts}"), || {
                project.put_store_back(Some(now));
                let words = ["--rounds", ROUNDS, "--since", before, "--select", select, "--rts", rts];
                let (cpu_s, report) = project.ask(&[&["check", "--no-explain"][..], &words].concat())?;
                println!("    {} {select}, {rts}: {cpu_s:.0} s of CPU", &now[..10]);
                Some(json!({"cpu_s": cpu_s, "report": report}))
            })?,
        };
        checks.push(check.clone());
        done.push((sort, check));
    }
    Some(checks)
}

/// How tests end alone, and behind another.
#[derive(Default)]
struct Ends {
    alone: BTreeMap<TestId, Outcome>,
    behind: BTreeMap<(TestId, TestId), Outcome>,
}

/// Runs tests alone and in pairs before and after the commit. What is lost: a test that ends otherwise alone and is not affected,
/// and a pair that has become or ceased to be order-dependent without being selected.
fn compare(project: &Project<'_>, now: &str, before: &str, ours: &Selection) -> Value {
    project.history.check_out(now);
    let after = ends(project, |suite| chosen(suite, ours));
    project.history.check_out(before);
    let then = ends(project, |suite| {
        let index = |id: &TestId| suite.index_of(id);
        after.behind.keys().filter_map(|(first, second)| Some((index(first)?, index(second)?))).collect()
    });
    project.history.check_out(now);
    let lost: Vec<String> = lost(&then, &after, ours);
    println!("    {} {} pairs, lost {}", &now[..10], then.behind.len(), lost.len());
    json!({"pairs": then.behind.len(), "lost": lost})
}

fn lost(then: &Ends, after: &Ends, ours: &Selection) -> Vec<String> {
    let alone = then.alone.iter().filter_map(|(test, was)| Some((test, was, after.alone.get(test)?)));
    let alone = alone.filter(|(test, was, is)| was != is && !ours.affected.contains(&test.0));
    let mut lost: Vec<String> =
        alone.map(|(test, was, is)| format!("{test} alone: {is:?}, was {was:?}")).collect();
    let depends = |ends: &Ends, pair: &(TestId, TestId)| {
        let alone = ends.alone.get(&pair.1)?;
        Some(alone != ends.behind.get(pair)?)
    };
    for pair in after.behind.keys() {
        let is_selected = [&pair.0, &pair.1].iter().all(|id| ours.all.contains(&id.0));
        if let (Some(was), Some(is), false) = (depends(then, pair), depends(after, pair), is_selected)
            && was != is
        {
            lost.push(format!("{} behind {} depends on it: {is}, was {was}", pair.1, pair.0));
        }
    }
    lost
}

/// Every test alone, and pairs.
fn ends(project: &Project<'_>, choose: impl FnOnce(&Suite) -> BTreeSet<(TestIndex, TestIndex)>) -> Ends {
    let settings = Settings { isolation: Some(Isolation::Fork), ..Settings::default() };
    let engine =
        engine::open(&project.python, &project.history.tree(), &["-o", "pythonpath=src ."], settings);
    let suite = engine.suite();
    let mut orders: Vec<Vec<Order>> = suite.indices().map(|test| vec![Order(vec![test])]).collect();
    orders.extend(choose(suite).into_iter().map(|(first, second)| vec![Order(vec![first, second])]));
    let mut ends = Ends::default();
    for (order, record) in orders.clone().iter().zip(engine::run(&engine, orders)) {
        let outcome = record.steps.last().map_or(Outcome::NotReached, |step| step.outcome);
        match order[0].tests() {
            [test] => drop(ends.alone.insert(suite.id(*test).clone(), outcome)),
            [first, second] => {
                ends.behind.insert((suite.id(*first).clone(), suite.id(*second).clone()), outcome);
            }
            _ => unreachable!("orders have one test or two"),
        }
    }
    ends
}

/// Pairs of any two tests, and pairs of which one is affected and one is not selected; the same for the same suite.
fn chosen(suite: &Suite, ours: &Selection) -> BTreeSet<(TestIndex, TestIndex)> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let all: Vec<TestIndex> = suite.indices().collect();
    let in_set = |set: &BTreeSet<String>| -> Vec<TestIndex> {
        all.iter().copied().filter(|&test| set.contains(&suite.id(test).0)).collect()
    };
    let (affected, selected) = (in_set(&ours.affected), in_set(&ours.all));
    let others: Vec<TestIndex> = all.iter().copied().filter(|test| !selected.contains(test)).collect();
    let mut pairs = BTreeSet::new();
    for _ in 0..ANY {
        pairs.extend(all.choose(&mut random).copied().zip(all.choose(&mut random).copied()));
    }
    for at in 0..AFFECTED {
        let pair = affected.choose(&mut random).copied().zip(others.choose(&mut random).copied());
        pairs.extend(pair.map(|(one, other)| if at % 2 == 0 { (one, other) } else { (other, one) }));
    }
    pairs.retain(|(first, second)| first != second);
    pairs
}
