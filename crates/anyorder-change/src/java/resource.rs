//! Files beside classes: which classes one of them names, and who may open it.

use std::collections::BTreeSet;

use anyorder_source::Digest;
use serde::{Deserialize, Serialize};

use super::class_file::{ClassFile, words};
use crate::tree::short;

/// Where services are named with the classes that provide them.
const SERVICES: &str = "META-INF/services/";

/// Another file on the class path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Resource {
    pub(crate) digest: Digest,
    /// Names of classes in it.
    pub(crate) names: BTreeSet<String>,
}

impl Resource {
    /// With all words that may be names.
    pub(crate) fn read(contents: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(contents);
        let text = std::str::from_utf8(contents).unwrap_or_default();
        Resource { digest: short(&hasher), names: words(text).collect() }
    }
}

/// Who may open a file, as far as texts in classes tell.
pub(crate) struct Openers<'a> {
    /// The service that is provided there.
    service: Option<&'a str>,
    /// What a class says who opens it: its name, or that without the ending.
    mentions: Vec<String>,
}

impl<'a> Openers<'a> {
    pub(crate) fn of(path: &'a str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.rsplit_once('.').map(|(stem, _)| stem);
        let last = |text: &str| words(text).last();
        Openers {
            service: path.strip_prefix(SERVICES),
            mentions: last(name).into_iter().chain(stem.and_then(last)).collect(),
        }
    }

    pub(crate) fn has(&self, class: &ClassFile) -> bool {
        // Whoever asks for a service loads the class of that name.
        if let Some(service) = self.service {
            return class.name == service;
        }
        let is_name = |text: &String| {
            let ends =
                |name: &String| text.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with('.'));
            self.mentions.iter().any(|name| text == name || ends(name))
        };
        class.mentions.iter().any(is_name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, mentions: &[&str]) -> ClassFile {
        ClassFile {
            name: name.to_owned(),
            digest: Digest::default(),
            mentions: mentions.iter().map(|&text| text.to_owned()).collect(),
            statics: vec![],
            source: None,
        }
    }

    #[test]
    fn a_file_is_opened_by_who_has_its_name_with_or_without_the_ending() {
        let openers = Openers::of("acme/rates-table.properties");
        for (text, may_open) in [
            ("table.properties", true),
            (".acme.table.properties", true),
            ("acme.table", true),
            ("vegetable", false),
            ("properties", false),
        ] {
            assert_eq!(openers.has(&class("acme.Rates", &[text])), may_open, "{text}");
        }
    }

    #[test]
    fn a_service_is_provided_to_who_loads_its_class() {
        let openers = Openers::of("META-INF/services/acme.Tax");
        assert!(openers.has(&class("acme.Tax", &[])));
        assert!(!openers.has(&class("acme.Other", &["acme.Tax"])));
    }
}
