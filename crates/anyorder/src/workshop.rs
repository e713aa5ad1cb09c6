//! The suite as it is, and as patches would have it: an engine for each.

use std::fs;
use std::path::PathBuf;

use anyorder_engine::{DiskMode, Engine, EngineError, FileChange};
use anyorder_model::{Change, Cost, Halted, Oracle};
use anyorder_repair::{Files, Unopened, Workshop};

use crate::args::SuiteArgs;
use crate::memory::Memory;
use crate::oracle::EngineOracle;
use crate::project::Project;

/// Opens changed copies of one suite.
pub(crate) struct EngineWorkshop<'w, 'a, 's> {
    pub(crate) as_is: &'w mut EngineOracle<'a, 's>,
    pub(crate) project: &'w Project,
    pub(crate) suite: &'w SuiteArgs,
    /// Where paths of changes begin.
    pub(crate) root: PathBuf,
    /// How the suite's files are kept apart.
    pub(crate) disk: DiskMode,
    /// What ran in changed copies.
    pub(crate) spent: Cost,
}

impl Workshop for EngineWorkshop<'_, '_, '_> {
    fn as_is(&mut self) -> &mut dyn Oracle {
        self.as_is
    }

    fn may_call_anything(&self) -> bool {
        self.disk == DiskMode::Overlay
    }

    fn take_time(&mut self) {
        let (begun, _) = self.as_is.limits();
        self.as_is.limit(begun, None);
    }

    fn with(&mut self, changes: &[Change], work: &mut dyn FnMut(&mut dyn Oracle)) -> Result<(), Unopened> {
        self.as_is.halted().map_err(Unopened::Halted)?;
        let engine = self.open(changes)?;
        let files = self.as_is.files().to_owned();
        let (begun, allowance) = self.as_is.limits();
        let memory = Memory::forgetful(engine.suite(), engine.session());
        let root = self.root.clone();
        let mut oracle = EngineOracle::new(&engine, self.as_is.session(), memory, files, root);
        oracle.limit(begun, allowance);
        work(&mut oracle);
        self.spent = self.spent.with_runs_of(engine.cost());
        oracle.trouble.take().map_or(Ok(()), |trouble| Err(Unopened::Refused(format!("{trouble:?}"))))
    }
}

impl EngineWorkshop<'_, '_, '_> {
    fn open(&mut self, changes: &[Change]) -> Result<Engine, Unopened> {
        let changed = |change: &Change| FileChange {
            path: self.root.join(&change.path),
            contents: Some(change.after.clone()),
        };
        let project = self.project.with_changes(changes.iter().map(changed).collect());
        let suites = project.suites(self.as_is.session(), self.suite);
        let mut suites = suites.map_err(|failure| Unopened::Refused(failure.problem.what))?;
        match suites.open_next() {
            Ok(Some(opened)) => Ok(opened.engine),
            Ok(None) => Err(Unopened::Refused("there is no suite any more".to_owned())),
            Err(EngineError::Cancelled) => Err(Unopened::Halted(Halted::Interrupted)),
            Err(error) => Err(Unopened::Refused(error.to_string())),
        }
    }
}

/// Files on disk.
pub(crate) struct Disk {
    /// Where relative paths begin.
    pub(crate) root: PathBuf,
}

impl Files for Disk {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        fs::read(self.root.join(path)).ok()
    }

    fn temporary(&self) -> String {
        std::env::temp_dir().display().to_string().trim_end_matches('/').to_owned()
    }
}

impl anyorder_inject::Files for Disk {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        Files::read(self, path)
    }
}
