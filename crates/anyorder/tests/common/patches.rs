//! Patches as snapshots have them.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// All patches of a report, as a person would look at them.
pub(crate) fn patches(directory: &Path, report: &Value) -> String {
    let one = |patch: &Value| {
        let diff = fs::read(directory.join(patch["diff"].as_str().unwrap())).unwrap();
        let word = |name: &str| patch[name].as_str().unwrap().to_owned();
        let heading =
            format!("{}, {} at {}: {}", word("strength"), word("source"), word("placement"), word("summary"));
        format!("{heading}\n{}", String::from_utf8_lossy(&diff).replace('\r', "\\r"))
    };
    report["patches"].as_array().unwrap().iter().map(one).collect::<Vec<_>>().join("\n")
}
