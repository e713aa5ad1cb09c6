//! What is loaded for the tests of a file, in the old tree and in the new one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyorder_model::{Extension, Profile, Test};
use anyorder_source::{Import, Parts};
use roaring::RoaringBitmap;

use crate::calls::Calls;
use crate::data::{Mentioned, Opening};
use crate::elements::{functions_around, joined, last};
use crate::graph::{Graph, package_of};
use crate::record::Seen;
use crate::stamp::stamps;
use crate::{Changes, Record, Records, Stamp, Tree};

/// Who imports whom, in the old tree and in the new one.
#[derive(Clone, Debug)]
pub struct Imports {
    pub(crate) old: Loaded,
    pub(crate) new: Loaded,
    /// Each as it was seen in its own time; nothing if that is the same.
    apart: Option<Box<[Loaded; 2]>>,
}

impl Imports {
    /// Reads the imports of both trees. What collections were seen to take counts for both.
    pub fn new(old: &Tree, new: &Tree, records: &Records) -> Self {
        let all = records.all();
        let of_time = |tree, record: &Option<Record>| Loaded::new(tree, &record.iter().cloned().collect());
        let is_same = records.then == records.now;
        let apart = (!is_same).then(|| Box::new([of_time(old, &records.then), of_time(new, &records.now)]));
        let is_whole = records.then.is_some() && records.now.is_some();
        let [old, new] = [old, new].map(|tree| Loaded { is_whole, ..Loaded::new(tree, &all) });
        Imports { old, new, apart }
    }

    /// For each of these tests what stands beside its profile if that was made before the change, and if it was made after it.
    pub fn stamps(&self, root: &Path, profiles: &[(&Test, &Profile)]) -> [Vec<Stamp>; 2] {
        self.of_stamps().map(|loaded| stamps(loaded, root, profiles))
    }

    /// What stamps are made of, before the change and after it.
    pub(crate) fn of_stamps(&self) -> [&Loaded; 2] {
        self.apart.as_deref().map_or([&self.old, &self.new], |[old, new]| [old, new])
    }
}

/// Who imports whom in one tree.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) tree: Tree,
    pub(crate) graph: Graph,
    /// Functions that run at import, as files and names, for each file.
    runs: OnceLock<Vec<Vec<(u32, String)>>>,
    records: Arc<[Record]>,
    /// Whether there is a record of every time that counts.
    is_whole: bool,
}

impl Loaded {
    pub(crate) fn new(tree: &Tree, records: &Arc<[Record]>) -> Self {
        let graph = Graph::seen(tree, Seen(records));
        let (records, is_whole) = (Arc::clone(records), !records.is_empty());
        Loaded { tree: tree.clone(), graph, runs: OnceLock::new(), records, is_whole }
    }

