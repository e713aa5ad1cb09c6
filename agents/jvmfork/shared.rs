//! Room for what several functions of the forking thread need, where nothing can be allocated.

use core::cell::UnsafeCell;

/// Something that is used by one thread at a time; who uses it says why that is so.
pub(crate) struct Shared<T>(UnsafeCell<T>);

// SAFETY: whoever looks inside promises that nobody else does; `jni.rs` lets one thread fork at a time.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub(crate) const fn new(value: T) -> Self {
        Shared(UnsafeCell::new(value))
    }

    pub(crate) fn get(&self) -> *mut T {
        self.0.get()
    }
}
