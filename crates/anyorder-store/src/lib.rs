//! The project's `.anyorder/` directory: what was run, what it came to, what was found.
//!
//! Knows files, one SQLite database, and who may write to it. Refuses to know what is in a recorded answer or in a
//! finding, which order to run next, and what time it is: callers say. Starts no process but `git`, to ask it which
//! files it knows.
//!
//! [`Store`] is for the one command that records; [`History`] is for everybody who reads, at any time.
//! A run is found again under its [`RunKey`], and only under the [`Fingerprint`] that it was recorded with: when a
//! source file, the interpreter, a package, a setting or the agent has changed, earlier runs are history, not results.

mod baseline;
mod database;
mod digest;
mod directory;
mod document;
mod error;
mod finding;
mod fingerprint;
mod history;
mod hunt;
mod imported;
mod lock;
mod note;
mod profile;
mod run;
mod sources;
mod store;

pub use baseline::{AcceptedFinding, Baseline, BaselineError, Day};
pub use digest::digest_of;
pub use directory::{state_directory, where_is};
pub use document::{KeptDocument, keep_document, kept_documents};
pub use error::StoreError;
pub use finding::{FoundFinding, KnownFinding};
pub use fingerprint::Fingerprint;
pub use history::History;
pub use hunt::{Hunt, HuntEnd, HuntNumber, HuntStart, HuntTime};
pub use profile::{KEPT_STATES, KeptProfile, KeptState};
pub use run::{OrderDigest, PastRun, Run, RunKey};
pub use sources::{digest_of_sources, source_files};
pub use store::{KEPT_FINGERPRINTS, Store};
