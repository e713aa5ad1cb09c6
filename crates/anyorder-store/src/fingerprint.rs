//! What a suite's outcomes may depend on, besides order: the same fingerprint, the same outcomes, as far as we can see.
//!
//! Knows the parts and how they are compared. Callers say what is in them.

use crate::digest::Digester;

/// The parts may be any text: a digest, a version, a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// The project's files; see [`crate::digest_of_sources`].
    pub sources: String,
    /// The interpreter or virtual machine, with its version.
    pub interpreter: String,
    /// The installed packages, with their versions.
    pub packages: String,
    /// The settings that change how tests run.
    pub settings: String,
    /// The version of the agent that rides inside the test process.
    pub agent: String,
}

impl Fingerprint {
    /// One digest over all parts.
    pub fn digest(&self) -> String {
        let mut digester = Digester::default();
        for (_, part) in self.parts() {
            digester.add(part.as_bytes());
        }
        digester.hex()
    }

    /// The names of the parts that `other` has differently.
    pub fn differences(&self, other: &Fingerprint) -> Vec<&'static str> {
        let pairs = self.parts().into_iter().zip(other.parts());
        pairs.filter(|((_, mine), (_, theirs))| mine != theirs).map(|((name, _), _)| name).collect()
    }

    fn parts(&self) -> [(&'static str, &str); 5] {
        [
            ("sources", &self.sources),
            ("interpreter", &self.interpreter),
            ("packages", &self.packages),
            ("settings", &self.settings),
            ("agent", &self.agent),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_moves_from_one_part_to_the_next_changes_the_digest() {
        let one = Fingerprint { sources: "ab".to_owned(), interpreter: "c".to_owned(), ..Default::default() };
        let other =
            Fingerprint { sources: "a".to_owned(), interpreter: "bc".to_owned(), ..Default::default() };
        assert_ne!(one.digest(), other.digest());
        assert_eq!(one.digest(), one.clone().digest());
        assert_eq!(one.differences(&other), ["sources", "interpreter"]);
        assert_eq!(one.differences(&one), [""; 0]);
    }
}
