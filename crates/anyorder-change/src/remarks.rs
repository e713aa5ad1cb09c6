//! Who looks at what code says about itself: docstrings and annotations. Nobody else notices when they change.

use std::cell::OnceCell;

use roaring::RoaringBitmap;

use crate::Imports;
use crate::changes::How;
use crate::ground::Ground;

/// How code looks at docstrings.
const DOCSTRINGS: [&str; 3] = ["__doc__", "doctest", "getdoc"];
/// How code looks at annotations.
const ANNOTATIONS: [&str; 7] = [
    "__annotations__",
    "__signature__",
    "get_annotations",
    "get_type_hints",
    "getfullargspec",
    "signature",
    "typechecked",
];

/// Who looks at docstrings, and who at annotations.
pub(crate) struct Remarks<'a> {
    docstrings: Looks<'a>,
    annotations: Looks<'a>,
}

impl<'a> Remarks<'a> {
    pub(crate) fn new(imports: &'a Imports) -> Self {
        Remarks {
            docstrings: Looks::new(imports, &DOCSTRINGS),
            annotations: Looks::new(imports, &ANNOTATIONS),
        }
    }

    /// Whether a test may notice a change like that.
    pub(crate) fn may_notice(&self, how: How, ground: &Ground<'_>, reach: &[RoaringBitmap; 2]) -> bool {
        match how {
            How::Docstring => self.docstrings.may_notice(ground, reach),
            How::Annotations => {
                self.docstrings.may_notice(ground, reach) || self.annotations.may_notice(ground, reach)
            }
            How::Body | How::Changed | How::Added | How::Deleted => true,
        }
    }
}

/// Who looks, by the words for it.
struct Looks<'a> {
    imports: &'a Imports,
    words: &'static [&'static str],
    /// Whether any code of the project does.
    does_any: bool,
    /// The files of both trees that may do so at import.
    at_import: OnceCell<[RoaringBitmap; 2]>,
}

impl<'a> Looks<'a> {
    fn new(imports: &'a Imports, words: &'static [&'static str]) -> Self {
        let does_any = [&imports.old, &imports.new].iter().any(|loaded| loaded.mentions(words));
        Looks { imports, words, does_any, at_import: OnceCell::new() }
    }

    /// Where it is known what a test ran, that decides; else it is enough that somebody looks.
    fn may_notice(&self, ground: &Ground<'_>, reach: &[RoaringBitmap; 2]) -> bool {
        if ground.is_text() || !self.does_any || ground.touched.is_none() {
            return ground.is_text() || self.does_any;
        }
        let trees = [&self.imports.old, &self.imports.new];
        let files = self.at_import.get_or_init(|| trees.map(|tree| tree.mention_at_import(self.words)));
        files.iter().zip(reach).any(|(files, reach)| !files.is_disjoint(reach))
            || self.words.iter().any(|name| ground.mentions(name))
            || trees.iter().any(|loaded| ground.runs_code_with(loaded, self.words))
    }
}
