//! The words of the project as plain data: tests, orders, outcomes, runs, findings, events.
//!
//! Knows what things are called and how they are written down. Runs nothing, decides nothing, prints nothing.

mod cause;
mod cell;
mod collection;
mod cost;
mod csv;
mod dependencies;
mod event;
mod finding;
mod oracle;
mod order;
mod order_file;
mod outcome;
mod patch;
mod place;
mod pollution;
mod profile;
mod run;
mod selection;
mod snippet;
mod suite;
mod swap;
mod treatment;

pub use cause::{Cause, Effort, Reason, Reset, State};
pub use cell::{Cell, CellKind};
pub use collection::{Collection, Extension, LoadedFile, RanFunction};
pub use cost::{Cost, Coverage, PairMatrix};
pub use csv::csv_line;
pub use dependencies::{DataEdge, Dependencies, Manifest, SharedPlace};
pub use event::{Aim, Differs, Event, Grade, Plan, Progress, Sighting};
pub use finding::{
    After, ByPolluter, Evidence, Finding, FindingId, Group, Kind, Mode, Rate, Rates, Reproduce,
};
pub use oracle::{
    Fan, FanRecord, Halted, News, Oracle, PlainAsk, PlainSeen, Purpose, Rung, Station, TailRecord,
};
pub use order::Order;
pub use order_file::{OrderFileError, format_order_file, parse_order_file};
pub use outcome::{Outcome, Phase, Signature};
pub use patch::{Change, NoPatch, Patch, PatchSource, Placement, Proposal, Repair, Strength, Verified};
pub use place::{Minded, Perturbation, Place, Way};
pub use pollution::Pollution;
pub use profile::{Code, Profile, Profiles, Watch, WatchRecord, Watched, Write};
pub use run::{ForeignRun, RunRecord, Step, Tally};
pub use selection::{Acceptance, Age, Selected, Selection, Spot, Why};
pub use snippet::{About, Snippet};
pub use suite::{CollectionError, Suite, Test, TestId, TestIndex};
pub use swap::{NotSwapped, Swap};
pub use treatment::{
    CodeLine, Lines, NotRestored, Read, Remedy, Suspect, Treated, Treatment, TreatmentRecord, Written,
};
