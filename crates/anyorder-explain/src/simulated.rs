//! A simulated suite: a test whose outcome is a table over the cells that still differ, with nothing hidden from us.

use anyorder_model::{
    Cell, CellKind, Fan, FanRecord, Halted, News, NotRestored, Oracle, Order, Outcome, PlainAsk, PlainSeen,
    Remedy, Signature, Step, Suite, Suspect, TailRecord, Test, TestIndex, Treated, Treatment,
    TreatmentRecord,
};

/// The test whose outcome depends on state.
pub(crate) const TEST: TestIndex = TestIndex(1);

/// How the test ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Pass,
    Fail,
    OtherFailure,
    Skip,
}

/// For each set of cells that still differ, how the test ends.
#[derive(Debug)]
pub(crate) enum Table {
    /// Any way whatsoever, for so many cells.
    Ends(Vec<End>),
    /// It fails while any of these differs; of so many cells.
    FailsWhile(u128, usize),
}

/// The state behind one group of tests: every cell differs then.
#[derive(Debug)]
pub(crate) struct World {
    suite: Suite,
    /// One for each cell that is seen; cells from here on are outside of what is seen.
    pub(crate) seen: usize,
    /// Cells that have a second path.
    pub(crate) aliased: u128,
    /// Cells that cannot be put back.
    pub(crate) stuck: u128,
    pub(crate) table: Table,
    /// From this repetition on the test passes whatever is put back.
    pub(crate) passes_from: u32,
    /// How many remedies may still be asked about.
    pub(crate) patience: usize,
    pub(crate) told: Vec<News>,
}

impl World {
    pub(crate) fn new(seen: usize, table: Table) -> Self {
        let test = |name: &str| Test::in_file(format!("t.py::{name}"), "t.py");
        World {
            suite: Suite::new("simulated", vec![test("group"), test("test")]),
            seen,
            aliased: 0,
            stuck: 0,
            table,
            passes_from: u32::MAX,
            patience: usize::MAX,
            told: vec![],
        }
    }

    /// Every cell differs.
    pub(crate) fn all(&self) -> u128 {
        match &self.table {
            Table::Ends(ends) => ends.len() as u128 - 1,
            Table::FailsWhile(_, cells) => (1 << cells) - 1,
        }
    }

    /// The cells that are seen and can be put back.
    pub(crate) fn restorable(&self) -> u128 {
        ((1 << self.seen) - 1) & !self.stuck
    }

    /// What still differs when these are put back.
    pub(crate) fn without(&self, restored: u128) -> u128 {
        self.all() & !(restored & self.restorable())
    }

    pub(crate) fn end(&self, differing: u128) -> End {
        match &self.table {
            Table::Ends(ends) => ends[usize::try_from(differing).expect("tables are small")],
            Table::FailsWhile(cells, _) if cells & differing != 0 => End::Fail,
            Table::FailsWhile(..) => End::Pass,
        }
    }

    fn mask(&self, paths: &[String]) -> u128 {
        let bit = |at: &usize| paths.iter().any(|path| *path == path_of(*at) || *path == alias_of(*at));
        (0..self.seen).filter(bit).fold(0, |mask, at| mask | 1 << at)
    }

    fn cells(&self) -> Vec<Cell> {
        let cell = |path: String, at: usize| Cell {
            path,
            kind: CellKind::Global,
            before: "0".to_owned(),
            after: "1".to_owned(),
            names: vec![],
            key: String::new(),
            place: at.to_string(),
        };
        let of = |at: usize| {
            let alias = (self.aliased >> at & 1 == 1).then(|| cell(alias_of(at), at));
            std::iter::once(cell(path_of(at), at)).chain(alias)
        };
        (0..self.seen).flat_map(of).collect()
    }

    fn treated(&self, repetition: u32, remedy: &Remedy) -> Treated {
        let restored = match remedy {
            Remedy::Only(paths) => self.mask(paths),
            Remedy::AllBut(paths) => !self.mask(paths) & ((1 << self.seen) - 1),
            Remedy::Perturb(_) | Remedy::Run(_) => {
                unreachable!("causes are looked for among what differs already")
            }
        };
        let failed = (0..self.seen).filter(|at| restored & self.stuck & (1 << at) != 0);
        let failed = failed.map(|at| NotRestored { path: path_of(at), why: "it resists".to_owned() });
        let end = if repetition < self.passes_from { self.end(self.without(restored)) } else { End::Pass };
        Treated { step: step(end), failed: failed.collect(), after: None, read: vec![] }
    }
}

/// The first path of a cell.
pub(crate) fn path_of(cell: usize) -> String {
    format!("shop.c{cell}")
}

fn alias_of(cell: usize) -> String {
    format!("shop.same_as_c{cell}")
}

fn step(end: End) -> Step {
    let (outcome, kind) = match end {
        End::Pass => return Step::bare(TEST, Outcome::Passed),
        End::Fail => (Outcome::Failed, "AssertionError"),
        End::OtherFailure => (Outcome::Failed, "KeyError"),
        End::Skip => (Outcome::Skipped, ""),
    };
    let signature = Signature { kind: kind.to_owned(), ..Signature::default() };
    Step { signature: Some(signature), ..Step::bare(TEST, outcome) }
}

impl Oracle for World {
    fn suite(&self) -> &Suite {
        &self.suite
    }

    fn run(&mut self, fans: Vec<Fan>) -> Result<Vec<FanRecord>, Halted> {
        let end = |order: &Order| self.end(if order.len() > 1 { self.all() } else { 0 });
        let tail = |order: &Order| TailRecord { late: None, steps: vec![step(end(order))] };
        let record = |fan: &Fan| FanRecord { prefix: vec![], tails: fan.tails.iter().map(tail).collect() };
        Ok(fans.iter().map(record).collect())
    }

    fn run_plain(&mut self, _: Vec<PlainAsk>) -> Result<Vec<PlainSeen>, Halted> {
        Err(Halted::Broken)
    }

    fn can_treat(&self) -> bool {
        true
    }

    fn treat(&mut self, treatments: Vec<Treatment>) -> Result<Vec<TreatmentRecord>, Halted> {
        let mut records = Vec::new();
        for treatment in treatments {
            self.patience = self.patience.checked_sub(treatment.remedies.len()).ok_or(Halted::Budget)?;
            records.push(TreatmentRecord {
                seen: 1000,
                differing: Some(Suspect::all(self.cells())),
                late: None,
                treated: treatment
                    .remedies
                    .iter()
                    .map(|one| self.treated(treatment.repetition, one))
                    .collect(),
                written: vec![],
                places: vec![],
                about: vec![],
                seconds: 0.25,
            });
        }
        Ok(records)
    }

    fn spent(&self) -> f64 {
        0.0
    }

    fn tell(&mut self, news: News) {
        self.told.push(news);
    }
}
