//! Which findings of a report have a proved cause.

use serde_json::Value;

/// What is told of each group of tests that was looked into, and of the finding itself.
pub fn explanations(finding: &Value) -> Vec<&Value> {
    let rows =
        ["by_polluter", "by_setter"].into_iter().filter_map(|field| finding[field].as_array()).flatten();
    let told = rows.map(|row| &row["explanation"]).chain([&finding["explanation"]]);
    told.filter(|one| one.is_object()).collect()
}

/// Whether the cause behind each group that was looked into is proved.
pub fn is_proved(finding: &Value) -> bool {
    let explanations = explanations(finding);
    !explanations.is_empty() && explanations.iter().all(|one| one["reason"].is_null())
}
