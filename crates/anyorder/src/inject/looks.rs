//! What there is to find in mutants, and what detectors have said of them: kept, so that scoring goes on where it was.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use anyorder_store::digest_of;
use serde::{Deserialize, Serialize};

use super::lines::Lines;
use super::score::Look;
use super::stop::Stop;
use crate::failure::Failure;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    /// The tests of a mutant that order decides.
    Known(usize, BTreeSet<String>),
    /// What a detector has said of a mutant.
    Said(usize, String, Look),
}

/// What is kept.
pub(super) struct Looks {
    lines: Lines,
    known: BTreeMap<usize, BTreeSet<String>>,
    said: BTreeMap<(usize, String), Look>,
    /// The program that runs; another one may find something else.
    program: String,
}

impl Looks {
    /// Opens what is kept; begins anew if it is about something else.
    pub(super) fn open(path: &Path, about: &str, program: &Path) -> io::Result<Self> {
        let (lines, kept) = Lines::open(path, about)?;
        let program = digest_of(&fs::read(program)?);
        let mut looks = Looks { lines, known: BTreeMap::new(), said: BTreeMap::new(), program };
        for line in kept {
            match line {
                Line::Known(mutant, tests) => drop(looks.known.insert(mutant, tests)),
                Line::Said(mutant, detector, look) => drop(looks.said.insert((mutant, detector), look)),
            }
        }
        Ok(looks)
    }

    /// The tests of a mutant that order decides; found out if they are not known yet.
    pub(super) fn known(
        &mut self,
        mutant: usize,
        find: impl FnOnce() -> Result<BTreeSet<String>, Stop>,
    ) -> Result<BTreeSet<String>, Stop> {
        if let Some(known) = self.known.get(&mutant) {
            return Ok(known.clone());
        }
        let found = find()?;
        self.lines.note(&[Line::Known(mutant, found.clone())])?;
        Ok(found)
    }

    /// What a detector says of a mutant; it looks if this very program has not had it look before.
    pub(super) fn said(
        &mut self,
        mutant: usize,
        detector: &str,
        look: impl FnOnce() -> Result<Look, Failure>,
    ) -> Result<Look, Stop> {
        let detector = self.named(detector);
        if let Some(said) = self.said.get(&(mutant, detector.clone())) {
            return Ok(said.clone());
        }
        let look = look()?;
        self.lines.note(&[Line::Said(mutant, detector, look.clone())])?;
        Ok(look)
    }

    fn named(&self, detector: &str) -> String {
        format!("{} {detector}", self.program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests(name: &str) -> BTreeSet<String> {
        [name.to_owned()].into()
    }

    /// What is known of a mutant, and what a hunt has said; what is not kept is `new`.
    fn kept(looks: &mut Looks, mutant: usize) -> [BTreeSet<String>; 2] {
        let look = || Ok(Look { named: Some(tests("new")), wall_s: 1.0, cpu_s: 0.5 });
        let known = looks.known(mutant, || Ok(tests("new"))).ok().unwrap();
        [known, looks.said(mutant, "hunt", look).ok().unwrap().named.unwrap()]
    }

    #[test]
    fn what_was_said_is_known_again_but_not_what_another_program_said() {
        let home = tempfile::tempdir().unwrap();
        let [path, program] = ["looks", "program"].map(|name| home.path().join(name));
        fs::write(&program, "one").unwrap();
        let open = |about| Looks::open(&path, about, &program).unwrap();
        let mut looks = open("this");
        looks.known(7, || Ok(tests("old"))).ok().unwrap();
        let said = || Ok(Look { named: Some(tests("old")), wall_s: 1.0, cpu_s: 0.5 });
        looks.said(7, "hunt", said).ok().unwrap();
        assert_eq!(kept(&mut open("this"), 7), [tests("old"), tests("old")]);
        assert_eq!(kept(&mut open("this"), 8), [tests("new"), tests("new")]);
        fs::write(&program, "another").unwrap();
        assert_eq!(kept(&mut open("this"), 7), [tests("old"), tests("new")]);
        assert_eq!(kept(&mut open("that"), 7), [tests("new"), tests("new")]);
    }
}
