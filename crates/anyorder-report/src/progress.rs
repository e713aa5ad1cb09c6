//! The two lines that are redrawn while orders run, or a plain line now and then where nothing can be redrawn.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyorder_model::{Aim, Plan, Progress, Suite};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::style::{count, spoken};

/// How often a line is printed where lines stay.
const EVERY: Duration = Duration::from_secs(30);

/// Columns before the text of the second line, and those that the bar takes in the first.
const INDENT: usize = 12;
const BAR: usize = 19;

/// Nothing is drawn for work that is over sooner than this.
const GRACE: Duration = Duration::from_secs(1);

pub(crate) struct Meter {
    bar: ProgressBar,
    plan: Plan,
    begun: Instant,
    last_line: Instant,
    is_terminal: bool,
}

impl Meter {
    pub(crate) fn new(plan: Plan, is_terminal: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("   Running  [{bar:16}] {msg}\n            {prefix}")
            .expect("a template of ours")
            .progress_chars("=> ");
        bar.set_style(style);
        Meter { bar, plan, begun: Instant::now(), last_line: Instant::now(), is_terminal }
    }

    /// Redraws, or gives a line to print.
    pub(crate) fn update(&mut self, progress: &Progress, suite: Option<&Arc<Suite>>) -> Option<String> {
        let left = self.left(progress.share);
        if self.is_terminal {
            if self.begun.elapsed() > GRACE && self.bar.is_hidden() {
                self.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            let running = progress.running.zip(suite).map_or("", |(test, suite)| &suite.id(test).0);
            self.bar.set_prefix(fitting(running, INDENT));
            self.bar.set_message(fitting(&self.describe(progress, left), INDENT + BAR));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share of a thousand"
            )]
            self.bar.set_position((progress.share * 1000.0) as u64);
            return None;
        }
        if self.last_line.elapsed() < EVERY {
            return None;
        }
        self.last_line = Instant::now();
        Some(self.describe(progress, left))
    }

    fn left(&self, share: f64) -> Option<Duration> {
        let elapsed = self.begun.elapsed().as_secs_f64();
        let left = elapsed / share - elapsed;
        (share > 0.01 && elapsed > 0.5).then(|| Duration::try_from_secs_f64(left).ok())?
    }

    fn describe(&self, progress: &Progress, left: Option<Duration>) -> String {
        let is_counted = progress.orders_done <= progress.orders;
        let left = left.filter(|_| is_counted);
        let left = left.map_or(String::new(), |left| format!("   about {} left", spoken(left)));
        let Plan { seed, workers, .. } = self.plan;
        let what = if self.plan.aim == Aim::Mutants { "mutant" } else { "order" };
        let orders = if is_counted {
            format!("{}/{}", progress.orders_done, count(progress.orders, what))
        } else {
            count(progress.orders_done, what)
        };
        let strategy = &self.plan.strategy;
        format!("{strategy}: {orders}{left}   seed {seed}   {}", count(workers as u64, "worker"))
    }

    /// Prints something while nothing is drawn.
    pub(crate) fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// As much of `text` as the terminal has room for, after `taken` columns, on one line.
fn fitting(text: &str, taken: usize) -> String {
    let width =
        terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
    let one_line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    one_line.take(width.saturating_sub(taken + 1)).collect()
}
