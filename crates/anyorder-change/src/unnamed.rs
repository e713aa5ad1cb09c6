//! Who may look at state that code needs no name for, where that can be told by other signs.

use roaring::RoaringBitmap;

use crate::relate::Crowd;

/// All that reads random numbers goes through these, or through functions of the module.
const RANDOM: [&str; 4] = [".random", ".getrandbits", "numpy.random", ".default_rng"];
/// All that reads the environment in Python goes through these; what is written in C is not seen.
const ENVIRONMENT: [&str; 5] = ["os.environ", "os.environb", ".environ", ".getenv", "os.getenv"];

/// The readers of a place that has no names; nothing if it may be anybody.
pub(crate) fn readers_of_unnamed(place: &str, crowd: &Crowd<'_>) -> Option<RoaringBitmap> {
    let is_sign: fn(&str) -> bool = if place == "random numbers" {
        |name| RANDOM.contains(&name) || name.starts_with("random.")
    } else if place.starts_with("os.environ") {
        |name| ENVIRONMENT.contains(&name) || name.starts_with("os.__")
    } else {
        return None;
    };
    let readers = crowd
        .profiles
        .iter()
        .filter(|(_, known)| known.both().any(|profile| profile.reads.iter().any(|name| is_sign(name))));
    Some(readers.map(|(test, _)| test.0).collect())
}
