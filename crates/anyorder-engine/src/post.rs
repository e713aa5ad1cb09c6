//! A post that a process holds until it is lost; then the next to ask puts another one there.

use std::sync::{Arc, Mutex};

use crate::error::EngineError;
use crate::lock::Locked;
use crate::node::Node;

#[derive(Default)]
pub(crate) struct Post(Mutex<Option<Arc<Node>>>);

impl Post {
    /// Whoever holds it; `made` takes an empty one, while others wait.
    pub(crate) fn holder(
        &self,
        made: impl FnOnce() -> Result<Arc<Node>, EngineError>,
    ) -> Result<Arc<Node>, EngineError> {
        let mut post = self.0.locked();
        if let Some(holder) = &*post {
            return Ok(Arc::clone(holder));
        }
        let new = made()?;
        *post = Some(Arc::clone(&new));
        Ok(new)
    }

    pub(crate) fn take(&self, holder: Arc<Node>) {
        *self.0.locked() = Some(holder);
    }

    /// It is empty from now on, unless somebody has replaced the one that was lost already.
    pub(crate) fn vacate(&self, lost: &Arc<Node>) {
        let mut post = self.0.locked();
        if post.as_ref().is_some_and(|holder| Arc::ptr_eq(holder, lost)) {
            *post = None;
        }
    }

    pub(crate) fn clear(&self) {
        *self.0.locked() = None;
    }
}
