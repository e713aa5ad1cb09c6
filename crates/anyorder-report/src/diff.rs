//! Changes as bytes that `git apply` and `patch -p1` accept.

use anyorder_model::Change;
use anyorder_source::diff;

/// All files, one after the other.
pub fn unified_diff(changes: &[Change]) -> Vec<u8> {
    changes.iter().flat_map(|change| diff(&change.path, change.before.as_deref(), &change.after)).collect()
}
