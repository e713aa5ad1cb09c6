//! Where bytes from a process that runs other people's code become messages, one by one.
//!
//! Trusts nothing: not the length that a message announces, nor that the rest of it ever comes.

use std::io::{self, Read};

use crate::wire::Message;

/// A longer message is taken for garbage. The longest that an honest agent sends are an environment and a test's output.
const LONGEST: usize = 16 << 20;

/// The same for a process that is going to tell a whole suite: a million tests and more.
const LONGEST_SUITE: usize = 256 << 20;

/// Bytes that have arrived and are not yet a whole message.
#[derive(Debug)]
pub struct Inbox {
    bytes: Vec<u8>,
    taken: usize,
    longest: usize,
}

impl Default for Inbox {
    fn default() -> Self {
        Inbox { bytes: Vec::new(), taken: 0, longest: LONGEST }
    }
}

impl Inbox {
    /// From now on a message may be as long as a suite is.
    pub(crate) fn expect_suite(&mut self) {
        self.longest = LONGEST_SUITE;
    }

    /// Reads what is there. `Ok(0)` means that the other end has closed.
    pub fn fill(&mut self, stream: &mut impl Read) -> io::Result<usize> {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        let mut chunk = [0; 8 << 10];
        let count = stream.read(&mut chunk)?;
        self.bytes.extend_from_slice(&chunk[..count]);
        Ok(count)
    }

    /// The next whole message, if there is one. An error means that the rest cannot be understood either.
    pub fn take(&mut self) -> Result<Option<Message>, String> {
        let waiting = &self.bytes[self.taken..];
        let Some((head, rest)) = waiting.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_be_bytes(*head) as usize;
        if length > self.longest {
            return Err(format!("a message of {length} bytes"));
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let message = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        self.taken += 4 + length;
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::TestOutcome;
    use proptest::prelude::*;

    fn framed(body: &[u8]) -> Vec<u8> {
        let head = u32::try_from(body.len()).unwrap().to_be_bytes();
        [&head, body].concat()
    }

    fn first(mut bytes: &[u8]) -> Result<Option<Message>, String> {
        let mut inbox = Inbox::default();
        while inbox.fill(&mut bytes).unwrap() > 0 {}
        inbox.take()
    }

    #[test]
    fn messages_split_at_any_byte_arrive_whole() {
        let frame = framed(br#"{"say":"outcome","at":3,"outcome":"timed-out","seconds":0.5}"#).repeat(2);
        for cut in 0..frame.len() {
            let mut inbox = Inbox::default();
            let mut count = 0;
            for mut part in [&frame[..cut], &frame[cut..]] {
                inbox.fill(&mut part).unwrap();
                while let Some(message) = inbox.take().unwrap() {
                    assert!(matches!(message, Message::Outcome(TestOutcome { at: 3, .. })));
                    count += 1;
                }
            }
            assert_eq!(count, 2, "cut at {cut}");
        }
    }

    #[test]
    fn a_length_beyond_the_limit_is_refused_before_the_rest_has_come() {
        let head = |length: usize| u32::try_from(length).unwrap().to_be_bytes();
        assert!(matches!(first(&head(LONGEST)), Ok(None)));
        assert_eq!(first(&head(LONGEST + 1)).unwrap_err(), "a message of 16777217 bytes");
        let mut inbox = Inbox::default();
        inbox.expect_suite();
        inbox.fill(&mut head(LONGEST + 1).as_slice()).unwrap();
        assert!(matches!(inbox.take(), Ok(None)));
    }

    #[test]
    fn nesting_without_end_is_an_error_and_not_the_end_of_the_stack() {
        for (before, deeper) in
            [("", "["), (r#"{"say":"ran","gained":"#, r#"{"threads":"#), (r#"{"x":"#, "[")]
        {
            let body = before.to_owned() + &deeper.repeat(1 << 20);
            let error = first(&framed(body.as_bytes())).unwrap_err();
            assert!(error.contains("recursion limit") || error.contains("invalid type"), "{error}");
        }
    }

    #[test]
    fn a_word_said_twice_is_no_message() {
        for body in [r#"{"say":"finished","say":"ran"}"#, r#"{"say":"forked","pid":7,"pid":8}"#] {
            let error = first(&framed(body.as_bytes())).unwrap_err();
            assert!(error.starts_with("duplicate field"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn garbage_is_an_error_or_waits_for_more(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut inbox = Inbox::default();
            inbox.fill(&mut bytes.as_slice()).unwrap();
            while let Ok(Some(_)) = inbox.take() {}
        }
    }
}
