//! Changes of Java projects, told by class files: which classes differ, who may load them, and who shares static state.

mod class_file;
mod classes;
mod jar;
mod loading;
mod resource;
mod select;

pub use classes::Classes;
pub use select::{ClassRule, select_classes};
