//! A JVM that forks: the probes on every JDK of this machine that it is claimed for, the rest on the newest.
//! `cargo xtask trial thorough` does all on all of them, and `cargo xtask trial jvm` under load.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use anyorder_testkit::jvm::{COLLECTORS, ForkPrograms, Jdk, SMALL_NUMBERS, ZYGOTE};
use anyorder_testkit::thorough::usually_or_in_trials;

/// Where most is tried: on the newest JDK every day, on all of them in trials.
fn jdks() -> Vec<Jdk> {
    let mut jdks = Jdk::claimed();
    jdks.sort_by_key(|jdk| std::cmp::Reverse(jdk.feature));
    assert!(!jdks.is_empty(), "there is a JDK that forking is claimed for");
    jdks.truncate(usually_or_in_trials(1, jdks.len()));
    jdks
}

/// The collectors that are tried besides that of a zygote: every day the one that most JVMs have by themselves.
fn collectors() -> &'static [&'static str] {
    usually_or_in_trials(&["-XX:+UseG1GC"], &COLLECTORS)
}

/// The programs, compiled once for all tests that run at the same time.
fn programs(jdk: &Jdk) -> Arc<ForkPrograms> {
    static COMPILED: Mutex<BTreeMap<u32, Weak<ForkPrograms>>> = Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let known = compiled.get(&jdk.feature).and_then(Weak::upgrade);
    known.unwrap_or_else(|| {
        let programs = Arc::new(ForkPrograms::compiled(jdk));
        compiled.insert(jdk.feature, Arc::downgrade(&programs));
        programs
    })
}

/// Runs a program on every JDK with every one of these sets of options that it has; what did not end with `status`.
fn wrong(program: &str, options: &[&[&str]], arguments: &[&str], status: i32) -> Vec<String> {
    wrong_by(&["env"], &jdks(), program, options, arguments, status)
}

/// The same, with a command that runs the JVM.
fn wrong_by(
    command: &[&str],
    jdks: &[Jdk],
    program: &str,
    options: &[&[&str]],
    arguments: &[&str],
    status: i32,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for jdk in jdks {
        let programs = programs(jdk);
        for options in options.iter().filter(|options| jdk.has(options)) {
            let (ended, said) = programs.run_by(command, program, options, arguments);
            if ended != Some(status) {
                wrong.push(format!("{program} on {} with {options:?}: {ended:?}\n{said}", jdk.feature));
            }
        }
    }
    wrong
}

#[test]
fn all_that_a_jvm_does_it_does_in_a_fork() {
    let collectors: Vec<&[&str]> = collectors().chunks(1).collect();
    assert_eq!(wrong("Probes", &collectors, &[], 0), [""; 0]);
    assert_eq!(wrong_by(&["env"], &Jdk::claimed(), "Probes", &[&ZYGOTE], &[], 0), [""; 0]);
}

#[test]
fn threads_that_are_busy_go_on_in_a_fork() {
    assert_eq!(wrong("Stress", &[&ZYGOTE], &["40"], 0), [""; 0]);
}

#[test]
fn threads_that_wait_are_not_disturbed() {
    assert_eq!(wrong("Blocked", &[&ZYGOTE], &[], 0), [""; 0]);
}

#[test]
fn forks_read_the_same_jar_at_the_same_time() {
    assert_eq!(wrong("Jars", &[&ZYGOTE], &[], 0), [""; 0]);
}

#[test]
fn a_fork_has_its_own_place_in_files_however_they_were_opened() {
    assert_eq!(wrong("Positions", &[&ZYGOTE], &[], 0), [""; 0]);
}

#[test]
fn threads_come_along_that_have_the_numbers_of_descriptors() {
    assert_eq!(wrong_by(&SMALL_NUMBERS, &jdks(), "Numbers", &[&ZYGOTE], &[], 0), [""; 0]);
}

#[test]
fn a_thread_that_does_not_stop_prevents_the_fork_and_nothing_else() {
    assert_eq!(wrong("Refused", &[&ZYGOTE], &[], 0), [""; 0]);
}

#[test]
fn a_heap_in_shared_memory_is_refused() {
    assert_eq!(wrong("Probes", &[&["-XX:+UseZGC"]], &[], 2), [""; 0]);
}
