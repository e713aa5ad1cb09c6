//! In which orders mutants are tried: of which tests, and by whom they are chosen.

use std::collections::BTreeSet;

use anyorder_model::{Suite, TestIndex};

use crate::Mutant;

/// In which orders mutants are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Random orders of the class, or of the file of tests in no class.
    #[default]
    Class,
    /// Random orders of all tests of the file.
    File,
    /// A guided hunt over the whole suite.
    Suite,
}

impl Scope {
    /// All of them, the narrowest first.
    pub const ALL: [Scope; 3] = [Scope::Class, Scope::File, Scope::Suite];

    /// Its name on the command line and in data sets.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Class => "class",
            Scope::File => "file",
            Scope::Suite => "suite",
        }
    }

    /// What orders there are, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Scope::Class => "random orders of the class, or of the file of tests in no class",
            Scope::File => "random orders of the file, all of its classes mixed",
            Scope::Suite => "a guided hunt over the whole suite, on a changed tree; dear",
        }
    }

    /// The scope of this name.
    pub fn named(name: &str) -> Option<Self> {
        Scope::ALL.into_iter().find(|scope| scope.name() == name)
    }

    /// Lets all tests judge a mutant that it may meet in these orders.
    pub fn widen(self, suite: &Suite, mutant: &mut Mutant) {
        match self {
            Scope::Class => {}
            Scope::File => mutant.judged = files_of(suite, &mutant.tests),
            Scope::Suite => mutant.judged = vec![suite.indices().collect()],
        }
    }
}

/// All tests of each file that one of these is in.
fn files_of(suite: &Suite, tests: &[TestIndex]) -> Vec<Vec<TestIndex>> {
    let file = |test: TestIndex| suite.test(test).file.as_str();
    let files: BTreeSet<&str> = tests.iter().map(|&test| file(test)).collect();
    let all_of = |name: &str| suite.indices().filter(|&test| file(test) == name).collect();
    files.into_iter().map(all_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy::{mutant, of_fixture};
    use anyorder_model::Test;

    fn suite() -> Suite {
        let test = |id: &str| Test::in_file(id.to_owned(), id.split("::").next().unwrap());
        let ids = ["test_b.py::A::test_0", "test_b.py::B::test_1", "test_a.py::test_2", "test_c.py::test_3"];
        Suite::new("pytest", ids.iter().map(|id| test(id)).collect())
    }

    fn judged(scope: Scope, mut mutant: Mutant) -> Vec<Vec<u32>> {
        scope.widen(&suite(), &mut mutant);
        mutant.judged.iter().map(|tests| tests.iter().map(|test| test.0).collect()).collect()
    }

    #[test]
    fn the_wider_the_scope_the_more_tests_judge() {
        let own = Mutant { judged: vec![vec![TestIndex(0)]], ..mutant(&suite()) };
        assert_eq!(judged(Scope::Class, own.clone()), [vec![0]]);
        assert_eq!(judged(Scope::File, own.clone()), [vec![0, 1]]);
        assert_eq!(judged(Scope::Suite, own), [vec![0, 1, 2, 3]]);
    }

    #[test]
    fn each_file_that_uses_a_fixture_judges_by_itself() {
        let fixture = of_fixture(&suite(), &[1, 2], &[&[1], &[2]]);
        assert_eq!(judged(Scope::File, fixture), [vec![2], vec![0, 1]]);
    }

    #[test]
    fn a_scope_is_told_by_its_name() {
        assert!(Scope::ALL.iter().all(|&scope| Scope::named(scope.name()) == Some(scope)));
        assert_eq!(Scope::named("module"), None);
    }
}
