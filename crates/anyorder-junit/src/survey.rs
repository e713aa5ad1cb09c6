//! The survey: the user's own build compiles the tests, runs them once in JVMs that are looked at, and the tests are listed.
//!
//! Knows what has to be asked in which order. What builds, JVMs and reports say is known elsewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use anyorder_engine::{Errand, Ran, Scratch, Settings};
use serde_json::json;

use crate::capture::{self, Capture};
use crate::error::{SurveyError, last_lines};
use crate::java::{changes, main_command};
use crate::module::{self, Listing, Module};
use crate::results::{Reports, others_with_reports};
use crate::tool::Build;
use crate::{agent, kept};

/// What is going on, for a person who waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The build compiles.
    Compiling,
    /// The build runs the tests.
    Testing,
    /// A JVM lists the tests of a module.
    Listing(String),
}

/// What it takes to ask a build for its tests.
#[derive(Debug)]
pub struct Survey<'a> {
    /// The build.
    pub build: &'a Build,
    /// Modules that are meant; all, if there are none.
    pub modules: &'a [String],
    /// Tests that are meant; all, if there are none.
    pub targets: &'a [String],
    /// What the user chose.
    pub settings: &'a Settings,
    /// Where the survey is kept, and a digest of the project's sources; a survey of the same sources is not made again.
    pub kept: Option<(&'a Path, &'a str)>,
}

/// The oldest Java that has Unix sockets.
const OLDEST_JAVA: u32 = 16;

/// What the build's own run has shown.
struct Tested {
    modules: Vec<(Capture, Reports)>,
    /// Why some tests are missing, or may be.
    notices: Vec<String>,
}

/// Hears what is going on, and for how long.
pub(crate) type Tell<'a> = &'a mut dyn FnMut(&Stage, Duration);

