//! What a test stands on: all code whose change may change what it does.
//!
//! With a profile: the functions that it ran, those that it may have looked up by name, and what was imported for it. Without: all
//! that was imported for it.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use anyorder_model::{Profile, Test};
use roaring::RoaringBitmap;

use crate::elements::last;
use crate::imports::Loaded;
use crate::opaque::starts_processes;
use crate::profiles::{Touched, function_of, relative};

/// What a test stands on, in one tree or in two.
pub(crate) struct Ground<'a> {
    /// The functions that it ran; nothing if that is not known.
    pub(crate) touched: Option<Touched>,
    /// The last names that its code may look up.
    looked_up: HashSet<&'a str>,
    /// The files that it opened, as a tree names them; nothing if that is not known.
    pub(crate) opened: Option<BTreeSet<String>>,
    /// Where its function is, and where it is collected: tests are inherited, too.
    file: &'a str,
    collected_in: &'a str,
    /// The test's own function; nothing where it is none.
    own: Option<String>,
}

impl<'a> Ground<'a> {
    /// By a profile, if there is one that tells all the code that ran.
    pub(crate) fn new(test: &'a Test, profile: Option<&'a Profile>, root: &Path) -> Self {
        let touched =
            profile.filter(|profile| !starts_processes(profile)).map(|profile| Touched::new(profile, root));
        let own = function_of(test);
        let touched =
            touched.filter(|touched| own.as_deref().is_some_and(|name| touched.has_named(last(name))));
        let known = profile.filter(|_| touched.is_some());
        let opened = known.and_then(|profile| profile.opened.as_ref());
        let opened = opened.map(|files| files.iter().map(|file| relative(file, root)).collect());
        let reads = known.into_iter().flat_map(|profile| &profile.reads);
        Ground {
            touched,
            looked_up: reads.map(|name| last_word(name)).collect(),
            opened,
            file: &test.file,
            collected_in: test.id.0.split("::").next().unwrap_or(&test.file),
            own,
        }
    }

    /// The files that are loaded for it.
    pub(crate) fn reach(&self, loaded: &Loaded) -> RoaringBitmap {
        let mut reach =
            loaded.graph.reach_of_tests(self.file) | loaded.graph.reach_of_tests(self.collected_in);
        for file in self.touched.iter().flat_map(Touched::files) {
            reach |= loaded.graph.reach(file);
        }
        reach
    }

    /// Whether it is no function of its file: a doctest, for example.
    pub(crate) fn is_text(&self) -> bool {
        self.own.is_none()
    }

    /// Whether it may notice that a name of this file, of the module or of a class, stands for something else.
    pub(crate) fn knows(&self, file: &str, name: &str) -> bool {
        let is_inside = |own: &String| own.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let is_own = self.file == file && self.own.as_ref().is_some_and(|own| own == name || is_inside(own));
        let is_touched = |touched: &Touched| touched.has(file, name) || touched.has_method_of(file, name);
        is_own || self.looked_up.contains(last(name)) || self.touched.as_ref().is_some_and(is_touched)
    }

    /// Whether a function that it ran has one of these names, or strings, in it.
    pub(crate) fn runs_code_with(&self, loaded: &Loaded, words: &[&str]) -> bool {
        let mut ran = self.touched.iter().flat_map(Touched::functions);
        ran.any(|(file, function)| {
            let parts = loaded.tree.parts(file).into_iter().flat_map(|parts| &parts.parts);
            let mut named = parts.filter(|part| part.name == function || last(&part.name) == function);
            named.any(|part| words.iter().any(|word| part.mentions.contains(*word)))
        })
    }

    /// Whether code that it ran has this name for something.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.looked_up.contains(name)
    }

    /// Whether its code may look up something of this name. What Python looks up by itself is not meant.
    pub(crate) fn may_look_up(&self, function: &str) -> bool {
        let name = last(function);
        !(name.starts_with("__") && name.ends_with("__")) && self.looked_up.contains(name)
    }
}

/// `total` of `shop.cart.total`, `.total`, `shop.cart.total()` and `fixture total`.
fn last_word(name: &str) -> &str {
    let name = name.strip_suffix("()").unwrap_or(name);
    name.rsplit(['.', ' ']).next().unwrap_or(name)
}
