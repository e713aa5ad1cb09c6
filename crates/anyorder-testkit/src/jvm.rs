//! JDKs of this machine, and the programs that try how a JVM forks on them (`agents/jvmfork/tests`).

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{env, fs};

use tempfile::TempDir;

use crate::repository;

/// The versions that forking is claimed for.
pub const CLAIMED: [u32; 2] = [17, 25];

/// How a JVM is started that is going to be forked.
pub const ZYGOTE: [&str; 4] =
    ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-XX:+UseTransparentHugePages"];

/// Collectors whose JVMs can be forked. Not every JDK has the last.
pub const COLLECTORS: [&str; 4] =
    ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseShenandoahGC"];

/// Runs a command where numbers of processes begin with 1, as in a container.
pub const SMALL_NUMBERS: [&str; 6] =
    ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];

/// A JDK.
#[derive(Clone, Debug)]
pub struct Jdk {
    /// Where it is.
    pub home: PathBuf,
    /// The first number of its version.
    pub feature: u32,
}

impl Jdk {
    fn at(home: &Path) -> Option<Jdk> {
        let home = home.canonicalize().ok().filter(|home| home.join("bin/javac").is_file())?;
        let release = fs::read_to_string(home.join("release")).ok()?;
        let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION=\""))?;
        let feature = version.split(['.', '"', '-', '+']).next()?.parse().ok()?;
        Some(Jdk { home, feature })
    }

    /// Those of this machine that forking is claimed for, one for each version.
    pub fn claimed() -> Vec<Jdk> {
        let named = env::var_os("JAVA_HOME").map(PathBuf::from);
        let installed =
            fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|entry| entry.path());
        let mut jdks: Vec<Jdk> =
            named.into_iter().chain(installed).filter_map(|home| Jdk::at(&home)).collect();
        jdks.retain(|jdk| CLAIMED.contains(&jdk.feature));
        jdks.sort_by_key(|jdk| jdk.feature);
        jdks.dedup_by_key(|jdk| jdk.feature);
        jdks
    }

    /// Whether its JVM starts with these options.
    pub fn has(&self, options: &[&str]) -> bool {
        let mut java = Command::new(self.home.join("bin/java"));
        let output = java.args(options).arg("-version").stdin(Stdio::null()).output();
        output.is_ok_and(|output| output.status.success())
    }
}

/// The programs of `agents/jvmfork/tests`, compiled.
#[derive(Debug)]
pub struct ForkPrograms {
    jdk: Jdk,
    classes: TempDir,
    library: PathBuf,
}

impl ForkPrograms {
    /// For one JDK.
    pub fn compiled(jdk: &Jdk) -> Self {
        let classes = TempDir::with_prefix("jvmfork").expect("a temporary directory can be made");
        let agent = repository().join("agents/junit/src/dev/anyorder/agent");
        let programs = fs::read_dir(repository().join("agents/jvmfork/tests")).expect("they are there");
        let output = Command::new(jdk.home.join("bin/javac"))
            .args(["-nowarn", "-d"])
            .arg(classes.path())
            .args(["Fork.java", "Script.java", "SharedMemory.java"].map(|name| agent.join(name)))
            .args(programs.flatten().map(|entry| entry.path()))
            .output()
            .expect("the compiler can be started");
        assert!(output.status.success(), "{}", said(&output));
        let library = anyorder_junit::fork_library().expect("the cache can be written to");
        ForkPrograms { jdk: jdk.clone(), classes, library: library.expect("JVMs fork on this machine") }
    }

    /// Runs one of them: how it ended, and what it said.
    pub fn run(&self, program: &str, options: &[&str], arguments: &[&str]) -> (Option<i32>, String) {
        self.run_by(&["env"], program, options, arguments)
    }

    /// The same, by a command that runs others.
    pub fn run_by(
        &self,
        command: &[&str],
        program: &str,
        options: &[&str],
        arguments: &[&str],
    ) -> (Option<i32>, String) {
        let output = Command::new(command[0])
            .args(&command[1..])
            .arg(self.jdk.home.join("bin/java"))
            .args((self.jdk.feature >= 24).then_some("--enable-native-access=ALL-UNNAMED"))
            .arg("-Xmx512m")
            .args(options)
            .arg(format!("-Dlibrary={}", self.library.display()))
            .arg("-cp")
            .arg(self.classes.path())
            .arg(format!("dev.anyorder.agent.{program}"))
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("java can be started");
        (output.status.code(), said(&output))
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
