//! What outcomes may depend on besides order. Where it has changed, recorded runs are history.

use std::path::Path;

use anyorder_engine::Engine;
use anyorder_store::{Fingerprint, digest_of_sources};

use crate::project::Project;

/// What is told of where other packages are installed.
pub(crate) const INSTALLED: &str = "installed packages";

/// What is installed for the suite.
pub(crate) struct Environment {
    pub(crate) interpreter: String,
    pub(crate) packages: String,
}

impl Environment {
    /// What is other than in a state, if something is.
    pub(crate) fn differs_from(&self, then: &Fingerprint) -> Option<String> {
        if then.interpreter != self.interpreter {
            return Some(self.interpreter.clone());
        }
        (then.packages != self.packages).then(|| INSTALLED.to_owned())
    }
}

/// What is installed for this suite.
pub(crate) fn environment(engine: &Engine) -> Environment {
    let hello = engine.hello();
    let interpreter = format!("{} {}", hello.language, hello.executable);
    Environment { interpreter, packages: engine.driver().packages(hello) }
}

/// The fingerprint of a suite as it is now; `report` is a file or directory that this very command writes.
pub(crate) fn of(
    project: &Project,
    engine: &Engine,
    choice: &[String],
    report: Option<&Path>,
) -> Fingerprint {
    let (hello, settings, driver) = (engine.hello(), engine.settings(), engine.driver());
    let Environment { interpreter, packages } = environment(engine);
    Fingerprint {
        sources: digest_of_sources(&project.directory, report),
        interpreter,
        packages,
        settings: format!(
            "{} {} seed {} timeout {} memory {} {} {}",
            engine.isolation().name(),
            engine.disk().name(),
            settings.seed,
            settings.timeout.as_secs_f64(),
            settings.memory,
            choice.join(" "),
            hello.options.join(" ")
        ),
        agent: format!("{} {}", env!("CARGO_PKG_VERSION"), driver.agent_version()),
    }
}
