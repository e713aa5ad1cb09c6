//! From cases to verdicts: what a hunt and a `twice` have in common.
//!
//! Knows the cases that are open and what was found so far, so that a search that has to stop can say all it knows.

use std::collections::BTreeMap;

use anyorder_model::{
    After, Finding, Halted, Kind, Mode, News, Oracle, Rates, Signature, Station, TestIndex,
};
use roaring::RoaringTreemap;

use crate::asker::Asker;
use crate::case::Case;
use crate::confirm::{self, Verdict};
use crate::hunt::HuntReport;
use crate::pair::Pair;
use crate::settings::HuntSettings;

/// All that is known while a search goes on.
pub(crate) struct Judge<'a> {
    asker: Asker<'a>,
    pub(crate) settings: &'a HuntSettings,
    findings: Vec<Finding>,
    unconfirmed: Vec<Finding>,
    /// Tests that differ between identical runs.
    pub(crate) aside: BTreeMap<TestIndex, Rates>,
    /// Fixtures that are to blame, as far as forks can tell.
    pub(crate) charged: Vec<Finding>,
    /// Cases that have no verdict yet.
    pub(crate) open: Vec<Case>,
}

/// Why a finding has no verdict at all.
const ENDED: &str = "the search ended before it was confirmed";
/// Why a finding has no verdict of the plain runner.
pub(crate) const NO_RESULT: &str = "the plain runner came to no result in time";
/// Why a difference cannot be judged.
pub(crate) const HIDDEN: &str = "a time limit, or an error behind the test, hides how it ends";

/// A longer order is not run ten times for the sake of a rate.
const LONGEST_FOR_RATES: usize = 64;

impl<'a> Judge<'a> {
    pub(crate) fn new(oracle: &'a mut dyn Oracle, settings: &'a HuntSettings) -> Self {
        Judge {
            asker: Asker::new(oracle),
            settings,
            findings: Vec::new(),
            unconfirmed: Vec::new(),
            aside: BTreeMap::new(),
            charged: Vec::new(),
            open: Vec::new(),
        }
    }

