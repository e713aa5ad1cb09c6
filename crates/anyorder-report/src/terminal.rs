//! The terminal: findings and data on standard output, everything else on standard error.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use anstream::AutoStream;
use anyorder_model::{
    Aim, Cost, Coverage, Differs, Event, Finding, Grade, Kind, News, Outcome, Plan, Profiles, Proposal,
    Repair, RunRecord, Selection, Step, Suite,
};

use crate::finding::story;
use crate::progress::Meter;
use crate::style::{BAD, Color, DIM, GOOD, NAME, WARN, count, grouped, line, spoken};
use crate::{Problem, Sink, cause, dependencies, patch, pollution, profile, selection};

/// How much to print, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct TerminalOptions {
    /// When to colour.
    pub color: Color,
    /// Whether only findings and data are printed.
    pub quiet: bool,
    /// Whether to leave out everything that differs between two equal runs.
    pub no_times: bool,
}

/// Prints events as they come.
pub struct Terminal {
    options: TerminalOptions,
    out: AutoStream<io::Stdout>,
    err: AutoStream<io::Stderr>,
    meter: Option<Meter>,
    suite: Option<Arc<Suite>>,
    differing: u64,
    unsteady: u64,
    plan: Option<Plan>,
    hunt: Option<Hunted>,
    json_has_stdout: bool,
}

/// What a hunt has come to so far.
#[derive(Default)]
struct Hunted {
    suspects: usize,
    findings: Vec<Finding>,
    unconfirmed: Vec<Finding>,
    /// The commit that a change was looked at since.
    since: Option<String>,
    repaired: Option<(Vec<Proposal>, Vec<Repair>)>,
}

/// What is said of a test that depends on nothing.
const NOTHING_TO_EXPLAIN: &str = "nothing to explain: it ends the same alone, again, and behind all others in both directions\n`anyorder hunt` tries more orders";

/// How many suspects are told as they show themselves.
const SUSPECTS: usize = 10;

impl Terminal {
    /// Standard output and standard error of this process.
    pub fn new(options: TerminalOptions) -> Self {
        Terminal {
            out: AutoStream::new(io::stdout(), options.color.choice()),
            err: AutoStream::new(io::stderr(), options.color.choice()),
            options,
            meter: None,
            suite: None,
            differing: 0,
            unsteady: 0,
            plan: None,
            hunt: None,
            json_has_stdout: false,
        }
    }

    /// While a JSON report has standard output for itself, findings go to standard error.
    pub fn leave_stdout_to_json(&mut self, json_has_stdout: bool) {
        self.json_has_stdout = json_has_stdout;
    }

    /// Prints data for other programs; the JSON report has the same data.
    pub fn data(&mut self, text: &str) {
        if self.json_has_stdout {
            return;
        }
        // A reader that has seen enough closes the pipe; that is no error.
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }

    /// Prints data byte by byte: what looks like a colour in it is none of ours.
    pub fn raw(&mut self, text: &str) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// Prints lines for the machine that runs us, which reads both streams.
    pub fn commands(&mut self, text: &str) {
        self.clear();
        if self.json_has_stdout {
            let _ = self.err.write_all(text.as_bytes());
        } else {
            self.data(text);
        }
    }

    /// Prints an error.
    pub fn problem(&mut self, problem: &Problem) {
        self.clear();
        let _ = write!(self.err, "{}", problem.render());
    }

    /// Prints a line that is neither a finding nor data.
    pub fn say(&mut self, verb: &str, text: &str) {
        self.aside(&line(GOOD, verb, text));
    }

    fn aside(&mut self, text: &str) {
        if !self.options.quiet {
            let _ = writeln!(self.err, "{text}");
        }
    }

    fn print(&mut self, text: &str) {
        if self.json_has_stdout {
            self.aside(text);
        } else {
            self.data(&format!("{text}\n"));
        }
    }

    fn clear(&mut self) {
        if let Some(meter) = self.meter.take() {
            meter.clear();
        }
    }

    fn timed(&self, text: String, took: std::time::Duration) -> String {
        if self.options.no_times { text } else { format!("{text}, {}", spoken(took)) }
    }

    fn collected(&mut self, suite: &Arc<Suite>, took: std::time::Duration) {
        let tests = count(suite.len() as u64, "test");
        let text = format!("{tests} ({}, {})", suite.framework, suite.language);
        let text = self.timed(text, took);
        self.aside(&line(GOOD, "Collected", &text));
        for error in &suite.errors {
            self.aside(&line(WARN, "Not read", &format!("{NAME}{}{NAME:#}\n{}", error.at, error.message)));
        }
        if !suite.duplicates.is_empty() {
            let text = format!(
                "{} more than once; only the first of each is used",
                count(suite.duplicates.len() as u64, "id")
            );
            self.aside(&line(WARN, "Collected", &text));
        }
        self.suite = Some(Arc::clone(suite));
    }

