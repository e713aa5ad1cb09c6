//! Carries out one branch of the tree: runs its tests, keeps the state where orders part, hands out what follows.

use std::sync::Arc;

use anyorder_model::{NotSwapped, Order, Outcome, RunRecord, Signature, Step, Swap, TestIndex};

use crate::cost::Meter;
use crate::error::EngineError;
use crate::lab::Lab;
use crate::leg::{Leg, LegEnd, charge_late};
use crate::node::{Node, Permit};
use crate::settings::Isolation;
use crate::tree::{Place, Ticket, Tree, Visit};

/// Something for a worker to do.
pub(crate) struct Task {
    tree: Arc<Tree>,
    isolation: Isolation,
    source: Source,
    /// The way to the source.
    before: Arc<Way>,
    /// Tests to run again first, because the state after them could not be kept.
    replay: Vec<Visit>,
    goal: Goal,
}

/// Where a process in the right state comes from.
#[derive(Clone)]
enum Source {
    /// The fresh state.
    Fresh,
    /// A state that was kept.
    Kept(Arc<Node>),
}

#[derive(Clone, Copy)]
enum Goal {
    /// Run the tests of this branch, and see to all that follows it.
    Walk(Place),
    /// End the orders that end with this branch, whose tests have run.
    End(Place),
}

/// What a worker has found out, and what there is to do next.
#[derive(Default)]
pub(crate) struct Yield {
    pub(crate) records: Vec<(Ticket, RunRecord)>,
    pub(crate) tasks: Vec<Task>,
}

impl Task {
    /// One task for each branch that leaves the root; orders without any test are done at once.
    pub(crate) fn from_root(tree: Tree, isolation: Isolation) -> Yield {
        let tree = Arc::new(tree);
        let root = tree.branch(crate::tree::ROOT);
        let empty = |&ticket: &Ticket| (ticket, RunRecord { asked: Order::default(), steps: vec![] });
        let task = |&place: &Place| Task {
            tree: Arc::clone(&tree),
            isolation,
            source: Source::Fresh,
            before: Arc::default(),
            replay: vec![],
            goal: Goal::Walk(place),
        };
        Yield {
            records: root.ends.iter().map(empty).collect(),
            tasks: root.next.iter().rev().map(task).collect(),
        }
    }

    /// The only desk where this can be done, if there is one.
    pub(crate) fn desk(&self) -> Option<usize> {
        match &self.source {
            Source::Fresh => None,
            Source::Kept(kept) => Some(kept.desk()),
        }
    }

    /// Does the task at a desk. Whatever tests do ends up in records; an error means that nothing can be run any more.
    pub(crate) fn perform(self, lab: &Arc<Lab>, desk: usize) -> Result<Yield, EngineError> {
        let Some(node) = self.process(lab, desk)? else {
            return if lab.halt.is_called() {
                Err(EngineError::Cancelled)
            } else {
                Ok(self.again_from_fresh())
            };
        };
        let mut way = Way::clone(&self.before);
        Ok(match self.goal {
            Goal::Walk(place) => self.walk(lab, node, place, way),
            Goal::End(place) => {
                if self.replay.is_empty() {
                    way.add(&[], node.finish(lab));
                } else {
                    self.run(lab, &node, &self.replay, true, &mut way);
                }
                way.records(self.ends(place))
            }
        })
    }

    /// A process in the right state; `None` if the state that was kept has died.
    fn process(&self, lab: &Arc<Lab>, desk: usize) -> Result<Option<Node>, EngineError> {
        let node = match &self.source {
            Source::Fresh => Some(lab.fresh(self.isolation, desk)?),
            Source::Kept(kept) => {
                lab.bring_back(desk, kept.disk_state())?;
                kept.fork(lab).ok()
            }
        };
        if self.isolation == Isolation::Fork && lab.suspects.are_in(|test| self.tree.has(test)) {
            return Ok(node.and_then(|node| node.into_parent().fork(lab).ok()));
        }
        Ok(node)
    }

    /// The same task after the kept state has died: everything is run again.
    fn again_from_fresh(mut self) -> Yield {
        let known = self.before.planned.iter().copied();
        self.replay = known.chain(std::mem::take(&mut self.replay)).collect();
        self.before = Arc::default();
        self.source = Source::Fresh;
        Yield { records: vec![], tasks: vec![self] }
    }

    fn walk(&self, lab: &Arc<Lab>, node: Node, mut place: Place, mut way: Way) -> Yield {
        let mut replays = Vec::new();
        let mut replay = self.replay.as_slice();
        loop {
            let branch = self.tree.branch(place);
            let is_leaf = branch.next.is_empty();
            let tests = [replay, &branch.tests].concat();
            let seen = way.seen.len();
            let end = self.run(lab, &node, &tests, is_leaf, &mut way);
            Meter::count(&lab.meter.replayed_runs, (way.seen.len() - seen).min(replay.len()));
            replay = &[];
            let gained = match end {
                LegEnd::Ran(gained) => gained,
                LegEnd::Lost | LegEnd::Cancelled => {
                    return way.records(self.tree.orders_below(place)).and(replays);
                }
            };
            if is_leaf {
                return way.records(self.ends(place)).and(replays);
            }
            if self.isolation == Isolation::Fork
                && lab.may_keep(gained)
                && let Ok(disk) = lab.disk.snapshot(node.desk())
            {
                return self.continuations(&node.keep(Permit::new(lab), disk), place, way).and(replays);
            }
            // This state cannot be forked. One continuation uses it up, the others will replay.
            let here = if branch.ends.is_empty() { branch.next.first().copied() } else { None };
            let others = branch.next.iter().filter(|&&next| Some(next) != here);
            replays.extend(others.map(|&next| self.replay_of(&way, Goal::Walk(next))));
            let Some(next) = here else {
                way.add(&[], node.finish(lab));
                return way.records(self.ends(place)).and(replays);
            };
            place = next;
        }
    }

