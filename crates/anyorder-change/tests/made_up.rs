//! Made-up projects with made-up changes, where it is known what every test comes to: whoever comes to something else than
//! before is affected.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyorder_change::{OldProfiles, Rts, Tree};
use anyorder_model::Profile;
use common::{between, names, ran, recorded, suite, tree};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

const MODULES: usize = 4;
const FUNCTIONS: usize = 3;
const TESTS: usize = 6;

/// A function of a module, by the numbers of both.
type Place = (usize, usize);

#[derive(Clone, Debug)]
struct Function {
    literal: u8,
    default: u8,
    /// Functions that it calls: of modules before its own, or before it in its own.
    calls: Vec<Place>,
    /// A module whose constant it reads.
    constant: Option<usize>,
    /// Whether it reads what its module has made at import.
    reads_made: bool,
    /// Whether there is a function of this number.
    is_there: bool,
}

#[derive(Clone, Debug)]
struct Module {
    constant: u8,
    /// A function that is called when it is imported.
    makes: Option<Place>,
    functions: Vec<Function>,
    /// Blank lines and comments before everything.
    air: usize,
    is_backwards: bool,
}

#[derive(Clone, Debug)]
struct World {
    modules: Vec<Module>,
    tests: Vec<Vec<Place>>,
}

impl World {
    /// Calls go to what was defined earlier, so that they end.
    fn calls(&self, (module, function): Place) -> impl Iterator<Item = Place> {
        let calls = self.modules[module].functions[function].calls.iter().copied();
        calls.filter(move |&place| place < (module, function) && self.is_there(place))
    }

    fn is_there(&self, (module, function): Place) -> bool {
        self.modules[module].functions[function].is_there
    }

    fn makes(&self, module: usize) -> Option<Place> {
        self.modules[module].makes.filter(|&place| place.0 < module && self.is_there(place))
    }

    /// Modules that one imports by itself.
    fn imports(&self, module: usize) -> BTreeSet<usize> {
        let functions = (0..FUNCTIONS).filter(|&at| self.is_there((module, at)));
        let mut found: BTreeSet<usize> = functions
            .flat_map(|at| {
                let constant = self.modules[module].functions[at].constant;
                self.calls((module, at)).map(|place| place.0).chain(constant.filter(|&other| other <= module))
            })
            .collect();
        found.extend(self.makes(module).map(|place| place.0));
        found.remove(&module);
        found
    }

    fn module_text(&self, number: usize) -> String {
        let module = &self.modules[number];
        let mut text = "# air\n\n".repeat(module.air);
        self.imports(number).iter().for_each(|other| writeln!(text, "import m{other}").unwrap());
        writeln!(text, "C = {}", module.constant).unwrap();
        if let Some((other, function)) = self.makes(number) {
            writeln!(text, "MADE = m{other}.f{function}()").unwrap();
        }
        let mut there: Vec<usize> = (0..FUNCTIONS).filter(|&at| self.is_there((number, at))).collect();
        if module.is_backwards {
            there.reverse();
        }
        for at in there {
            text.push_str(&self.function_text((number, at)));
        }
        text
    }

    fn function_text(&self, place: Place) -> String {
        let (module, at) = place;
        let function = &self.modules[module].functions[at];
        let named = |(other, at): Place| {
            if other == module { format!("f{at}()") } else { format!("m{other}.f{at}()") }
        };
        let mut parts = vec!["x".to_owned(), function.literal.to_string()];
        parts.extend(self.calls(place).map(named));
        let constant = function.constant.filter(|&other| other <= module);
        parts.extend(
            constant.map(|other| if other == module { "C".to_owned() } else { format!("m{other}.C") }),
        );
        parts.extend(self.reads_made(place).map(|_| "MADE".to_owned()));
        format!("def f{at}(x={}):\n    return ({})\n", function.default, parts.join(", "))
    }

    fn reads_made(&self, (module, function): Place) -> Option<Place> {
        self.makes(module).filter(|_| self.modules[module].functions[function].reads_made)
    }

    fn test_calls(&self, test: usize) -> impl Iterator<Item = Place> {
        self.tests[test].iter().copied().filter(|&place| self.is_there(place))
    }

