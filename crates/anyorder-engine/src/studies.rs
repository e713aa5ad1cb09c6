//! What code looks at, by the numbers that the processes of one marked state have for it.
//!
//! Knows what has been told. A forked process tells the numbers of the code that ran, because to tell names would be to copy
//! most of the memory that they are in; what a number means is asked for once, of whichever process says it first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use anyorder_model::Code;

use crate::lock::Locked;
use crate::wire::Studied;

/// What has been told so far.
#[derive(Debug, Default)]
pub(crate) struct Studies(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Every name, in the sequence in which they were told.
    names: Vec<String>,
    places: BTreeMap<String, usize>,
    /// By number: places of names, and the function unless it is the library's.
    code: BTreeMap<u32, (Vec<usize>, Option<Code>)>,
}

impl Studies {
    /// Those numbers of which nothing is known.
    pub(crate) fn unknown(&self, numbers: &[u32]) -> Vec<u32> {
        let known = self.0.locked();
        numbers.iter().copied().filter(|number| !known.code.contains_key(number)).collect()
    }

    /// Notes what these numbers mean.
    pub(crate) fn learn(&self, numbers: &[u32], told: Vec<Studied>) {
        let mut known = self.0.locked();
        for (&number, Studied { names, code }) in numbers.iter().zip(told) {
            let names = names.into_iter().map(|name| known.place_of(name)).collect();
            known.code.insert(number, (names, code));
        }
    }

    /// Adds what code with these numbers looks at, and where it is.
    pub(crate) fn add(&self, numbers: &[u32], reads: &mut BTreeSet<String>, code: &mut Vec<Code>) {
        let known = self.0.locked();
        let mut is_read = vec![false; known.names.len()];
        for (names, function) in numbers.iter().filter_map(|number| known.code.get(number)) {
            names.iter().for_each(|&name| is_read[name] = true);
            code.extend(function.clone());
        }
        let names =
            known.names.iter().zip(is_read).filter(|(_, is_read)| *is_read).map(|(name, _)| name.clone());
        *reads = names.chain(std::mem::take(reads)).collect();
    }
}

impl Known {
    fn place_of(&mut self, name: String) -> usize {
        if let Some(&place) = self.places.get(&name) {
            return place;
        }
        self.names.push(name.clone());
        self.places.insert(name, self.names.len() - 1);
        self.names.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn studied(names: &[&str], function: Option<&str>) -> Studied {
        let code =
            function.map(|name| Code { file: "shop.py".to_owned(), function: name.to_owned(), line: 1 });
        Studied { names: names.iter().map(|&name| name.to_owned()).collect(), code }
    }

    #[test]
    fn what_was_told_once_is_known_by_its_number() {
        let studies = Studies::default();
        assert_eq!(studies.unknown(&[4, 7]), [4, 7]);
        studies
            .learn(&[4, 7], vec![studied(&[".rate", "shop.TAX"], Some("total")), studied(&[".rate"], None)]);
        assert_eq!(studies.unknown(&[4, 5, 7]), [5]);
        let (mut reads, mut code) = (BTreeSet::from([".new".to_owned()]), vec![]);
        studies.add(&[4, 7], &mut reads, &mut code);
        assert_eq!(reads.into_iter().collect::<Vec<_>>(), [".new", ".rate", "shop.TAX"]);
        assert_eq!(code.iter().map(|code| code.function.as_str()).collect::<Vec<_>>(), ["total"]);
    }
}
