//! What a change may have done to a suite: which tests may behave otherwise now, and which share state with those.
//!
//! Knows two trees of files and what profiles say. Runs no test; only [`Repository`] starts a process, and that is `git`.
//!
//! [`Repository::since`] gives the two trees, [`changes`] what differs between them, [`affected`] the tests that it may
//! concern, and [`related`] those that have state in common with them, once the affected ones have been profiled anew.

mod affect;
mod at_import;
mod blobs;
mod by_cells;
mod by_class;
mod calls;
mod changes;
mod data;
mod elements;
mod everything;
mod git;
mod git_error;
mod graph;
mod ground;
mod imports;
mod java;
mod opaque;
mod profiles;
mod quiet;
mod record;
mod relate;
mod remarks;
mod renames;
mod settings;
mod stamp;
mod tree;
mod unnamed;

pub use affect::{Affected, Rts, affected};
pub use changes::{Changed, Changes, How, Named, changes};
pub use git::{Repository, Since};
pub use git_error::GitError;
pub use imports::Imports;
pub use java::{ClassRule, Classes, select_classes};
pub use profiles::{OldProfiles, Recorded};
pub use record::{Record, Records};
pub use relate::{Select, related};
pub use stamp::Stamp;
pub use tree::Tree;