    fn tree(&self) -> Tree {
        let mut files: Vec<(String, String)> =
            (0..MODULES).map(|module| (format!("m{module}.py"), self.module_text(module))).collect();
        for test in 0..TESTS {
            let modules: BTreeSet<usize> = self.test_calls(test).map(|place| place.0).collect();
            let imports: Vec<String> = modules.iter().map(|module| format!("import m{module}\n")).collect();
            let calls: Vec<String> =
                self.test_calls(test).map(|(module, at)| format!("    m{module}.f{at}()\n")).collect();
            let (imports, calls) = (imports.concat(), calls.concat());
            files
                .push((format!("test_{test}.py"), format!("{imports}def test_{test}():\n{calls}    pass\n")));
        }
        tree(&files)
    }

    /// What a function comes to.
    fn value(&self, place: Place) -> String {
        let function = &self.modules[place.0].functions[place.1];
        let calls: Vec<String> = self.calls(place).map(|called| self.value(called)).collect();
        let constant =
            function.constant.filter(|&other| other <= place.0).map(|other| self.modules[other].constant);
        let made = self.reads_made(place).map(|made| self.value(made));
        format!("({}, {}, {calls:?}, {constant:?}, {made:?})", function.default, function.literal)
    }

    fn test_value(&self, test: usize) -> Vec<String> {
        self.test_calls(test).map(|place| self.value(place)).collect()
    }

    /// What runs in a test, and what is looked up there.
    fn profile(&self, test: usize) -> Profile {
        let mut ran_places: BTreeSet<Place> = BTreeSet::new();
        let mut waiting: Vec<Place> = self.test_calls(test).collect();
        while let Some(place) = waiting.pop() {
            if ran_places.insert(place) {
                waiting.extend(self.calls(place));
            }
        }
        let own = format!("test_{test}.py:test_{test}");
        // A name with a dot in it, so that names are known to be qualified.
        let own_lambda = format!("{own}.<locals>.<lambda>");
        let code = ran_places.iter().map(|(module, at)| format!("m{module}.py:f{at}"));
        let code: Vec<String> = code.chain([own, own_lambda]).collect();
        let mut reads: Vec<String> =
            ran_places.iter().map(|(module, at)| format!("m{module}.f{at}")).collect();
        for &(module, at) in &ran_places {
            let constant = self.modules[module].functions[at].constant.filter(|&other| other <= module);
            reads.extend(constant.map(|other| format!("m{other}.C")));
            reads.extend(self.reads_made((module, at)).map(|_| format!("m{module}.MADE")));
        }
        ran(&code, &reads)
    }

    fn profiles(&self) -> OldProfiles {
        let ids = ids();
        let profiles = ids.iter().enumerate().map(|(test, id)| (id.as_str(), self.profile(test)));
        recorded(&self.tree(), profiles.collect())
    }
}

fn ids() -> Vec<String> {
    (0..TESTS).map(|test| format!("test_{test}.py::test_{test}")).collect()
}

fn place() -> impl Strategy<Value = Place> {
    (0..MODULES, 0..FUNCTIONS)
}

fn function() -> impl Strategy<Value = Function> {
    let calls = prop::collection::vec(place(), 0..3);
    let constant = prop::option::of(0..MODULES);
    (0..3u8, 0..3u8, calls, constant, any::<bool>(), prop::bool::weighted(0.9)).prop_map(
        |(literal, default, calls, constant, reads_made, is_there)| Function {
            literal,
            default,
            calls,
            constant,
            reads_made,
            is_there,
        },
    )
}

fn module() -> impl Strategy<Value = Module> {
    let functions = prop::collection::vec(function(), FUNCTIONS);
    (0..3u8, prop::option::of(place()), functions, 0..3usize, any::<bool>()).prop_map(
        |(constant, makes, functions, air, is_backwards)| Module {
            constant,
            makes,
            functions,
            air,
            is_backwards,
        },
    )
}

fn world() -> impl Strategy<Value = World> {
    let tests = prop::collection::vec(prop::collection::vec(place(), 0..3), TESTS);
    (prop::collection::vec(module(), MODULES), tests).prop_map(|(modules, tests)| World { modules, tests })
}

