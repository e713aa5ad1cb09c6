//! The agent's sources, embedded in the binary, and the jar that they become on the user's machine.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::SurveyError;
use crate::java::argument_file;
use crate::jdk;

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        &[$((concat!($name, ".java"), include_str!(concat!("../../../agents/junit/src/dev/anyorder/agent/", $name, ".java")))),*]
    };
}

type Sources = &'static [(&'static str, &'static str)];

/// What is always compiled.
const CORE: Sources = sources![
    "Backend",
    "Capture",
    "ClassFile",
    "ClassLog",
    "Classpath",
    "CommandLine",
    "Descriptors",
    "Environment",
    "Family",
    "Fork",
    "Inventory",
    "Json",
    "Keys",
    "Layers",
    "Link",
    "Live",
    "Main",
    "Markers",
    "Outcome",
    "Output",
    "Part",
    "Rehearsal",
    "Script",
    "Seen",
    "SharedMemory",
    "Signature",
    "Stay",
    "Test",
    "Turns",
    "Whole",
    "Wire",
    "Zygote",
];

/// Sources that are compiled where all of these classes are on the class path.
const BACK_ENDS: [(Sources, &[&str]); 3] = [
    (sources!["Three", "ThreeOrFour", "ThreeTree"], &["junit/framework/TestCase.class"]),
    (
        sources!["Four", "FourLeaf", "FourListener", "FourRehearsal", "FourSingles", "FourTree"],
        &["org/junit/runner/Runner.class", "org/junit/runners/ParentRunner.class"],
    ),
    (
        sources!["Jupiter", "JupiterPart", "JupiterRehearsal", "JupiterRequests", "JupiterSlot"],
        &[
            "org/junit/jupiter/engine/JupiterTestEngine.class",
            "org/junit/platform/engine/support/hierarchical/Node.class",
        ],
    ),
];

const MANIFEST: &str = "Manifest-Version: 1.0\n\
    Premain-Class: dev.anyorder.agent.Capture\n\
    Can-Redefine-Classes: false\n\
    Can-Retransform-Classes: false\n";

/// The class that lists and serves.
pub(crate) const MAIN: &str = "dev.anyorder.agent.Main";

/// A name for the sources as they are.
pub(crate) fn version() -> String {
    let mut hasher = blake3::Hasher::new();
    let back_ends = BACK_ENDS.iter().flat_map(|(sources, _)| sources.iter());
    for (name, text) in CORE.iter().chain(back_ends) {
        hasher.update(name.as_bytes()).update(text.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// The agent for JVMs with this class path; compiled at first use, and kept.
pub(crate) fn jar(java_home: Option<&Path>, class_path: &[PathBuf]) -> Result<PathBuf, SurveyError> {
    let compiler = jdk::compiler(java_home).ok_or(SurveyError::NoCompiler)?;
    let mut sources = CORE.to_vec();
    for (back_end, needs) in BACK_ENDS {
        if needs.iter().all(|class| jdk::has_class(class_path, class)) {
            sources.extend(back_end);
        }
    }
    let place = jdk::cache_directory().join("junit");
    let jar = place.join(format!("{}.jar", key(&sources, &compiler, class_path)));
    if !jar.is_file() {
        compile(&compiler, &sources, class_path, &place, &jar)?;
    }
    Ok(jar)
}

/// Differs where the jar may have to.
fn key(sources: &[(&str, &str)], compiler: &Path, class_path: &[PathBuf]) -> String {
    let mut hasher = blake3::Hasher::new();
    for (name, text) in sources {
        hasher.update(name.as_bytes()).update(text.as_bytes());
    }
    hasher.update(jdk::identity(compiler).as_bytes());
    let names = class_path.iter().filter_map(|place| place.file_name()?.to_str());
    for name in names.filter(|name| name.contains("junit") && sources.len() > CORE.len()) {
        hasher.update(name.as_bytes());
    }
    hasher.finalize().to_hex()[..24].to_owned()
}

fn compile(
    compiler: &Path,
    sources: &[(&str, &str)],
    class_path: &[PathBuf],
    place: &Path,
    jar: &Path,
) -> Result<(), SurveyError> {
    fs::create_dir_all(place)?;
    let work = tempfile::tempdir_in(place)?;
    let (source, classes) = (work.path().join("source"), work.path().join("classes"));
    let package = source.join("dev/anyorder/agent");
    fs::create_dir_all(&package)?;
    fs::create_dir_all(&classes)?;
    let mut files = Vec::new();
    for (name, text) in sources {
        files.push(package.join(name));
        fs::write(package.join(name), text)?;
    }
    run_compiler(compiler, &files, class_path, &classes)?;
    let (manifest, made) = (work.path().join("manifest"), work.path().join("agent.jar"));
    fs::write(&manifest, MANIFEST)?;
    let packer = compiler.with_file_name("jar");
    must(
        compiler,
        Command::new(packer).arg("cfm").args([&made, &manifest]).arg("-C").arg(&classes).arg("."),
    )?;
    Ok(fs::rename(made, jar)?)
}

/// Compiles for any Java that can still be met.
fn run_compiler(
    compiler: &Path,
    files: &[PathBuf],
    class_path: &[PathBuf],
    classes: &Path,
) -> Result<(), SurveyError> {
    let mut words: Vec<String> =
        ["--release", "8", "-proc:none", "-nowarn", "-encoding", "UTF-8", "-cp"].map(str::to_owned).to_vec();
    words.extend([join(class_path), "-d".to_owned(), classes.display().to_string()]);
    words.extend(files.iter().map(|file| file.display().to_string()));
    let mut arguments = tempfile::NamedTempFile::new_in(classes)?;
    arguments.write_all(argument_file(&words).as_bytes())?;
    must(compiler, Command::new(compiler).arg(format!("@{}", arguments.path().display())))
}

/// Writes one source file to a directory that does not exist yet, and what it is compiled to beside it.
pub(crate) fn unpack_compiled(
    java_home: &Path,
    (name, text): (&str, &str),
    class_path: &[PathBuf],
    directory: &Path,
) -> Result<(), SurveyError> {
    let compiler = jdk::compiler(Some(java_home)).ok_or(SurveyError::NoCompiler)?;
    let work = tempfile::tempdir_in(directory.parent().unwrap_or(Path::new(".")))?;
    let source = work.path().join(name);
    fs::write(&source, text)?;
    run_compiler(&compiler, &[source], class_path, work.path())?;
    match fs::rename(work.keep(), directory) {
        // Somebody else was quicker.
        Err(_) if directory.join(name).is_file() => Ok(()),
        other => Ok(other?),
    }
}

fn must(compiler: &Path, command: &mut Command) -> Result<(), SurveyError> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let log = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Err(SurveyError::NotCompiled { compiler: compiler.to_owned(), log })
}

/// A class path as one word.
pub(crate) fn join(class_path: &[PathBuf]) -> String {
    class_path.iter().map(|place| place.display().to_string()).collect::<Vec<_>>().join(":")
}
