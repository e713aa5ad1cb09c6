//! Words as one would type them into a shell.

/// The words, quoted where they need it, with spaces between.
pub(crate) fn join<'word>(words: impl IntoIterator<Item = &'word str>) -> String {
    let quoted = words.into_iter().map(|word| {
        // Only a NUL byte cannot be quoted, and no argument can hold one.
        shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
    });
    quoted.collect::<Vec<_>>().join(" ")
}
