//! Which cases share plain runs.
//!
//! A plain run costs a new process, whatever it runs, so many cases are put into one order: partners and the tests that they
//! matter to, then the next partners. Knows how such orders are made, and asks forks whether the cases in one disturb
//! each other. Asks the plain runner nothing.

use std::collections::BTreeMap;

use anyorder_model::{Halted, Purpose, TestIndex};

use crate::asker::Asker;
use crate::case::Case;
use crate::confirm::sight_of;
use crate::pair::{Count, Pair};

/// How many cases share a plain run.
const SHARED: usize = 40;

/// Cases, by their places, with the same partners; none, if they are tests that run twice.
#[derive(Clone, Debug)]
struct Cluster {
    partners: Vec<TestIndex>,
    members: Vec<usize>,
}

/// For each case the pair of orders that shows it together with others; nothing if others would disturb it.
pub(crate) fn shared_pairs(asker: &mut Asker<'_>, cases: &[&Case]) -> Result<Vec<Option<Pair>>, Halted> {
    let mut shared = vec![None; cases.len()];
    let (companies, alone): (Vec<_>, Vec<_>) =
        companies(clusters(cases), cases).into_iter().partition(|company| company.len() > 1);
    for company in companies.iter().chain(&alone) {
        share(asker, cases, company, &mut shared)?;
    }
    // Whoever is disturbed by strangers may still go with those that have the same partners.
    for mut cluster in companies.into_iter().flatten() {
        cluster.members.retain(|&at| shared[at].is_none());
        share(asker, cases, &[cluster], &mut shared)?;
    }
    Ok(shared)
}

fn clusters(cases: &[&Case]) -> Vec<Cluster> {
    let mut clusters: BTreeMap<Vec<TestIndex>, Vec<usize>> = BTreeMap::new();
    for (at, case) in cases.iter().enumerate().filter(|(_, case)| case.base.is_empty()) {
        let partners = if case.has_partners() { case.groups[0].clone() } else { vec![] };
        clusters.entry(partners).or_default().push(at);
    }
    let chunks = clusters.iter().flat_map(|(partners, members)| {
        members
            .chunks(SHARED)
            .map(move |chunk| Cluster { partners: partners.clone(), members: chunk.to_vec() })
    });
    chunks.collect()
}

/// Clusters that may run in one order, in which no test runs twice: plain runners drop or refuse repeats.
fn companies(clusters: Vec<Cluster>, cases: &[&Case]) -> Vec<Vec<Cluster>> {
    let mut companies: Vec<Vec<Cluster>> = Vec::new();
    for cluster in clusters {
        let company = companies.iter_mut().find(|company| may_join(&cluster, company, cases));
        match company {
            Some(company) => company.push(cluster),
            None => companies.push(vec![cluster]),
        }
    }
    companies
}

fn may_join(cluster: &Cluster, company: &[Cluster], cases: &[&Case]) -> bool {
    let size: usize = company.iter().map(|other| other.members.len()).sum();
    let tests = |cluster: &Cluster| {
        let members = cluster.members.iter().map(|&at| cases[at].test);
        members.chain(cluster.partners.iter().copied()).collect::<Vec<_>>()
    };
    let own = tests(cluster);
    let is_apart = |other: &Cluster| tests(other).iter().all(|test| !own.contains(test));
    let runs_once = |cluster: &Cluster| !cluster.partners.is_empty();
    size + cluster.members.len() <= SHARED
        && runs_once(cluster)
        && company.iter().all(|other| runs_once(other) && is_apart(other))
}

/// Notes the shared pair for those whose difference it shows in forks.
fn share(
    asker: &mut Asker<'_>,
    cases: &[&Case],
    company: &[Cluster],
    shared: &mut [Option<Pair>],
) -> Result<(), Halted> {
    let members: Vec<usize> = company.iter().flat_map(|cluster| &cluster.members).copied().collect();
    if members.len() < 2 {
        return Ok(());
    }
    let base: Vec<TestIndex> = members.iter().map(|&at| cases[at].test).collect();
    let odd: Vec<TestIndex> = company.iter().flat_map(|cluster| odd_order(cluster, cases)).collect();
    let runs = asker.orders(Purpose::Confirm, 0, vec![odd.clone(), base.clone()])?;
    for at in members {
        let mut count = Count::default();
        count.note(cases[at], &sight_of(&runs[0], cases[at].test), &sight_of(&runs[1], cases[at].test));
        if count.for_it == 1 {
            shared[at] = Some(Pair { odd: odd.clone(), base: base.clone() });
        }
    }
    Ok(())
}

fn odd_order(cluster: &Cluster, cases: &[&Case]) -> Vec<TestIndex> {
    let tests = cluster.members.iter().map(|&at| cases[at].test);
    if cluster.partners.is_empty() {
        tests.flat_map(|test| [test, test]).collect()
    } else {
        cluster.partners.iter().copied().chain(tests).collect()
    }
}
