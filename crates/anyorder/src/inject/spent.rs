//! What mutants have cost, by what it was for. The clock has no say: CPU time of all processes counts.

use anyorder_model::Order;
use serde::Serialize;

/// Some of what was done, and what it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Post {
    /// How many of them: mutants, suites that were collected, runs.
    pub(crate) many: u64,
    /// Orders that were run.
    pub(crate) orders: u64,
    /// Tests in these orders.
    pub(crate) tests: u64,
    /// Seconds of CPU.
    pub(crate) cpu_s: f64,
}

impl Post {
    /// So many, before anything has run.
    pub(super) fn of(many: usize) -> Self {
        Post { many: many as u64, ..Post::default() }
    }

    /// Orders that will run.
    pub(super) fn of_orders<'o>(orders: impl IntoIterator<Item = &'o Order>) -> Self {
        let add = |post: Post, order: &Order| Post {
            orders: post.orders + 1,
            tests: post.tests + order.len() as u64,
            ..post
        };
        orders.into_iter().fold(Post::default(), add)
    }

    pub(super) fn add(&mut self, more: Post) {
        self.many += more.many;
        self.orders += more.orders;
        self.tests += more.tests;
        self.cpu_s += more.cpu_s;
    }
}

/// What was spent, in this command and not in those before it that it goes on from.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Spent {
    /// Orders of the suite as it is.
    pub(crate) as_is: Post,
    /// Mutants that are swapped in, and their orders.
    pub(crate) swapped: Post,
    /// Mutants whose tree is collected, and their orders.
    pub(crate) collected: Post,
    /// Hunts over mutants' suites.
    pub(crate) hunted: Post,
    /// Runs of the plain runner.
    pub(crate) plain: Post,
}

impl Spent {
    /// What it came to, a line each; nothing where nothing was done.
    pub(crate) fn told(&self) -> Vec<String> {
        let mutants = |post: &Post, what: &str| {
            format!(
                "{:.1} s of CPU for {} mutants {what} and {} orders of them ({} tests): {:.1} ms each",
                post.cpu_s,
                post.many,
                post.orders,
                post.tests,
                milliseconds(post.cpu_s, post.many + post.orders)
            )
        };
        let runs = |post: &Post, many: u64, what: &str| {
            let each = milliseconds(post.cpu_s, many);
            format!("{:.1} s of CPU for {} {what}: {each:.1} ms each", post.cpu_s, many)
        };
        let lines = [
            (self.swapped, mutants(&self.swapped, "in forks")),
            (self.collected, mutants(&self.collected, "that were collected anew")),
            (self.hunted, runs(&self.hunted, self.hunted.many, "hunts over the suite")),
            (self.plain, runs(&self.plain, self.plain.many, "plain runs that confirm them")),
            (self.as_is, runs(&self.as_is, self.as_is.orders, "orders of the suite as it is")),
        ];
        lines.into_iter().filter(|(post, _)| *post != Post::default()).map(|(_, line)| line).collect()
    }
}

fn milliseconds(seconds: f64, many: u64) -> f64 {
    seconds * 1000.0 / many.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutants_and_orders_are_counted_alike_and_what_was_not_done_is_not_told() {
        let swapped = Post { many: 10, orders: 30, tests: 90, cpu_s: 0.8 };
        let plain = Post { many: 4, orders: 4, tests: 8, cpu_s: 2.0 };
        let told = Spent { swapped, plain, ..Spent::default() }.told();
        assert_eq!(
            told,
            [
                "0.8 s of CPU for 10 mutants in forks and 30 orders of them (90 tests): 20.0 ms each",
                "2.0 s of CPU for 4 plain runs that confirm them: 500.0 ms each",
            ]
        );
    }
}