    /// Runs tests in a process, each behind the change that belongs before it; a change that is refused is the end.
    fn run(&self, lab: &Lab, node: &Node, visits: &[Visit], finish: bool, way: &mut Way) -> LegEnd {
        let mut end = LegEnd::Lost;
        let mut stretches = visits.chunk_by(|_, next| next.swap.is_none()).peekable();
        while let Some(stretch) = stretches.next() {
            let swap = stretch[0].swap.map(|place| self.tree.swap(place));
            if let Some(why) = swap.and_then(|swap| refusal(node, lab, swap)) {
                way.planned.extend_from_slice(stretch);
                end = if lab.halt.is_called() { LegEnd::Cancelled } else { LegEnd::Lost };
                way.cancelled = matches!(end, LegEnd::Cancelled);
                way.refused = Some(why);
            } else {
                let tests: Vec<TestIndex> = stretch.iter().map(|visit| visit.test).collect();
                end = way.add(stretch, node.run(lab, &tests, finish && stretches.peek().is_none()));
            }
            if !matches!(end, LegEnd::Ran(_)) {
                stretches.by_ref().for_each(|rest| way.planned.extend_from_slice(rest));
            }
        }
        end
    }

    /// Everything that follows `place`, from the state that was kept there.
    fn continuations(&self, kept: &Arc<Node>, place: Place, way: Way) -> Yield {
        let branch = self.tree.branch(place);
        let ends = (!branch.ends.is_empty()).then_some(Goal::End(place));
        let before = Arc::new(way);
        let task = |goal| Task {
            tree: Arc::clone(&self.tree),
            isolation: self.isolation,
            source: Source::Kept(Arc::clone(kept)),
            before: Arc::clone(&before),
            replay: vec![],
            goal,
        };
        // Workers take the last task first.
        let goals = branch.next.iter().rev().map(|&next| Goal::Walk(next)).chain(ends);
        Yield { records: vec![], tasks: goals.map(task).collect() }
    }

    /// A task that comes the same way again, from where this one came.
    fn replay_of(&self, way: &Way, goal: Goal) -> Task {
        Task {
            tree: Arc::clone(&self.tree),
            isolation: self.isolation,
            source: self.source.clone(),
            before: Arc::clone(&self.before),
            replay: way.planned[self.before.planned.len()..].to_vec(),
            goal,
        }
    }

    /// The orders that end at `place`; nothing follows.
    fn ends(&self, place: Place) -> Vec<(Ticket, Vec<Visit>)> {
        self.tree.branch(place).ends.iter().map(|&ticket| (ticket, vec![])).collect()
    }
}

/// Changes a function; why not, if that is refused.
fn refusal(node: &Node, lab: &Lab, swap: &Swap) -> Option<String> {
    match node.swap(lab, swap) {
        Ok(Ok(())) => None,
        Ok(Err(NotSwapped::Invalid(why) | NotSwapped::Refused(why))) => Some(why),
        Err(_) => Some("the process has ended".to_owned()),
    }
}

impl Yield {
    fn and(mut self, tasks: Vec<Task>) -> Self {
        self.tasks.extend(tasks);
        self
    }
}

/// The way from the fresh state to here: what was planned, and what was seen of it.
#[derive(Clone, Default)]
struct Way {
    planned: Vec<Visit>,
    seen: Vec<Step>,
    cancelled: bool,
    /// Why the function that was to be changed next was not.
    refused: Option<String>,
}

impl Way {
    fn add(&mut self, tests: &[Visit], leg: Leg) -> LegEnd {
        if let Some((signature, last)) = leg.late.zip(self.seen.last_mut()) {
            charge_late(last, signature);
        }
        self.planned.extend_from_slice(tests);
        self.seen.extend(leg.steps);
        self.cancelled = matches!(leg.end, LegEnd::Cancelled);
        leg.end
    }

    /// A record for each order that came this way and would have gone on with the given tests.
    fn records(&self, orders: Vec<(Ticket, Vec<Visit>)>) -> Yield {
        if self.cancelled {
            return Yield::default();
        }
        let record = |(ticket, rest): (Ticket, Vec<Visit>)| {
            let asked: Order = self.planned.iter().chain(&rest).map(|visit| visit.test).collect();
            let missed = asked.tests()[self.seen.len()..].iter();
            let missed = missed.map(|&test| Step::bare(test, Outcome::NotReached));
            let mut steps: Vec<Step> = self.seen.iter().cloned().chain(missed).collect();
            if let Some((why, first)) = self.refused.as_ref().zip(steps.get_mut(self.seen.len())) {
                let kind = RunRecord::REFUSED_SWAP.to_owned();
                first.signature = Some(Signature { kind, message: why.clone(), at: None });
            }
            (ticket, RunRecord { asked, steps })
        };
        Yield { records: orders.into_iter().map(record).collect(), tasks: vec![] }
    }
}