impl Survey<'_> {
    /// The modules that are meant; `tell` hears what is going on, at the beginning of each stage and ten times a second.
    pub fn carry_out(&self, scratch: &Scratch, tell: Tell<'_>) -> Result<Vec<Module>, SurveyError> {
        let known = self.kept.and_then(|(file, sources)| kept::recall(file, &self.key(sources)));
        let mut modules = match known {
            Some(modules) => modules,
            None => self.ask(scratch, tell)?,
        };
        modules.iter_mut().for_each(|module| module.narrow(self.targets));
        let (with, without): (Vec<Module>, Vec<Module>) =
            modules.into_iter().partition(|module| !module.listing.tests.is_empty());
        // One without tests is enough to say that there are none.
        Ok(if with.is_empty() { without.into_iter().take(1).collect() } else { with })
    }

    /// What a survey depends on, besides what is on the class paths.
    fn key(&self, sources: &str) -> String {
        let home = std::env::var("JAVA_HOME").unwrap_or_default();
        format!("{sources} {} {home} {} {:?}", agent::version(), self.build.shown(), self.modules)
    }

    /// Asks the build, and keeps what it says.
    fn ask(&self, scratch: &Scratch, tell: Tell<'_>) -> Result<Vec<Module>, SurveyError> {
        self.compile(scratch, tell)?;
        let errand = Errand::new(&self.build.directory, self.settings, scratch, &Build::caches())?;
        let Tested { modules: found, notices } = self.test(&errand, scratch, tell)?;
        let found = self.meant(found)?;
        let modules: Result<Vec<Module>, SurveyError> = found
            .into_iter()
            .map(|(capture, reports)| self.list(&errand, scratch, capture, &reports, tell))
            .collect();
        let mut modules = modules?;
        if let Some(first) = modules.first_mut() {
            first.notices.extend(notices);
        }
        if let Some((file, sources)) = self.kept {
            kept::keep(file, &self.key(sources), &modules);
        }
        Ok(modules)
    }

    fn compile(&self, scratch: &Scratch, tell: Tell<'_>) -> Result<(), SurveyError> {
        let Some(command) = self.build.compile() else { return Ok(()) };
        tell(&Stage::Compiling, Duration::ZERO);
        let shown = shown(&command);
        let ran = Errand::in_the_open(self.settings, scratch)
            .run(command, None, |elapsed| tell(&Stage::Compiling, elapsed))?;
        if ran.status.is_some_and(|status| status.success()) {
            return Ok(());
        }
        Err(match self.build.unknown_module(&ran.log) {
            Some(named) => {
                SurveyError::NoModule { named: named.to_owned(), known: self.build.modules_on_disk() }
            }
            None => SurveyError::NotBuilt { command: shown, log: ran.log },
        })
    }

    /// What the build's test JVMs were like, and what it reports of their tests.
    fn test(&self, errand: &Errand, scratch: &Scratch, tell: Tell<'_>) -> Result<Tested, SurveyError> {
        tell(&Stage::Testing, Duration::ZERO);
        let jar = scratch.path().join("capture.jar");
        fs::copy(agent::jar(None, &[])?, &jar)?;
        let mut has_reports = false;
        for insists in [false, true] {
            let captures = scratch.path().join(format!("captures-{insists}"));
            fs::create_dir(&captures)?;
            let begun = fs::metadata(&captures)?.modified()?;
            let mut command = self.build.test(insists);
            let shown = shown(&command);
            watch(&mut command, &jar, &captures);
            let ran = errand.run(command, None, |elapsed| tell(&Stage::Testing, elapsed))?;
            let found = capture::read(&captures)?;
            if !found.is_empty() {
                let modules = with_reports(found, &ran, begun)?;
                let notices = ended_early(&ran).into_iter().chain(self.left_out(&modules, &ran, begun));
                return Ok(Tested { notices: notices.collect(), modules });
            }
            has_reports |=
                !Reports::read(&ran.seen_from_outside(&self.build.directory), &[], begun).classes.is_empty();
            let is_well = ran.status.is_some_and(|status| status.success());
            if insists || !has_reports {
                return Err(if is_well || has_reports {
                    SurveyError::NoWorker { command: shown, log: ran.log, has_reports }
                } else {
                    SurveyError::NotBuilt { command: shown, log: ran.log }
                });
            }
        }
        unreachable!("the second time returns")
    }

    /// Tells of modules whose tests the build ran inside its own JVM, where nobody could look.
    fn left_out(&self, seen: &[(Capture, Reports)], ran: &Ran, begun: SystemTime) -> Option<String> {
        let known: Vec<PathBuf> =
            seen.iter().map(|(capture, _)| ran.seen_from_outside(&capture.module())).collect();
        let others = others_with_reports(&ran.seen_from_outside(&self.build.directory), &known, begun);
        let names: Vec<String> =
            others.iter().map(|module| self.name_of(&self.build.directory.join(module))).collect();
        (!names.is_empty()).then(|| {
            let names = names.join(", ");
            format!(
                "left out, because the build runs their tests inside its own JVM (`forkCount` 0): {names}"
            )
        })
    }

    /// Those of the modules that were named.
    fn meant(&self, mut found: Vec<(Capture, Reports)>) -> Result<Vec<(Capture, Reports)>, SurveyError> {
        let name = |capture: &Capture| self.name_of(&capture.module());
        for named in self.modules {
            if !found.iter().any(|(capture, _)| is_called(&name(capture), named)) {
                let known = found.iter().map(|(capture, _)| name(capture)).collect();
                return Err(SurveyError::NoModule { named: named.clone(), known });
            }
        }
        if !self.modules.is_empty() {
            found.retain(|(capture, _)| self.modules.iter().any(|named| is_called(&name(capture), named)));
        }
        Ok(found)
    }

    fn name_of(&self, module: &Path) -> String {
        let inside = module.strip_prefix(&self.build.directory).unwrap_or(module);
        if inside.as_os_str().is_empty() { ".".to_owned() } else { inside.display().to_string() }
    }

    fn list(
        &self,
        errand: &Errand,
        scratch: &Scratch,
        mut capture: Capture,
        reports: &Reports,
        tell: Tell<'_>,
    ) -> Result<Module, SurveyError> {
        let base = capture.module();
        let name = self.name_of(&base);
        let stage = Stage::Listing(name.clone());
        tell(&stage, Duration::ZERO);
        if capture.java_feature() < OLDEST_JAVA {
            return Err(SurveyError::TooOld { module: name, version: capture.java_version });
        }
        // The whole environment may hold secrets, which are not to be written down.
        let environment = changes(&std::mem::take(&mut capture.environment));
        let jar = agent::jar(Some(&capture.java_home), &capture.class_path)?;
        let (tests, orders) = (scratch.path().join("tests.json"), scratch.path().join("orders.json"));
        let _ = fs::remove_file(&tests);
        let said = json!({
            "mode": "list", "tests": tests, "classes": reports.classes, "root": base,
            "properties": capture.set_properties(), "removed_properties": capture.removed_properties,
        });
        fs::write(&orders, said.to_string())?;
        let command = main_command(&capture, &environment, &jar, &orders, &scratch.path().join("arguments"))?;
        let ran = errand.run(command, Some(self.settings.timeout), |elapsed| tell(&stage, elapsed))?;
        let Ok(text) = fs::read(&tests) else {
            return Err(SurveyError::NotListed { module: name, log: ran.log });
        };
        let mut listing: Listing = serde_json::from_slice(&text).map_err(std::io::Error::from)?;
        reports.arrange(&mut listing.tests);
        let outcomes = reports.outcomes(listing.tests.iter().map(AsRef::as_ref));
        let home = self.build.directory.clone();
        let notices = module::notices(&name, &capture);
        Ok(Module {
            name,
            base,
            home,
            capture,
            environment,
            jar,
            listing,
            outcomes,
            targets: vec![],
            notices,
        })
    }
}

