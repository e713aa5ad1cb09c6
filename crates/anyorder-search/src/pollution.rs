//! Pollution: what tests leave changed for good, whether or not any test suffers from it.
//!
//! Knows profiles, and which cells nobody can observe. Runs nothing.

use std::collections::{BTreeMap, BTreeSet};

use anyorder_model::{CellKind, Finding, Kind, Pollution, Profile, State, Suite, TestIndex, Write};

use crate::noise::Noise;

/// How many places that differ only in the object are one.
const ALIKE: usize = 4;
/// How many cells of a latent polluter its finding names.
const CELLS: usize = 20;

/// What lasts, place by place: what most tests may look at first.
pub fn pollution(profiles: &[Profile], noise: &Noise) -> Vec<Pollution> {
    let mut places: BTreeMap<String, Vec<(TestIndex, &Write)>> = BTreeMap::new();
    for profile in profiles {
        for write in lasting(profile, noise) {
            places.entry(place_of(write)).or_default().push((profile.test, write));
        }
    }
    let mut pollution: Vec<Pollution> =
        of_a_kind(places).iter().map(|(place, writes)| one(place, writes, profiles)).collect();
    pollution.sort_by_key(|one| {
        let (readers, writers) = (one.readers, one.writers.len());
        std::cmp::Reverse((readers, writers))
    });
    pollution
}

/// What holds the cell. Files with names that differ each time are one for each directory.
fn place_of(write: &Write) -> String {
    let directory = write.cell.path.rsplit_once('/').map(|(directory, _)| directory);
    match directory.filter(|_| write.is_unstable && write.cell.kind == CellKind::File) {
        Some(directory) => format!("{directory}/…"),
        None => write.cell.holder().to_owned(),
    }
}

/// Places that differ only in the object that they belong to are one: `_hooks` of twenty classes is `*._hooks`.
fn of_a_kind(
    places: BTreeMap<String, Vec<(TestIndex, &Write)>>,
) -> BTreeMap<String, Vec<(TestIndex, &Write)>> {
    fn attribute(place: &str) -> &str {
        place.rsplit_once('.').map_or(place, |(_, attribute)| attribute)
    }
    let mut alike: BTreeMap<&str, usize> = BTreeMap::new();
    places.keys().for_each(|place| *alike.entry(attribute(place)).or_default() += 1);
    let is_one_of_many = |place: &String| alike[attribute(place)] >= ALIKE;
    let many: BTreeSet<String> = places.keys().filter(|place| is_one_of_many(place)).cloned().collect();
    let mut merged: BTreeMap<String, Vec<(TestIndex, &Write)>> = BTreeMap::new();
    for (place, writes) in places {
        let place = if many.contains(&place) { format!("*.{}", attribute(&place)) } else { place };
        merged.entry(place).or_default().extend(writes);
    }
    merged
}

/// A finding for each test that leaves something changed for good, with what.
pub fn latent_polluters(suite: &Suite, profiles: &[Profile], noise: &Noise) -> Vec<Finding> {
    let finding = |profile: &Profile| {
        let state: Vec<State> =
            lasting(profile, noise).take(CELLS).map(|write| State::from(&write.cell)).collect();
        (!state.is_empty()).then(|| {
            let mut finding = Finding::new(Kind::LatentPolluter, profile.test, suite.id(profile.test));
            finding.state = Some(state);
            finding
        })
    };
    profiles.iter().filter_map(finding).collect()
}

/// What a test leaves by itself when everything is torn down, as far as anybody can observe it.
fn lasting<'a>(profile: &'a Profile, noise: &'a Noise) -> impl Iterator<Item = &'a Write> {
    let is_left = |write: &&Write| !write.is_torn_down && !write.is_elsewhere;
    profile.writes.iter().filter(is_left).filter(|write| !noise.has(&write.cell))
}

