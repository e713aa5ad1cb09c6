//! The flow of data between tests: who writes what others may read.
//!
//! Knows profiles and watched orders. Does not know whether any of it matters.
//!
//! A suite of a thousand tests may have a million such pairs, each through many cells. So places keep their writers and
//! readers apart, and an edge between two tests keeps a few of its cells.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{Cell, Profile, SharedPlace, TestIndex, Watched};
use roaring::RoaringBitmap;

use crate::graph::Edge;

/// How many cells of an edge are kept.
const CELLS: usize = 3;

/// Every place that some test changes, with those who change it and those who may look at it.
#[derive(Default)]
pub struct Flow {
    places: BTreeMap<String, Sharers>,
    all: RoaringBitmap,
}

#[derive(Default)]
struct Sharers {
    writers: RoaringBitmap,
    readers: RoaringBitmap,
    is_read_by_all: bool,
}

impl Flow {
    pub(crate) fn new(profiles: &[Profile]) -> Self {
        Flow::of(profiles.iter().map(|profile| (profile.test, profile)), |_| true)
    }

    /// From these profiles, several perhaps of one test, and those of the cells in them that count.
    pub fn of<'a>(
        profiles: impl Iterator<Item = (TestIndex, &'a Profile)> + Clone,
        counts: impl Fn(&Cell) -> bool,
    ) -> Self {
        let mut of_name: BTreeMap<&str, RoaringBitmap> = BTreeMap::new();
        for (test, profile) in profiles.clone() {
            for name in &profile.reads {
                of_name.entry(name).or_default().insert(test.0);
            }
        }
        let mut places: BTreeMap<String, Sharers> = BTreeMap::new();
        let writes =
            profiles.clone().flat_map(|(test, profile)| profile.writes.iter().map(move |it| (test, it)));
        for (test, write) in writes.filter(|(_, write)| counts(&write.cell)) {
            let sharers = places.entry(write.cell.holder().to_owned()).or_default();
            sharers.writers.insert(test.0);
            sharers.is_read_by_all |= write.cell.names.is_empty();
            for readers in write.cell.names.iter().filter_map(|name| of_name.get(name.as_str())) {
                sharers.readers |= readers;
            }
        }
        Flow { places, all: profiles.map(|(test, _)| test.0).collect() }
    }

    /// What some write and others may read.
    pub fn shared(&self) -> Vec<SharedPlace> {
        let tests = |some: &RoaringBitmap| some.iter().map(TestIndex).collect::<Vec<_>>();
        let shared = self.places.iter().filter(|(_, sharers)| sharers.connects(&self.all));
        let shared = shared.map(|(place, sharers)| SharedPlace {
            place: place.clone(),
            writers: tests(&sharers.writers),
            readers: (!sharers.is_read_by_all).then(|| tests(&sharers.readers)),
        });
        shared.collect()
    }

    /// The pairs of different tests, the first of which writes what the second may read.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = Edge> {
        let mut readers: BTreeMap<u32, RoaringBitmap> = BTreeMap::new();
        for sharers in self.places.values() {
            for writer in &sharers.writers {
                *readers.entry(writer).or_default() |= sharers.readers(&self.all);
            }
        }
        readers.into_iter().flat_map(|(writer, readers)| {
            let others = readers.into_iter().filter(move |&reader| reader != writer);
            others.map(move |reader| (TestIndex(writer), TestIndex(reader)))
        })
    }

    /// Adds what was seen elsewhere.
    pub(crate) fn merge(&mut self, other: Flow) {
        self.all |= other.all;
        for (place, sharers) in other.places {
            let known = self.places.entry(place).or_default();
            known.writers |= sharers.writers;
            known.readers |= sharers.readers;
            known.is_read_by_all |= sharers.is_read_by_all;
        }
    }

    /// Some places that one test writes and another may read.
    pub(crate) fn between(&self, writer: TestIndex, reader: TestIndex) -> Vec<String> {
        let is_between = |(_, sharers): &(&String, &Sharers)| {
            sharers.writers.contains(writer.0) && sharers.readers(&self.all).contains(reader.0)
        };
        self.places.iter().filter(is_between).map(|(place, _)| place.clone()).take(CELLS).collect()
    }
}

impl Sharers {
    fn readers<'a>(&'a self, all: &'a RoaringBitmap) -> &'a RoaringBitmap {
        if self.is_read_by_all { all } else { &self.readers }
    }

    /// Whether two different tests have to do with it.
    fn connects(&self, all: &RoaringBitmap) -> bool {
        let readers = self.readers(all);
        !readers.is_empty() && (self.writers.clone() | readers).len() > 1
    }
}

/// The edges of an order that was watched: each test may read what the last writer of a cell has left there.
#[derive(Default)]
pub(crate) struct Traced {
    edges: BTreeMap<Edge, Vec<usize>>,
    cells: Vec<String>,
    /// The numbers of cells by their names.
    named: BTreeMap<String, BTreeSet<usize>>,
    unnamed: BTreeSet<usize>,
    numbers: BTreeMap<String, usize>,
    last_writer: Vec<TestIndex>,
}

impl Traced {
    /// Notes the next test of the order.
    pub(crate) fn note(&mut self, watched: &Watched) {
        let test = watched.step.test;
        let named = watched.reads.iter().filter_map(|name| self.named.get(name)).flatten();
        let cells: BTreeSet<usize> = named.chain(&self.unnamed).copied().collect();
        for cell in cells.into_iter().filter(|&cell| self.last_writer[cell] != test) {
            let through = self.edges.entry((self.last_writer[cell], test)).or_default();
            if through.len() < CELLS {
                through.push(cell);
            }
        }
        for cell in &watched.writes {
            let number = self.number(&cell.path);
            self.last_writer[number] = test;
            if cell.names.is_empty() {
                self.unnamed.insert(number);
            }
            for name in &cell.names {
                self.named.entry(name.clone()).or_default().insert(number);
            }
        }
    }

    fn number(&mut self, path: &str) -> usize {
        if let Some(&number) = self.numbers.get(path) {
            return number;
        }
        let number = self.cells.len();
        self.numbers.insert(path.to_owned(), number);
        self.cells.push(path.to_owned());
        self.last_writer.push(TestIndex(u32::MAX));
        number
    }

    pub(crate) fn edges(&self) -> impl Iterator<Item = Edge> {
        self.edges.keys().copied()
    }

    /// Some of the cells of an edge.
    pub(crate) fn cells(&self, edge: Edge) -> Vec<String> {
        self.edges.get(&edge).into_iter().flatten().map(|&cell| self.cells[cell].clone()).collect()
    }
}
