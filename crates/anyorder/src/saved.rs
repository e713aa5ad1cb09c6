//! The patches that were shown last, so that it is these that are applied: as long as nothing has changed since then.

use std::fs;
use std::path::Path;

use anyorder_model::{Change, FindingId, Patch, Repair, Strength};
use anyorder_repair::Repaired;
use serde::{Deserialize, Serialize};

use crate::proposals::changes_of;

const FILE: &str = "shown.json";

#[derive(Debug, Serialize, Deserialize)]
struct Shown {
    /// What it was found for.
    fingerprint: String,
    patches: Vec<Patch>,
    together: Vec<Change>,
    safe: Vec<Change>,
    repairs: Vec<Repair>,
}

/// Keeps what a search has come to, if it came to its end.
pub(crate) fn save(directory: &Path, fingerprint: String, repaired: &Repaired) {
    let Repaired { patches, together, safe, repairs, halted } = repaired.clone();
    if halted.is_none() {
        let text = serde_json::to_vec(&Shown { fingerprint, patches, together, safe, repairs });
        // Without it there is another search.
        let _ = text.map(|text| fs::write(directory.join(FILE), text));
    }
}

/// What the last search has come to for the findings `asked`; nothing if it was another one.
pub(crate) fn shown(directory: &Path, fingerprint: &str, asked: &[FindingId]) -> Option<Repaired> {
    let shown: Shown = serde_json::from_slice(&fs::read(directory.join(FILE)).ok()?).ok()?;
    let is_known = |id: &FindingId| shown.repairs.iter().any(|repair| repair.finding == *id);
    (shown.fingerprint == fingerprint && asked.iter().all(is_known)).then_some(())?;
    let Shown { patches, together, safe, repairs, .. } = shown;
    let all = Repaired { patches, together, safe, repairs, halted: None };
    let is_asked = |patch: &&Patch| patch.cures.iter().any(|id| asked.contains(id));
    let chosen: Vec<&Patch> = all.patches.iter().filter(is_asked).collect();
    let safe: Vec<&Patch> = chosen.iter().filter(|patch| patch.strength == Strength::Safe).copied().collect();
    let (together, safe) = (changes_of(&all, &chosen)?, changes_of(&all, &safe)?);
    let patches = chosen.into_iter().cloned().collect();
    let repairs = all.repairs.iter().filter(|repair| asked.contains(&repair.finding)).cloned().collect();
    Some(Repaired { patches, together, safe, repairs, halted: None })
}

#[cfg(test)]
mod tests {
    use anyorder_model::{PatchSource, Placement, Verified};

    use super::*;

    fn id(name: &str) -> FindingId {
        FindingId(name.to_owned())
    }

    fn change(path: &str) -> Change {
        Change { path: path.to_owned(), before: None, after: b"x".to_vec() }
    }

    fn patch(cures: &[&str], path: &str) -> Patch {
        Patch {
            cures: cures.iter().map(|name| id(name)).collect(),
            source: PatchSource::Restore,
            placement: Placement::Polluter,
            strength: Strength::Safe,
            summary: String::new(),
            changes: vec![change(path)],
            verified: Verified::default(),
        }
    }

    fn repaired() -> Repaired {
        let repair =
            |name: &str| Repair { finding: id(name), patch: None, reason: None, generated: 1, tried: 1 };
        Repaired {
            patches: vec![patch(&["a", "b"], "one"), patch(&["c"], "two"), patch(&["d"], "two")],
            together: vec![change("all")],
            safe: vec![change("all")],
            repairs: ["a", "b", "c", "d"].map(repair).to_vec(),
            halted: None,
        }
    }

    fn paths(shown: Option<Repaired>) -> Option<Vec<String>> {
        shown.map(|shown| shown.together.into_iter().map(|change| change.path).collect())
    }

    #[test]
    fn what_was_shown_is_found_again_for_the_findings_that_are_asked_for() {
        let place = tempfile::tempdir().unwrap();
        save(place.path(), "now".to_owned(), &repaired());
        let shown = |names: &[&str]| {
            let asked: Vec<FindingId> = names.iter().map(|name| id(name)).collect();
            shown(place.path(), "now", &asked)
        };
        assert_eq!(paths(shown(&["a", "b", "c", "d"])), Some(vec!["all".to_owned()]));
        assert_eq!(paths(shown(&["b"])), Some(vec!["one".to_owned()]));
        assert_eq!(paths(shown(&["a", "d"])), Some(vec!["one".to_owned(), "two".to_owned()]));
        assert_eq!(paths(shown(&["c", "d"])), None, "nobody has seen these two alone in one file");
        assert_eq!(paths(shown(&["e"])), None);
        assert_eq!(shown(&["b"]).unwrap().repairs.len(), 1);
    }

    #[test]
    fn what_was_shown_for_other_files_or_not_to_the_end_is_not() {
        let place = tempfile::tempdir().unwrap();
        save(place.path(), "now".to_owned(), &repaired());
        assert_eq!(paths(shown(place.path(), "later", &[id("a")])), None);
        let halted = Some(anyorder_model::Halted::Budget);
        save(place.path(), "later".to_owned(), &Repaired { halted, ..repaired() });
        assert_eq!(paths(shown(place.path(), "later", &[id("a")])), None);
    }
}
