//! The baseline file of a project: where it is, and what it says about findings.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyorder_model::{Acceptance, Finding, Suite};
use anyorder_store::{AcceptedFinding, Baseline, Day};

use crate::failure::Failure;
use crate::recorded::now;

/// The reason of a finding that nobody has given one for.
const REASON: &str = "known when the baseline was written";

/// A baseline, and where it is.
pub(crate) struct BaselineFile {
    path: PathBuf,
    baseline: Baseline,
}

impl BaselineFile {
    /// The one that is named, which has to be there unless it is about to be written; else the usual one, if there is one.
    pub(crate) fn read(directory: &Path, named: Option<&Path>, is_written: bool) -> Result<Self, Failure> {
        let path = directory.join(named.unwrap_or(Path::new(Baseline::NAME)));
        let baseline = match fs::read_to_string(&path) {
            Ok(text) => Baseline::parse(&text).map_err(|error| {
                Failure::usage(format!("`{}` is no baseline: {error}", path.display()), error.hint())
            })?,
            Err(error) if error.kind() == ErrorKind::NotFound && (named.is_none() || is_written) => {
                Baseline::default()
            }
            Err(error) => {
                let what = format!("cannot read the baseline `{}`: {error}", path.display());
                return Err(Failure::usage(what, "`--write-baseline` writes one"));
            }
        };
        Ok(BaselineFile { path, baseline })
    }

    /// Notes on findings what it says about them.
    pub(crate) fn apply(&self, findings: &mut [Finding]) {
        let today = Day::at(now());
        for finding in findings {
            finding.accepted = self.baseline.get(&finding.id).map(|accepted| Acceptance {
                reason: accepted.reason.clone(),
                expires: accepted.expires.map(|day| day.to_string()),
                is_expired: accepted.is_expired(today),
            });
        }
    }

    /// Accepts these findings, too, as far as order decides them, and writes it; where it is, and how many there are now.
    pub(crate) fn write(&mut self, suite: &Suite, findings: &[Finding]) -> Result<(&Path, usize), Failure> {
        for finding in findings.iter().filter(|finding| finding.kind.is_order_dependent()) {
            self.baseline.accept(AcceptedFinding {
                id: finding.id.clone(),
                kind: finding.kind,
                test: suite.id(finding.test).clone(),
                reason: REASON.to_owned(),
                expires: None,
            });
        }
        fs::write(&self.path, self.baseline.text()).map_err(|error| {
            let hint = "name a file in a directory that you may write to: `--baseline FILE`";
            Failure::unwritable(&self.path, &error, hint)
        })?;
        Ok((&self.path, self.baseline.len()))
    }
}
