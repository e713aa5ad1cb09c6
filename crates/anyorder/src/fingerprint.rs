//! What outcomes may depend on besides order. Where it has changed, recorded runs are history.

use std::path::Path;

use anyorder_engine::Engine;
use anyorder_store::{Fingerprint, digest_of_sources};

use crate::project::Project;

/// The fingerprint of a suite as it is now; `report` is a file that this very command writes.
pub(crate) fn of(project: &Project, engine: &Engine, typed: &[String], report: Option<&Path>) -> Fingerprint {
    let (hello, settings) = (engine.hello(), engine.settings());
    Fingerprint {
        sources: digest_of_sources(&project.directory, report),
        interpreter: format!("{} {}", hello.language, hello.executable),
        packages: packages(&hello.search_path).join(" "),
        settings: format!(
            "{} {} seed {} timeout {} memory {} {} {}",
            engine.isolation().name(),
            engine.disk().name(),
            settings.seed,
            settings.timeout.as_secs_f64(),
            settings.memory,
            typed.join(" "),
            hello.options.join(" ")
        ),
        agent: format!("{} {}", env!("CARGO_PKG_VERSION"), anyorder_pytest::AGENT_VERSION),
    }
}

/// The names of installed distributions, which hold their versions.
fn packages(search_path: &[String]) -> Vec<String> {
    let entries =
        search_path.iter().flat_map(|place| std::fs::read_dir(Path::new(place)).into_iter().flatten());
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let is_distribution = |name: &String| name.ends_with(".dist-info") || name.ends_with(".egg-info");
    let mut names: Vec<String> = names.filter(is_distribution).collect();
    names.sort();
    names.dedup();
    names
}
