//! What is loaded for the tests of a file, in the old tree and in the new one.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use roaring::RoaringBitmap;

use crate::calls::Calls;
use crate::data::Mentioned;
use crate::graph::Graph;
use crate::{Changes, Tree};

/// Who imports whom, in the old tree and in the new one.
#[derive(Clone, Debug)]
pub struct Imports {
    pub(crate) old: Loaded,
    pub(crate) new: Loaded,
}

impl Imports {
    /// Reads the imports of both trees.
    pub fn new(old: &Tree, new: &Tree) -> Self {
        Imports { old: Loaded::new(old), new: Loaded::new(new) }
    }
}

/// Who imports whom in one tree.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) tree: Tree,
    pub(crate) graph: Graph,
    /// Functions that run at import, as files and names, for each file.
    runs: OnceLock<Vec<Vec<(u32, String)>>>,
}

impl Loaded {
    pub(crate) fn new(tree: &Tree) -> Self {
        Loaded { tree: tree.clone(), graph: Graph::of(tree), runs: OnceLock::new() }
    }

    /// The functions that run when each file is imported, without those that run for files that it imports.
    pub(crate) fn runs(&self) -> &[Vec<(u32, String)>] {
        self.runs.get_or_init(|| {
            let calls = Calls::new(&self.tree, &self.graph);
            let files = 0..u32::try_from(self.graph.files().len()).expect("fewer than four billion files");
            let named = |(file, name): (u32, &str)| (file, name.to_owned());
            files.map(|file| calls.at_import_of(file).into_iter().map(named).collect()).collect()
        })
    }

    /// For each change, the files whose tests it may concern by import alone: `elements` first, then `data`.
    pub(crate) fn concerned(&self, changes: &Changes) -> Concerned {
        let mut runners: BTreeMap<(u32, &str), RoaringBitmap> = BTreeMap::new();
        let numbers = |file: &str| self.graph.number(file);
        for changed in &changes.elements {
            if let (Some(file), Some(function)) = (numbers(&changed.at.file), &changed.function) {
                runners.insert((file, function), RoaringBitmap::new());
            }
        }
        if !runners.is_empty() {
            for (file, run) in (0..).zip(self.runs()) {
                for (place, name) in run {
                    if let Some(runners) = runners.get_mut(&(*place, name.as_str())) {
                        runners.insert(file);
                    }
                }
            }
        }
        let elements = changes.elements.iter().map(|changed| {
            let Some(file) = numbers(&changed.at.file) else { return RoaringBitmap::new() };
            match &changed.function {
                Some(function) => runners[&(file, function.as_str())].clone(),
                None => RoaringBitmap::from_iter([file]),
            }
        });
        let elements = elements.collect();
        let mentioned = (!changes.data.is_empty()).then(|| Mentioned::new(&self.tree, &self.graph));
        let data =
            changes.data.iter().map(|path| mentioned.as_ref().expect("there is data").near(path)).collect();
        Concerned { elements, data }
    }
}

/// Files of one tree: whoever loads one of them is concerned.
pub(crate) struct Concerned {
    /// In the sequence of the changes' elements.
    pub(crate) elements: Vec<RoaringBitmap>,
    /// In the sequence of the changes' data.
    pub(crate) data: Vec<RoaringBitmap>,
}
