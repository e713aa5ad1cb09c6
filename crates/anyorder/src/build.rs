//! Java builds: asks one for its modules, and tells the person who waits what is going on.

use std::time::Duration;

use anyorder_engine::{EngineError, Scratch};
use anyorder_junit::{Build, Module, Stage, Survey};

use anyorder_model::Event;
use anyorder_store::digest_of_sources;

use crate::args::SuiteArgs;
use crate::failure::Failure;
use crate::project::Project;
use crate::session::Session;

/// How often a stage that takes long is mentioned again.
const EVERY: Duration = Duration::from_secs(30);

/// The build that is meant.
pub(crate) fn find(project: &Project, suite: &SuiteArgs) -> Build {
    Build::find(&project.directory, &suite.command, &suite.how.module)
}

/// The modules that are meant, with their tests.
pub(crate) fn modules(
    project: &Project,
    session: &mut Session<'_>,
    suite: &SuiteArgs,
) -> Result<Vec<Module>, Failure> {
    let build = find(project, suite);
    let scratch = Scratch::new().map_err(EngineError::Scratch)?;
    let file = project.state_directory("build")?.join("survey.json");
    let sources = digest_of_sources(&project.directory, session.report_file().as_deref());
    let survey = Survey {
        build: &build,
        modules: &suite.how.module,
        targets: &suite.targets,
        settings: &project.settings,
        kept: Some((&file, &sources)),
    };
    let mut told = (None, Duration::ZERO);
    let modules = survey.carry_out(&scratch, &mut |stage, elapsed| {
        let is_new = told.0.as_ref() != Some(stage);
        if is_new || elapsed >= told.1 + EVERY {
            let since = if is_new { String::new() } else { format!(", for {} s now", elapsed.as_secs()) };
            session.say("Building", &format!("{}{since}", words(stage, &build)));
            told = (Some(stage.clone()), elapsed);
        }
    })?;
    for text in modules.iter().flat_map(|module| module.notices.clone()) {
        session.tell(&Event::Notice { text, hint: None });
    }
    Ok(modules)
}

fn words(stage: &Stage, build: &Build) -> String {
    match stage {
        Stage::Compiling => "the project's own build compiles the tests".to_owned(),
        Stage::Testing => {
            format!("`{}` runs once, on a disk of its own, to see how it runs tests", build.shown())
        }
        Stage::Listing(module) if module == "." => "the tests are listed".to_owned(),
        Stage::Listing(module) => format!("the tests of {module} are listed"),
    }
}