    fn differs(&mut self, differs: &Differs) {
        let Some(suite) = self.suite.clone() else { return };
        if differs.repeats == Some(false) {
            self.unsteady += 1;
            return;
        }
        self.differing += 1;
        let orders = count(differs.reached, "order");
        let mut lines = vec![
            format!("{NAME}{}{NAME:#}", suite.id(differs.test)),
            format!("{} in the original order; {} in {orders}", differs.original, differs.tally),
        ];
        lines.extend(differs.first.signature.as_ref().map(ToString::to_string));
        lines.push(match &differs.first.replay {
            Some(replay) => format!("order {}: {replay}", differs.first.number),
            None => format!("first in order {}", differs.first.number),
        });
        self.print(&line(BAD, "Differs", &lines.join("\n")));
    }

    fn replayed(&mut self, record: &RunRecord, command: Option<&str>) {
        let Some(suite) = self.suite.clone() else { return };
        if let Some(command) = command {
            // Not indented: an id may hold a line break, and the command is there to be pasted.
            self.print(&(line(GOOD, "Plain", "") + command));
        }
        for step in
            record.steps.iter().filter(|step| step.outcome != Outcome::Passed || step.output.is_some())
        {
            self.print(&replayed_step(&suite, step));
        }
        let took = record.steps.iter().map(|step| step.duration).sum();
        let summary = self.timed(record.tally().to_string(), took);
        self.print(&line(
            GOOD,
            "Replayed",
            &format!("{}: {summary}", count(record.asked.len() as u64, "test")),
        ));
    }

    fn begin(&mut self, plan: Plan) {
        if !self.options.quiet {
            self.meter = Some(Meter::new(plan, io::stderr().is_terminal()));
        }
    }

    fn news(&mut self, news: &News) {
        let hunt = self.hunt.get_or_insert_default();
        let Some(suite) = &self.suite else { return };
        let text = match news {
            News::Began(station, orders) => {
                self.clear();
                if let Some(plan) = self.plan.clone() {
                    let orders = orders.unwrap_or(0);
                    self.begin(Plan { strategy: station.name().to_owned(), orders, ..plan });
                }
                return;
            }
            News::Baseline { runs, differing } => {
                let text = format!("{} of the original order", count((*runs).into(), "run"));
                let text = match differing.len() {
                    _ if *runs == 1 => text,
                    0 => format!("{text}, all alike"),
                    1 => format!("{text}; 1 test differs between them, and is set aside"),
                    number => format!("{text}; {number} tests differ between them, and are set aside"),
                };
                line(GOOD, "Baseline", &text)
            }
            News::Suspect { test, alone, seen, .. } => {
                hunt.suspects += 1;
                if hunt.suspects > SUSPECTS {
                    return;
                }
                let text = format!("{NAME}{}{NAME:#}   {alone} alone, {seen} after others", suite.id(*test));
                line(WARN, "Suspect", &text)
            }
            News::Replayed { test, kind, holds } => {
                let verdict = if *holds { "still so" } else { "not any more" };
                let text =
                    format!("{NAME}{}{NAME:#}   {} when last seen, {verdict}", suite.id(*test), kind.name());
                line(GOOD, "Known", &text)
            }
            News::Shrunk { .. } | News::Found(_) | News::Unconfirmed(_) => return,
        };
        self.around_meter(&text);
    }

    /// Prints a line that stays, without disturbing the ones that are redrawn.
    fn around_meter(&mut self, text: &str) {
        match &self.meter {
            Some(meter) => meter.suspend(|| {
                if !self.options.quiet {
                    let _ = writeln!(self.err, "{text}");
                }
            }),
            None => self.aside(text),
        }
    }

