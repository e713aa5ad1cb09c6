//! A file before and after a change.

use anyorder_source::{Editor, Source};

/// The file after a change.
pub(crate) fn edited(
    text: &str,
    change: impl for<'a> FnOnce(&Source, &'a mut Editor) -> &'a mut Editor,
) -> String {
    let source = Source::parse(text).expect("readable");
    let mut editor = source.edit();
    change(&source, &mut editor);
    String::from_utf8(editor.finish().expect("can be changed")).expect("utf-8")
}
