//! Reads and edits source files of a suite: statements, literals, imports, differences.
//!
//! Knows the syntax of languages. Does not know why something is edited, nor files on disk.