/// Lets every JVM that the build starts look whether it is one that runs tests.
fn watch(command: &mut Command, jar: &Path, captures: &Path) {
    let ours = format!("-javaagent:{}=capture:{}", jar.display(), captures.display());
    let users = std::env::var("JAVA_TOOL_OPTIONS").unwrap_or_default();
    command.env("JAVA_TOOL_OPTIONS", format!("{users} {ours}").trim());
}

/// What a build says that could not run all tests; `maven.test.failure.ignore` leaves only such reasons.
fn ended_early(ran: &Ran) -> Option<String> {
    const SIGNS: [&str; 4] = ["BUILD FAILURE", "crashed", "terminated without", "There was a timeout"];
    let has_ended = !SIGNS.iter().any(|sign| ran.log.contains(sign));
    (!has_ended).then(|| {
        let said = last_lines(&ran.log);
        format!("the build's own run did not get through all tests, so some may be missing here\n{said}")
    })
}

fn with_reports(
    found: Vec<Capture>,
    ran: &Ran,
    begun: SystemTime,
) -> Result<Vec<(Capture, Reports)>, SurveyError> {
    let outside: Vec<PathBuf> = found.iter().map(|one| ran.seen_from_outside(&one.module())).collect();
    let mut all = Vec::new();
    for (capture, module) in found.into_iter().zip(&outside) {
        let others: Vec<PathBuf> = outside.iter().filter(|other| *other != module).cloned().collect();
        let reports = Reports::read(module, &others, begun);
        let capture = match ran.moved() {
            Some((original, copy)) => capture.moved(copy, original),
            None => capture,
        };
        let was_there = |place: &&PathBuf| ran.seen_from_outside(place).is_dir();
        if let Some(missing) = capture.class_path.iter().filter(was_there).find(|place| !place.exists()) {
            return Err(SurveyError::NotThere(missing.clone()));
        }
        all.push((capture, reports));
    }
    Ok(all)
}

/// A module is called by its directory, or by the last part of it.
fn is_called(name: &str, typed: &str) -> bool {
    let typed = typed.trim_matches(['/', ':']).replace(':', "/");
    let typed = typed.strip_prefix("./").unwrap_or(&typed);
    name == typed || name.rsplit('/').next() == Some(typed)
}

fn shown(command: &Command) -> String {
    let words =
        std::iter::once(command.get_program()).chain(command.get_args()).map(|word| word.to_string_lossy());
    words.collect::<Vec<_>>().join(" ")
}
