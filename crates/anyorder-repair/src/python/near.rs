//! Calls of all methods of the classes that are nearest to what holds the cells: the last resort.

use std::collections::BTreeSet;

use anyorder_source::{Class, Function, Statement};

use super::callable::{Call, Module, calls_of, is_callable, is_getter, modules, parsed};
use super::matter::Matter;
use super::site::{Site, file_of};
use crate::words::words;

/// So many calls are tried.
const NEAR: usize = 120;
/// So many classes are near.
const CLASSES: usize = 10;

/// Calls of all methods of the nearest classes, nearest first.
pub(super) fn near(matter: &Matter<'_>, site: Option<&Site>) -> Vec<Call> {
    let mut calls = BTreeSet::new();
    for (distance, (owner, class)) in nearest(matter, site).into_iter().enumerate() {
        let is_its = |function: &&Function| {
            function.class.as_ref() == Some(&class) && is_callable(function) && !is_getter(function)
        };
        for function in owner.1.functions().iter().filter(is_its) {
            calls.extend(calls_of(matter, &owner, function, 10 * distance, site));
        }
    }
    calls.into_iter().take(NEAR).collect()
}

/// Classes by how near their type is to that of what holds the cells.
fn nearest(matter: &Matter<'_>, site: Option<&Site>) -> Vec<(Module, Vec<String>)> {
    let abouts = matter.problem.abouts.iter();
    let types: Vec<&String> = abouts.flat_map(|about| about.holder.iter().chain(&about.class)).collect();
    let homes: BTreeSet<&str> =
        types.iter().filter_map(|path| path.rsplit_once('.')).map(|(home, _)| home).collect();
    let homes = homes.into_iter().filter_map(|home| parsed(matter, home, &file_of(matter.tree, home)?));
    let mut modules: Vec<Module> = homes.chain(modules(matter, site)).collect();
    let names: BTreeSet<&str> = types.iter().filter_map(|path| path.rsplit('.').next()).collect();
    let elsewhere: Vec<Module> =
        modules.iter().flat_map(|owner| homes_of_bases(matter, owner, &names)).collect();
    modules.extend(elsewhere);
    let mut known = BTreeSet::new();
    modules.retain(|(name, _)| known.insert(name.clone()));
    let all_classes =
        || modules.iter().flat_map(|owner| owner.1.classes().iter().map(move |class| (owner, class)));
    let kin = Kin::of(&names, all_classes().map(|(_, class)| class));
    let mut all: Vec<(&Module, &Class)> = all_classes().collect();
    all.sort_by_key(|(_, class)| kin.distance(class));
    all.into_iter().take(CLASSES).map(|(owner, class)| (owner.clone(), class.names.clone())).collect()
}

/// Modules that the bases of such classes are imported from.
fn homes_of_bases(matter: &Matter<'_>, (name, source): &Module, types: &BTreeSet<&str>) -> Vec<Module> {
    let package = name.rsplit_once('.').map_or("", |(package, _)| package);
    let ours = source.classes().iter().filter(|class| types.contains(class.name()));
    let bases: Vec<&str> =
        ours.flat_map(|class| &class.bases).filter_map(|base| base.split('.').next()).collect();
    let imports = source.imports().iter().filter(|import| bases.contains(&import.bound_name()));
    let home = |module: &str, level: u32| match level {
        0 => module.to_owned(),
        _ => format!("{package}.{module}").trim_matches('.').to_owned(),
    };
    let homes = imports.filter(|import| import.level < 2).map(|import| home(&import.module, import.level));
    homes.filter_map(|home| parsed(matter, &home, &file_of(matter.tree, &home)?)).collect()
}

/// Classes that have to do with some types, by their names.
struct Kin<'a> {
    types: &'a BTreeSet<&'a str>,
    bases: BTreeSet<String>,
}

impl<'a> Kin<'a> {
    fn of<'c>(types: &'a BTreeSet<&'a str>, classes: impl Iterator<Item = &'c Class>) -> Self {
        let ours = classes.filter(|class| types.contains(class.name()));
        let bases = ours.flat_map(|class| &class.bases);
        Kin { types, bases: bases.filter_map(|base| base.rsplit('.').next()).map(str::to_owned).collect() }
    }

    /// The types themselves, their bases, those that are derived from them or mention them, and all others.
    fn distance(&self, class: &Class) -> usize {
        let mentions = |text: &str| words(text).any(|word| self.types.contains(word));
        let statements = || class.body.iter().flat_map(Statement::walk);
        match class.name() {
            name if self.types.contains(name) => 0,
            name if self.bases.contains(name) => 1,
            _ if class.bases.iter().any(|base| mentions(base)) => 2,
            _ if statements().any(|statement| mentions(&statement.text)) => 2,
            _ => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use anyorder_source::Source;

    use super::*;

    #[test]
    fn classes_are_near_by_their_types_not_by_where_they_stand() {
        let text = "class Other:\n    pass\n\n\nclass Maker:\n    def make(self):\n        return Lamp()\n\n\n\
                    class Switch:\n    pass\n\n\nclass Lamp(core.Switch):\n    pass\n\n\nclass Spot(Lamp):\n    pass\n";
        let source = Source::parse(text).unwrap();
        let types = BTreeSet::from(["Lamp"]);
        let kin = Kin::of(&types, source.classes().iter());
        let mut names: Vec<(usize, &str)> =
            source.classes().iter().map(|class| (kin.distance(class), class.name())).collect();
        names.sort_unstable();
        assert_eq!(names, [(0, "Lamp"), (1, "Switch"), (2, "Maker"), (2, "Spot"), (3, "Other")]);
    }
}