    /// What collections were seen to take.
    pub(crate) fn seen(&self) -> Seen<'_> {
        Seen(&self.records)
    }

    /// The functions that run when each file is imported, without those that run for files that it imports.
    pub(crate) fn runs(&self) -> &[Vec<(u32, String)>] {
        self.runs.get_or_init(|| {
            let calls = Calls::new(&self.tree, &self.graph);
            let files = 0..u32::try_from(self.graph.files().len()).expect("fewer than four billion files");
            let named = |(file, name): (u32, &str)| (file, name.to_owned());
            let mut runs: Vec<Vec<(u32, String)>> =
                files.map(|file| calls.at_import_of(file).into_iter().map(named).collect()).collect();
            self.add_seen(&mut runs);
            runs
        })
    }

    /// Functions that ran, and nobody can tell for which file: whoever loads their own is concerned. Where it was seen whenever a
    /// file was loaded which functions run, others do not.
    fn add_seen(&self, runs: &mut [Vec<(u32, String)>]) {
        let known: BTreeSet<(u32, String)> = runs.iter().flatten().cloned().collect();
        let mut added: BTreeSet<(u32, String)> = BTreeSet::new();
        for (file, code) in self.seen().functions() {
            let Some(number) = self.graph.number(file) else { continue };
            added.extend(functions_around(code).into_iter().map(|name| (number, name.to_owned())));
        }
        for (file, run) in self.graph.files().iter().zip(runs.iter_mut()) {
            if self.is_whole && self.seen().tells_functions_of(file) && !self.graph.is_for_all(file) {
                run.retain(|place| added.contains(place));
            }
        }
        for (file, name) in added.difference(&known) {
            runs[*file as usize].push((*file, name.clone()));
        }
    }

    /// Whether some file mentions one of these.
    pub(crate) fn mentions(&self, names: &[&str]) -> bool {
        let mut all = self.tree.python().filter_map(|(_, file)| file.parts());
        all.any(|parts| names.iter().any(|name| parts.names.contains(*name) || parts.strings.contains(*name)))
    }

    /// The files whose import mentions one of these, in what runs there.
    pub(crate) fn mention_at_import(&self, names: &[&str]) -> RoaringBitmap {
        let has = |mentions: &BTreeSet<String>| names.iter().any(|name| mentions.contains(*name));
        let parts = |file: u32| self.tree.parts(&self.graph.files()[file as usize]);
        let at_import = |file: u32| {
            parts(file).is_none_or(|parts| {
                parts.steps.iter().any(|step| has(&step.mentions)) || parts.headers.values().any(has)
            })
        };
        let runs = |file: u32| {
            let mut places = self.runs()[file as usize].iter();
            places.any(|(place, function)| {
                parts(*place).and_then(|parts| parts.part(function)).is_some_and(|part| has(&part.mentions))
            })
        };
        let files = 0..u32::try_from(self.graph.files().len()).expect("fewer than four billion files");
        files.filter(|&file| at_import(file) || runs(file)).collect()
    }

    /// The files that may do something else at import where a name of this one has another value: those that mention it there, or
    /// run a function then that does.
    fn users_at_import(&self, file: u32, name: &str) -> RoaringBitmap {
        let files = self.graph.files();
        let (bound, name) = (name, last(name));
        let loads = |user: u32| self.graph.reach(&files[user as usize]).contains(file);
        let parts = |user: u32| self.tree.parts(&files[user as usize]);
        let takes = |user: u32, import: &Import| {
            let is_all = import.name.as_deref() == Some("*");
            let is_renamed = import.name.as_deref() == Some(name) && import.bound_name() != name;
            // Modules in between may pass it on.
            let from = || self.graph.imported(&files[user as usize], import).into_iter();
            (is_all || is_renamed) && from().any(|from| from == file || loads(from))
        };
        let mentions = |user: u32| {
            parts(user).is_none_or(|parts| {
                mentions_at_import(parts, name, (user == file).then_some(bound))
                    || parts.imports.iter().any(|import| takes(user, import))
            })
        };
        let runs = |user: u32| {
            let mut places = self.runs()[user as usize].iter();
            places.any(|(place, function)| {
                let part = parts(*place).and_then(|parts| parts.part(function));
                part.is_some_and(|part| part.mentions.contains(name))
            })
        };
        // What pytest calls there may run before any test.
        let path = &files[file as usize];
        let is_plugin = path.ends_with("conftest.py") || self.seen().plugins().any(|plugin| plugin == path);
        let is_user = |user: u32| is_plugin && user == file || mentions(user) || runs(user);
        let users = (0..).zip(files).map(|(user, _)| user).filter(|&user| loads(user));
        users.filter(|&user| is_user(user)).collect()
    }

    /// The files that import compiled code of the project.
    pub(crate) fn users_of_extensions(&self) -> BTreeSet<&str> {
        let users = self.tree.python().filter(|(path, file)| {
            let imports = || file.parts().into_iter().flat_map(|parts| &parts.imports);
            self.seen().extensions().any(|extension| imports().any(|import| names(path, import, extension)))
        });
        users.map(|(path, _)| path).collect()
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
            match (&changed.function, &changed.name) {
                (Some(function), _) => runners[&(file, function.as_str())].clone(),
                (None, Some(name)) => self.users_at_import(file, name),
                (None, None) => RoaringBitmap::from_iter([file]),
            }
        });
        let elements = elements.collect();
        let mentioned = (!changes.data.is_empty()).then(|| Mentioned::new(&self.tree, &self.graph));
        let data = mentioned.iter().flat_map(|mentioned| {
            changes.data.iter().map(|path| Opening::new(mentioned, path, &self.graph, self.seen()))
        });
        let data = data.collect();
        Concerned { elements, data }
    }
}

/// Whether code that runs at import mentions a name; but for what binds it, if that is `bound` in this file. Lists of what is
/// public say nothing.
fn mentions_at_import(parts: &Parts, name: &str, bound: Option<&str>) -> bool {
    let is_binding = |other: &str| bound == Some(other);
    let steps = parts.steps.iter().filter(|step| step.binds.as_deref() != Some("__all__"));
    let mut steps = steps.filter(|step| !step.binds.as_deref().is_some_and(is_binding));
    let mut headers = parts.headers.iter().filter(|(function, _)| !is_binding(function));
    steps.any(|step| step.mentions.contains(name)) || headers.any(|(_, mentions)| mentions.contains(name))
}

/// Whether an import of a file means this module, or something in it.
fn names(path: &str, import: &Import, extension: &Extension) -> bool {
    let stem = extension.file.rsplit_once('/').map_or(("", extension.file.as_str()), |parts| parts);
    let stem = joined(stem.0, stem.1.split('.').next().unwrap_or_default());
    let name = import.name.as_deref().unwrap_or_default();
    let words = import.module.split('.').chain([name]).filter(|word| !word.is_empty());
    let mut place = match import.level {
        0 => String::new(),
        level => match package_of(path, level) {
            Some(package) => package,
            None => return false,
        },
    };
    let meant = if import.level == 0 { extension.module.replace('.', "/") } else { stem };
    words.into_iter().any(|word| {
        place = joined(&place, word);
        place == meant
    })
}

/// Files of one tree: whoever loads one of them is concerned.
pub(crate) struct Concerned {
    /// In the sequence of the changes' elements.
    pub(crate) elements: Vec<RoaringBitmap>,
    /// In the sequence of the changes' data.
    pub(crate) data: Vec<Opening>,
}
