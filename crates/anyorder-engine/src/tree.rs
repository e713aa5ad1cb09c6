//! Orders as a tree: what several orders begin with stands in it once. Pure data.

use std::collections::HashMap;
use std::sync::Arc;

use anyorder_model::{Order, Swap, TestIndex};

/// Which order of a run a record belongs to, from 1.
pub(crate) type Ticket = u64;

/// A place in the tree.
pub(crate) type Place = usize;

/// An order, and a function that is changed on the way.
#[derive(Clone, Debug)]
pub struct Route {
    /// What runs.
    pub order: Order,
    /// What is changed right before the test at this place, if anything is.
    pub swap: Option<(usize, Arc<Swap>)>,
}

impl From<Order> for Route {
    fn from(order: Order) -> Self {
        Route { order, swap: None }
    }
}

/// A test that runs, behind a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Visit {
    pub(crate) test: TestIndex,
    /// The place of the change in the tree's list.
    pub(crate) swap: Option<usize>,
}

/// Tests that follow one another in every order that comes this way.
#[derive(Debug, Default)]
pub(crate) struct Branch {
    /// Never empty, but for the root.
    pub(crate) tests: Vec<Visit>,
    /// Orders that end right after these tests.
    pub(crate) ends: Vec<Ticket>,
    /// Where the other orders go on.
    pub(crate) next: Vec<Place>,
}

/// A path-compressed prefix tree of orders.
#[derive(Debug)]
pub(crate) struct Tree {
    branches: Vec<Branch>,
    swaps: Vec<Arc<Swap>>,
}

pub(crate) const ROOT: Place = 0;

impl Tree {
    /// The tree of `orders`, each with its ticket.
    pub(crate) fn new(routes: &[(Ticket, Route)]) -> Self {
        let mut tree = Tree { branches: vec![Branch::default()], swaps: vec![] };
        let mut way = HashMap::new();
        for (ticket, route) in routes {
            let visits = tree.visits(route);
            tree.add(&visits, *ticket, &mut way);
        }
        tree
    }

    /// What is changed.
    pub(crate) fn swap(&self, place: usize) -> &Swap {
        &self.swaps[place]
    }

    fn visits(&mut self, route: &Route) -> Vec<Visit> {
        let mut visits: Vec<Visit> =
            route.order.tests().iter().map(|&test| Visit { test, swap: None }).collect();
        if let Some((place, swap)) = &route.swap
            && let Some(visit) = visits.get_mut(*place)
        {
            let known = self.swaps.iter().position(|known| Arc::ptr_eq(known, swap));
            visit.swap = Some(known.unwrap_or_else(|| {
                self.swaps.push(Arc::clone(swap));
                self.swaps.len() - 1
            }));
        }
        visits
    }

    pub(crate) fn branch(&self, place: Place) -> &Branch {
        &self.branches[place]
    }

    /// Whether any order runs `test`.
    pub(crate) fn has(&self, test: TestIndex) -> bool {
        self.branches.iter().flat_map(|branch| &branch.tests).any(|visit| visit.test == test)
    }

    /// `way` leads from a branch and the next test to the branch that begins with it.
    fn add(&mut self, order: &[Visit], ticket: Ticket, way: &mut HashMap<(Place, Visit), Place>) {
        let (mut place, mut rest) = (ROOT, order);
        while let Some(first) = rest.first() {
            let Some(&next) = way.get(&(place, *first)) else {
                let leaf = self.branches.len();
                self.branches.push(Branch { tests: rest.to_vec(), ends: vec![ticket], next: vec![] });
                self.branches[place].next.push(leaf);
                way.insert((place, *first), leaf);
                return;
            };
            let shared = self.branches[next].tests.iter().zip(rest).take_while(|(a, b)| a == b).count();
            if shared < self.branches[next].tests.len() {
                self.split(next, shared, way);
            }
            (place, rest) = (next, &rest[shared..]);
        }
        self.branches[place].ends.push(ticket);
    }