    /// The verdicts, and how much was looked at.
    fn hunted(&mut self, hunted: &Hunted, coverage: &Coverage, cost: &Cost) {
        let Some(suite) = self.suite.clone() else { return };
        if let Some((proposals, repairs)) = &hunted.repaired {
            let summary = format!("{}\n{}", patch::summary(proposals, repairs), self.spent(cost));
            let story = |suite: &Suite| patch::story(suite, &hunted.findings, proposals, repairs);
            return self.told(story, &summary);
        }
        let is_full = self.plan.as_ref().is_some_and(|plan| plan.aim == Aim::Causes);
        for (heading, findings) in selection::told_apart(&hunted.findings) {
            let heading = heading.map(|(verb, text)| line(GOOD, verb, text)).unwrap_or_default();
            self.print(&format!("{heading}\n{}", story(&suite, &findings, is_full)));
        }
        if !hunted.unconfirmed.is_empty() {
            self.print(&line(WARN, "Doubtful", "seen, but not confirmed by the plain runner"));
            self.print(&story(&suite, &hunted.unconfirmed, false));
        }
        let counts = Kind::ALL.into_iter().filter_map(|kind| {
            let number = hunted.findings.iter().filter(|finding| finding.kind == kind).count();
            (number > 0).then(|| format!("{} {}", grouped(number as u64), kind.counted(number)))
        });
        let counts: Vec<String> = counts.collect();
        let found = if counts.is_empty() { "nothing found".to_owned() } else { counts.join(", ") };
        let tests = count(suite.len() as u64, "test");
        let summary = if is_full {
            let explained = cause::summary(&hunted.findings).unwrap_or(NOTHING_TO_EXPLAIN.to_owned());
            format!("{explained}\n{}", self.spent(cost))
        } else if let Some(since) = &hunted.since {
            let verdict = selection::verdict(&hunted.findings, since);
            format!("{verdict}; {tests}\n{}", self.spent(cost))
        } else {
            format!("{found}; {tests}\n{}", self.effort(coverage, cost))
        };
        self.print(&line(GOOD, "Summary", &summary));
    }

    fn selected(&mut self, selection: &Selection, since: &str, is_all: bool) {
        let Some(suite) = self.suite.clone() else { return };
        let summary = selection::summary(&suite, selection, since);
        if is_all {
            let summary = format!("{summary}{}", selection::proviso(selection));
            return self.told(|suite| selection::story(suite, selection), &summary);
        }
        self.clear();
        self.hunt.get_or_insert_default().since = Some(since.to_owned());
        self.aside(&line(GOOD, "Selected", &summary));
    }

    fn profiled(&mut self, profiles: &Profiles) {
        let no_times = self.options.no_times;
        self.told(
            |suite| profile::story(suite, profiles, no_times),
            &profile::summary(profiles).unwrap_or_default(),
        );
    }

    /// A story of the suite and its summary, as far as there is anything to tell.
    fn told(&mut self, story: impl FnOnce(&Suite) -> String, summary: &str) {
        self.clear();
        let Some(suite) = self.suite.clone() else { return };
        let told = story(&suite);
        if !told.is_empty() {
            self.print(&format!("\n{told}"));
        }
        if !summary.is_empty() {
            self.print(&line(GOOD, "Summary", summary));
        }
    }

    fn finished(&mut self, coverage: Option<&Coverage>, cost: &Cost, stopped_early: Option<&str>) {
        self.clear();
        if let Some(why) = stopped_early {
            self.aside(&line(WARN, "Stopped", &format!("{why} before all orders had run")));
        }
        if self.unsteady > 0 {
            let tests = count(self.unsteady, "test");
            let text =
                format!("{tests} differed, but not when the same order ran again with nothing beside it");
            let hint = "orders that run side by side share disk and network: see whether `--workers 1` helps"
                .to_owned();
            let hint = self.plan.as_ref().filter(|plan| plan.workers > 1).map(|_| &hint);
            self.print(&line(WARN, "Unsteady", &with_hint(&text, hint)));
        }
        let is_told = self.plan.as_ref().is_some_and(|plan| plan.aim == Aim::Dependencies);
        let coverage = coverage.filter(|_| !is_told);
        if let Some((hunted, coverage)) = self.hunt.take().zip(coverage) {
            self.hunted(&hunted, coverage, cost);
        } else if let Some(coverage) = coverage {
            let summary = self.summary(coverage, cost);
            self.print(&line(GOOD, "Summary", &summary));
        }
    }

    fn summary(&self, coverage: &Coverage, cost: &Cost) -> String {
        let tests = self.suite.as_ref().map_or(0, |suite| suite.len() as u64);
        let same = coverage.tests_compared.saturating_sub(self.differing + self.unsteady);
        let rest = match tests.saturating_sub(coverage.tests_compared) {
            0 => String::new(),
            number => format!(", {} were not compared", grouped(number)),
        };
        let first = format!(
            "{} from the original order; {} showed no change{rest}",
            match self.differing {
                1 => "1 test differs".to_owned(),
                number => format!("{} tests differ", grouped(number)),
            },
            grouped(same)
        );
        format!("{first}\n{}", self.effort(coverage, cost))
    }