fn one(place: &str, writes: &[(TestIndex, &Write)], profiles: &[Profile]) -> Pollution {
    let cells: BTreeSet<&str> = writes.iter().map(|(_, write)| write.cell.path.as_str()).collect();
    let names: BTreeSet<&String> = writes.iter().flat_map(|(_, write)| &write.cell.names).collect();
    let needs_no_name = writes.iter().any(|(_, write)| write.cell.names.is_empty());
    let may_read =
        |profile: &&Profile| needs_no_name || names.iter().any(|name| profile.reads.contains(name.as_str()));
    let writers: BTreeSet<TestIndex> = writes.iter().map(|(test, _)| *test).collect();
    Pollution {
        place: place.to_owned(),
        example: writes[0].1.cell.clone(),
        cells: cells.len(),
        writers: writers.into_iter().collect(),
        readers: profiles.iter().filter(may_read).count(),
        is_unstable: writes.iter().all(|(_, write)| write.is_unstable),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::written::{profile, write};

    #[test]
    fn a_registry_is_one_line_and_what_most_tests_read_comes_first() {
        let registered = |test: u32| {
            let item = write(&format!("m.registry['C{test}']"), CellKind::Item);
            profile(test, vec![item, write("m.flag", CellKind::Global)], &["m.registry"])
        };
        let mut profiles: Vec<Profile> = (0..5).map(registered).collect();
        profiles[0].reads.insert("m.flag".to_owned());
        let found = pollution(&profiles, &Noise::default());
        let lines: Vec<(&str, usize, usize, usize)> =
            found.iter().map(|one| (one.place.as_str(), one.cells, one.writers.len(), one.readers)).collect();
        assert_eq!(lines, [("m.registry", 5, 5, 5), ("m.flag", 1, 5, 1)]);
    }

    #[test]
    fn the_same_attribute_of_many_objects_is_one_line_and_that_of_a_few_is_not() {
        let hook = |class: u32| write(&format!("m.C{class}._hooks['load']"), CellKind::Item);
        let lines = |classes: u32| -> Vec<String> {
            let profiles = [profile(0, (0..classes).map(hook).collect(), &[])];
            pollution(&profiles, &Noise::default()).into_iter().map(|one| one.place).collect()
        };
        assert_eq!(lines(4), ["*._hooks"]);
        assert_eq!(lines(3), ["m.C0._hooks", "m.C1._hooks", "m.C2._hooks"]);
    }

    #[test]
    fn files_with_names_by_chance_are_one_line() {
        let file = |name: &str| Write { is_unstable: true, ..write(name, CellKind::File) };
        let files = vec![file("file /tmp/a1~"), file("file /tmp/b2~"), write("file /tmp/c", CellKind::File)];
        let found = pollution(&[profile(0, files, &[])], &Noise::default());
        let lines: Vec<(&str, usize)> = found.iter().map(|one| (one.place.as_str(), one.cells)).collect();
        assert_eq!(lines, [("file /tmp/c", 1), ("file /tmp/…", 2)]);
    }

    #[test]
    fn what_is_undone_or_noise_or_seen_only_behind_others_is_no_pollution() {
        let torn = Write { is_torn_down: true, ..write("m.a", CellKind::Global) };
        let elsewhere = Write { is_elsewhere: true, ..write("m.b", CellKind::Global) };
        let noise = write("re._cache['x']", CellKind::Item);
        let profiles = [profile(0, vec![torn, elsewhere, noise], &[])];
        assert_eq!(pollution(&profiles, &Noise::default()), []);
    }

    #[test]
    fn each_test_that_leaves_something_is_a_finding() {
        use crate::hunt_tests::suite;
        use anyorder_model::Oracle;
        let profiles = [profile(0, vec![write("m.a", CellKind::Global)], &[]), profile(1, vec![], &[])];
        let suite = suite(&[&[], &[]]);
        let found = latent_polluters(suite.suite(), &profiles, &Noise::default());
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].kind, &found[0].id.0[..2]), (Kind::LatentPolluter, "p-"));
        assert_eq!(found[0].state.as_ref().unwrap()[0].cell, "m.a");
    }
}