    fn split(&mut self, place: Place, at: usize, way: &mut HashMap<(Place, Visit), Place>) {
        let lower = self.branches.len();
        let upper = &mut self.branches[place];
        let tests = upper.tests.split_off(at);
        let branch = Branch {
            ends: std::mem::take(&mut upper.ends),
            next: std::mem::replace(&mut upper.next, vec![lower]),
            tests,
        };
        for &child in &branch.next {
            let first = self.branches[child].tests[0];
            way.remove(&(place, first));
            way.insert((lower, first), child);
        }
        way.insert((place, branch.tests[0]), lower);
        self.branches.push(branch);
    }

    /// Every order at or below `place`, as its ticket and the tests that come after `place`'s own.
    pub(crate) fn orders_below(&self, place: Place) -> Vec<(Ticket, Vec<Visit>)> {
        let mut found = Vec::new();
        let mut open = vec![(place, Vec::new())];
        while let Some((place, path)) = open.pop() {
            let branch = self.branch(place);
            found.extend(branch.ends.iter().map(|&ticket| (ticket, path.clone())));
            for &next in &branch.next {
                open.push((next, [path.as_slice(), &self.branch(next).tests].concat()));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order(tests: &[u32]) -> Order {
        tests.iter().copied().map(TestIndex).collect()
    }

    fn route(tests: &[u32]) -> Route {
        order(tests).into()
    }

    fn tests(visits: &[Visit]) -> Vec<TestIndex> {
        visits.iter().map(|visit| visit.test).collect()
    }

    #[test]
    fn what_orders_begin_with_stands_once() {
        let tree = Tree::new(&[(1, route(&[1, 2, 3])), (2, route(&[1, 2, 4])), (3, route(&[1, 2]))]);
        let [shared] = tree.branch(ROOT).next[..] else { panic!("one way from the root") };
        assert_eq!(tests(&tree.branch(shared).tests), order(&[1, 2]).0);
        assert_eq!(tree.branch(shared).ends, [3]);
        assert_eq!(tree.branch(shared).next.len(), 2);
    }

    #[test]
    fn orders_part_where_one_of_them_changes_something() {
        let swap = Arc::new(Swap { file: String::new(), names: vec![], text: String::new(), draw: None });
        let changed = |at: usize| Route { swap: Some((at, Arc::clone(&swap))), ..route(&[1, 2, 3]) };
        let tree = Tree::new(&[(1, route(&[1, 2, 3])), (2, changed(1)), (3, changed(1))]);
        let [shared] = tree.branch(ROOT).next[..] else { panic!("one way from the root") };
        assert_eq!(tests(&tree.branch(shared).tests), order(&[1]).0);
        let [plain, swapped] = tree.branch(shared).next[..] else { panic!("two ways from there") };
        assert_eq!(tree.branch(plain).ends, [1]);
        assert_eq!(tree.branch(swapped).ends, [2, 3]);
    }

    proptest! {
        #[test]
        fn every_order_is_found_again_and_no_branch_could_be_longer(
            orders in proptest::collection::vec(proptest::collection::vec(0_u32..3, 0..6), 0..12),
        ) {
            let orders: Vec<(Ticket, Order)> = (5..).zip(orders.iter().map(|tests| order(tests))).collect();
            let routes: Vec<(Ticket, Route)> =
                orders.iter().cloned().map(|(ticket, order)| (ticket, order.into())).collect();
            let tree = Tree::new(&routes);
            let found = tree.orders_below(ROOT).into_iter();
            let mut found: Vec<_> = found.map(|(ticket, visits)| (ticket, tests(&visits))).collect();
            found.sort();
            let expected: Vec<_> = orders.into_iter().map(|(ticket, order)| (ticket, order.0)).collect();
            prop_assert_eq!(found, expected);
            for branch in &tree.branches[1..] {
                prop_assert!(!branch.tests.is_empty());
                prop_assert!(!branch.ends.is_empty() || branch.next.len() > 1);
            }
        }
    }
}