    pub(crate) fn asker(&mut self) -> &mut Asker<'a> {
        &mut self.asker
    }

    /// Whether a fixture is known to be to blame for this error.
    pub(crate) fn has_charged(&self, signature: &Signature) -> bool {
        let fixtures =
            self.charged.iter().chain(&self.findings).filter(|finding| finding.kind == Kind::Fixture);
        let mut signatures = fixtures.filter_map(|finding| finding.signature.as_ref());
        signatures.any(|other| other.is_same_failure(signature))
    }

    pub(crate) fn found(&mut self, finding: Finding) {
        self.asker.tell(News::Found(Box::new(finding.clone())));
        self.findings.push(finding);
    }

    /// A difference that cannot be relied on.
    pub(crate) fn doubt(&mut self, case: &Case, why: &str) {
        let finding = case.finding(self.asker.suite());
        self.doubt_finding(finding, why);
    }

    pub(crate) fn doubt_finding(&mut self, mut finding: Finding, why: &str) {
        finding.unconfirmed = Some(why.to_owned());
        self.asker.tell(News::Unconfirmed(Box::new(finding.clone())));
        self.unconfirmed.push(finding);
    }

    /// A difference that is nothing but a time limit.
    pub(crate) fn doubt_time_limit(&mut self, kind: Kind, test: TestIndex) {
        let finding = Finding::new(kind, test, self.asker.suite().id(test));
        self.doubt_finding(finding, "it only ran into its time limit, which is no evidence");
    }

    /// Whether anything was said about a test already.
    pub(crate) fn is_known(&self, test: TestIndex) -> bool {
        let mut told = self.findings.iter().chain(&self.unconfirmed);
        self.is_aside(test) || told.any(|finding| finding.test == test && finding.kind != Kind::Fixture)
    }

    /// Whether there is a case for this test.
    pub(crate) fn is_open(&self, test: TestIndex) -> bool {
        self.open.iter().any(|case| case.test == test)
    }

    pub(crate) fn is_aside(&self, test: TestIndex) -> bool {
        self.aside.contains_key(&test)
    }

    /// Runs of one order differ for this test: no order explains it.
    pub(crate) fn set_aside(&mut self, test: TestIndex) -> &mut Rates {
        self.open.retain(|case| case.test != test);
        self.aside.entry(test).or_default()
    }

    pub(crate) fn set_aside_with(&mut self, case: &Case, after: After) {
        let rates = self.set_aside(case.test);
        rates.alone = case.base.is_empty().then_some(after.reference).or(rates.alone);
        rates.after = Some(after);
    }

    /// Sets a test aside that did not end the same again after `before`, and measures how often it does.
    ///
    /// If each order ends the same all the time, nothing shows that chance is at work, and it is doubted instead.
    pub(crate) fn set_aside_after(&mut self, case: &Case, before: &[TestIndex]) -> Result<(), Halted> {
        self.open.retain(|open| (open.test, open.kind) != (case.test, case.kind));
        if before.len() > LONGEST_FOR_RATES {
            self.set_aside(case.test);
            return Ok(());
        }
        let after = confirm::rates_in_forks(&mut self.asker, Pair::new(case, before))?;
        if after.rate.is_mixed() || after.reference.is_mixed() {
            self.set_aside_with(case, after);
        } else {
            self.doubt(case, "it was seen once, and not in the same order again");
        }
        Ok(())
    }

    /// Findings of all confirmed cases of tests that mind being run twice.
    pub(crate) fn find_twice(&mut self, mode: Mode) {
        for case in self.take(|case| !case.has_partners() && case.confirmed.is_some()) {
            let mut finding = case.finding(self.asker.suite());
            finding.mode = Some(mode);
            self.found(finding);
        }
    }

    /// Takes cases out of those that are open.
    pub(crate) fn take(&mut self, wanted: impl Fn(&Case) -> bool) -> Vec<Case> {
        self.open.extract_if(.., |case| wanted(case)).collect()
    }

    /// Sets aside every case that does not come again the same through forks.
    pub(crate) fn confirm_in_forks(&mut self) -> Result<(), Halted> {
        let cases: Vec<&Case> = self.open.iter().filter(|case| !case.groups.is_empty()).collect();
        let agreed = confirm::in_forks(&mut self.asker, &cases, self.settings.fork_pairs)?;
        let cases: Vec<Case> = cases.into_iter().cloned().collect();
        for (case, agreed) in cases.iter().zip(agreed) {
            match agreed {
                Some(true) => {}
                Some(false) => self.set_aside_after(case, &case.groups[0])?,
                None => {
                    self.open.retain(|open| (open.test, open.kind) != (case.test, case.kind));
                    self.doubt(case, HIDDEN);
                }
            }
        }
        Ok(())
    }

    /// Asks the plain runner about every case; what it confirms stays open, the rest gets its verdict.
    pub(crate) fn confirm_plainly(&mut self) -> Result<(), Halted> {
        let is_open_yet = |case: &Case| !case.groups.is_empty() && case.confirmed.is_none();
        let cases: Vec<&Case> = self.open.iter().filter(|case| is_open_yet(case)).collect();
        self.asker
            .begin(Station::Confirm, Some(2 * u64::from(self.settings.plain_pairs) * cases.len() as u64));
        let places: Vec<(TestIndex, Kind)> = cases.iter().map(|case| (case.test, case.kind)).collect();
        let verdicts = confirm::plainly(&mut self.asker, &cases, self.settings.plain_pairs)?;
        for ((test, kind), verdict) in places.into_iter().zip(verdicts) {
            self.settle(test, kind, verdict)?;
        }
        Ok(())
    }

    fn settle(&mut self, test: TestIndex, kind: Kind, verdict: Verdict) -> Result<(), Halted> {
        let Some(at) = self.open.iter().position(|case| case.test == test && case.kind == kind) else {
            return Ok(()); // set aside by another case of the same test
        };
        match verdict {
            Verdict::OrderDecides(confirmed) => self.open[at].confirmed = Some(confirmed),
            Verdict::NonDeterministic(after) => {
                let case = self.open.remove(at);
                self.set_aside_with(&case, after);
            }
            Verdict::NotShown(why) => self.try_other_orders(at, why)?,
        }
        Ok(())
    }

    /// The plain runner may show after a longer order what it does not show after the shortest.
    fn try_other_orders(&mut self, at: usize, why: &str) -> Result<(), Halted> {
        let case = self.open.remove(at);
        for other in case.other_orders() {
            match confirm::plainly(&mut self.asker, &[&other], self.settings.plain_pairs)?.remove(0) {
                Verdict::OrderDecides(confirmed) => {
                    let base = other.base;
                    self.open.insert(at, Case { confirmed: Some(confirmed), base, ..case });
                    return Ok(());
                }
                Verdict::NonDeterministic(after) => {
                    self.set_aside_with(&other, after);
                    return Ok(());
                }
                Verdict::NotShown(_) => {}
            }
        }
        self.doubt(&case, why);
        Ok(())
    }

    /// All that is known.
    pub(crate) fn report(mut self, halted: Option<Halted>) -> HuntReport {
        for case in std::mem::take(&mut self.open) {
            if case.confirmed.is_some() {
                let finding = case.finding(self.asker.suite());
                self.found(finding);
            } else {
                self.doubt(&case, ENDED);
            }
        }
        for finding in std::mem::take(&mut self.charged) {
            self.doubt_finding(finding, ENDED);
        }
        for (test, rates) in std::mem::take(&mut self.aside) {
            let mut finding = Finding::new(Kind::NonDeterministic, test, self.asker.suite().id(test));
            finding.rates = Some(rates);
            self.found(finding);
        }
        let rank = |finding: &Finding| (finding.kind, finding.test);
        self.findings.sort_by_key(rank);
        self.unconfirmed.sort_by_key(rank);
        HuntReport {
            findings: self.findings,
            unconfirmed: self.unconfirmed,
            coverage: self.asker.coverage(&RoaringTreemap::new()),
            stopped_early: halted,
        }
    }
}