/// What is replaced, by something of another world.
#[derive(Clone, Copy, Debug)]
enum Edit {
    Function(Place),
    Body(Place),
    Constant(usize),
    Makes(usize),
    Air(usize),
    Test(usize),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        place().prop_map(Edit::Function),
        place().prop_map(Edit::Body),
        (0..MODULES).prop_map(Edit::Constant),
        (0..MODULES).prop_map(Edit::Makes),
        (0..MODULES).prop_map(Edit::Air),
        (0..TESTS).prop_map(Edit::Test),
    ];
    prop::collection::vec(edit, 0..4)
}

fn edited(world: &World, other: &World, edits: &[Edit]) -> World {
    let mut world = world.clone();
    for edit in edits {
        match *edit {
            Edit::Function((module, at)) => {
                world.modules[module].functions[at] = other.modules[module].functions[at].clone();
            }
            Edit::Body((module, at)) => {
                world.modules[module].functions[at].literal = other.modules[module].functions[at].literal;
            }
            Edit::Constant(module) => world.modules[module].constant = other.modules[module].constant,
            Edit::Makes(module) => world.modules[module].makes = other.modules[module].makes,
            Edit::Air(module) => {
                world.modules[module].air = other.modules[module].air;
                world.modules[module].is_backwards = other.modules[module].is_backwards;
            }
            Edit::Test(test) => world.tests[test].clone_from(&other.tests[test]),
        }
    }
    world
}

/// Tests that come to something else, by name.
fn differing(old: &World, new: &World) -> BTreeSet<String> {
    let ids = ids();
    let differs = |test: &usize| old.test_value(*test) != new.test_value(*test);
    (0..TESTS).filter(differs).map(|test| ids[test].clone()).collect()
}

fn affected(old: &World, new: &World, profiles: &OldProfiles, rts: Rts) -> BTreeSet<String> {
    let ids = ids();
    let suite = suite(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let affected = between(&old.tree(), &new.tree()).affected(&suite, profiles, rts);
    names(&suite, &affected.tests).into_iter().map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn whoever_comes_to_something_else_is_affected(old in world(), other in world(), edits in edits()) {
        let new = edited(&old, &other, &edits);
        let differing = differing(&old, &new);
        let by_code = affected(&old, &new, &old.profiles(), Rts::Dynamic);
        let by_imports = affected(&old, &new, &old.profiles(), Rts::Static);
        prop_assert!(differing.is_subset(&by_code), "{differing:?} {by_code:?}");
        prop_assert!(by_code.is_subset(&by_imports), "{by_code:?} {by_imports:?}");
    }

    #[test]
    fn profiles_of_other_sources_mislead_nobody(
        first in world(),
        other in world(),
        third in world(),
        edits in (edits(), edits()),
    ) {
        let old = edited(&first, &other, &edits.0);
        let new = edited(&old, &third, &edits.1);
        let differing = differing(&old, &new);
        for profiles in [first.profiles(), new.profiles()] {
            let by_code = affected(&old, &new, &profiles, Rts::Dynamic);
            prop_assert!(differing.is_subset(&by_code), "{differing:?} {by_code:?}");
        }
    }

    #[test]
    fn air_affects_nobody(old in world(), other in world(), modules in prop::collection::vec(0..MODULES, 0..4)) {
        let edits: Vec<Edit> = modules.into_iter().map(Edit::Air).collect();
        let new = edited(&old, &other, &edits);
        prop_assert_eq!(affected(&old, &new, &old.profiles(), Rts::Static), BTreeSet::new());
    }
}

#[test]
fn most_changes_of_bodies_affect_fewer_tests_by_code_than_by_imports() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..60 {
        let tree = (world(), world(), place()).new_tree(&mut runner).unwrap();
        let (old, other, place) = tree.current();
        let new = edited(&old, &other, &[Edit::Body(place)]);
        let profiles = old.profiles();
        *counts.entry("code").or_default() += affected(&old, &new, &profiles, Rts::Dynamic).len();
        *counts.entry("imports").or_default() += affected(&old, &new, &profiles, Rts::Static).len();
        *counts.entry("truth").or_default() += differing(&old, &new).len();
    }
    assert!(counts["truth"] > 20 && counts["code"] < counts["imports"], "{counts:?}");
}