    /// How much was tried, and what that took.
    fn effort(&self, coverage: &Coverage, cost: &Cost) -> String {
        let share = 100.0 * coverage.pairs_tried as f64 / coverage.pairs.max(1) as f64;
        let second = format!("{}, {share:.1} % of direct successions tried", count(coverage.orders, "order"));
        format!("{second}\n{}", self.spent(cost))
    }

    fn spent(&self, cost: &Cost) -> String {
        let runs = format!(
            "{}, {}, {}",
            count(cost.test_runs, "test run"),
            count(cost.forks, "fork"),
            count(cost.processes, "process")
        );
        let times = format!("; {:.1} s, {:.1} s of CPU", cost.wall_s, cost.cpu_s);
        if self.options.no_times { runs } else { runs + &times }
    }
}

fn replayed_step(suite: &Suite, step: &Step) -> String {
    let style = match step.outcome {
        outcome if outcome.is_red() => BAD,
        Outcome::Passed => GOOD,
        _ => WARN,
    };
    let word = step.outcome.word();
    let verb = word[..1].to_uppercase() + &word[1..];
    let mut lines = vec![format!("{NAME}{}{NAME:#}", suite.id(step.test))];
    lines.extend(step.signature.as_ref().map(ToString::to_string));
    let output = step.output.as_deref().map(str::trim_end).filter(|output| !output.is_empty());
    lines.extend(output.map(|output| format!("{DIM}{output}{DIM:#}")));
    line(style, &verb, &lines.join("\n"))
}

fn with_hint(text: &str, hint: Option<&String>) -> String {
    hint.map_or_else(|| text.to_owned(), |hint| format!("{text}\n{NAME}hint{NAME:#}: {hint}"))
}

impl Sink for Terminal {
    fn hear(&mut self, event: &Event) {
        match event {
            Event::Collected { suite, took } => self.collected(suite, *took),
            Event::Notice { text, hint } => {
                self.aside(&line(WARN, "Notice", &with_hint(text, hint.as_ref())));
            }
            Event::Original { tally, took } => {
                self.clear();
                let text = self.timed(tally.to_string(), *took);
                self.aside(&line(GOOD, "Original", &text));
            }
            Event::Selected { selection, since, is_all } => self.selected(selection, since, *is_all),
            Event::Planned(plan) => {
                self.clear();
                self.differing = 0;
                self.unsteady = 0;
                self.begin(plan.clone());
                self.plan = Some(plan.clone());
                if matches!(plan.aim, Aim::Verdicts | Aim::Causes | Aim::Repairs) {
                    self.hunt.get_or_insert_default();
                }
            }
            Event::Progressed(progress) => {
                let line_to_print =
                    self.meter.as_mut().and_then(|meter| meter.update(progress, self.suite.as_ref()));
                if let Some(text) = line_to_print {
                    self.aside(&line(GOOD, "Running", &text));
                }
            }
            Event::Replayed { record, command } => {
                self.clear();
                self.replayed(record, command.as_deref());
            }
            Event::Differs(differs) => {
                self.clear();
                self.differs(differs);
            }
            Event::News(news) => self.news(news),
            Event::Found(finding) => {
                self.hunt.get_or_insert_default().findings.push((**finding).clone());
            }
            Event::Unconfirmed(finding) => {
                self.hunt.get_or_insert_default().unconfirmed.push((**finding).clone());
            }
            Event::Repaired { proposals, repairs } => {
                self.hunt.get_or_insert_default().repaired = Some((proposals.clone(), repairs.clone()));
            }
            Event::Profiled(profiles) => self.profiled(profiles),
            Event::Depending(found) => {
                self.told(|suite| dependencies::story(suite, found), &dependencies::summary(found));
            }
            Event::Polluted { places, minded, findings } => {
                let summary = pollution::summary(places, minded.as_deref(), findings);
                self.told(|suite| pollution::story(suite, places, minded.as_deref()), &summary);
            }
            Event::Checked { grade, text, hint } => {
                let (style, verb) = match grade {
                    Grade::Good => (GOOD, "Good"),
                    Grade::Warning => (WARN, "Careful"),
                };
                self.print(&line(style, verb, &with_hint(text, hint.as_ref())));
            }
            Event::Finished { coverage, cost, stopped_early } => {
                self.finished(coverage.as_ref(), cost, *stopped_early);
            }
        }
    }
}
