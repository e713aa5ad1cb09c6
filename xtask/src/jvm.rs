//! The trial of a JVM that forks: every program of `agents/jvmfork/tests`, on every JDK and collector that is claimed.

use std::time::Instant;

use anyorder_testkit::jvm::{CLAIMED, COLLECTORS, ForkPrograms, Jdk, ZYGOTE};

/// `count` forks under load on each JDK, and every probe with each collector. Whether all went well.
pub(crate) fn forks(count: u64) -> bool {
    let jdks = Jdk::claimed();
    for absent in CLAIMED.iter().filter(|version| jdks.iter().all(|jdk| jdk.feature != **version)) {
        println!("not tried, for lack of a JDK: Java {absent}");
    }
    let count = count.to_string();
    jdks.iter().fold(!jdks.is_empty(), |is_good, jdk| on(jdk, &count) && is_good)
}

fn on(jdk: &Jdk, count: &str) -> bool {
    println!("Java {} ({})", jdk.feature, jdk.home.display());
    let programs = ForkPrograms::compiled(jdk);
    let tried = |program: &str, options: &[&str], arguments: &[&str]| {
        let begun = Instant::now();
        let (status, said) = programs.run(program, options, arguments);
        let last = said.lines().last().unwrap_or_default();
        let name = format!("{program} {}", options[0].trim_start_matches("-XX:+"));
        println!("    {name:26} {last}, {:.0} s", begun.elapsed().as_secs_f64());
        if status != Some(0) {
            println!("{said}");
        }
        status == Some(0)
    };
    let mut is_good = true;
    for collector in COLLECTORS {
        if jdk.has(&[collector]) {
            is_good &= tried("Probes", &[collector], &[]);
        } else {
            println!("    this JDK has no {collector}");
        }
    }
    for program in ["Blocked", "Jars", "Positions", "Refused"] {
        is_good &= tried(program, &ZYGOTE, &[]);
    }
    is_good & tried("Stress", &ZYGOTE, &[count])
}
