//! What outcomes may depend on besides order. Where it has changed, recorded runs are history.

use std::path::Path;

use anyorder_engine::Engine;
use anyorder_store::{Fingerprint, digest_of_sources};

use crate::project::Project;

/// The fingerprint of a suite as it is now; `report` is a file that this very command writes.
pub(crate) fn of(
    project: &Project,
    engine: &Engine,
    choice: &[String],
    report: Option<&Path>,
) -> Fingerprint {
    let (hello, settings, driver) = (engine.hello(), engine.settings(), engine.driver());
    Fingerprint {
        sources: digest_of_sources(&project.directory, report),
        interpreter: format!("{} {}", hello.language, hello.executable),
        packages: driver.packages(hello),
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
