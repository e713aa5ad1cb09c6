//! The page of a job on GitHub: a file that is named in the environment.

use std::io::Write as _;

/// Adds Markdown to the page, if there is one; says why if that cannot be done, which is no reason to forget what was found.
pub(crate) fn add_to_summary(text: &str) -> Result<(), String> {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") else { return Ok(()) };
    let file = std::fs::File::options().create(true).append(true).open(&path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| format!("cannot write the summary to `{}`: {error}", path.display()))
}
