//! Causes, cleaners and setters become candidates; candidates become verified patches.
//!
//! Sees the world through oracles: the suite as it is, and as a candidate would have it. Does not know processes or disk.
