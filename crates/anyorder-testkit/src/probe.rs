//! What has to hold for any bytes at all, whoever wrote them. The fuzz trials look for bytes for which it does not.
//!
//! A probe panics where a claim is broken, and tells whether there was anything to understand.

use anyorder_config::{Budget, Config, ConfigError, KEYS, parse_duration, parse_size};
use anyorder_engine::Inbox;
use anyorder_model::{format_order_file, parse_order_file};

/// Whether anything in the bytes was understood.
pub type Probe = fn(&[u8]) -> bool;

/// Every probe, by the name of its fuzz target.
pub const PROBES: [(&str, Probe); 3] = [("wire", wire), ("order_file", order_file), ("config", config)];

/// The engine hears the same however the bytes arrive. The first byte says in which pieces they do.
pub fn wire(bytes: &[u8]) -> bool {
    let Some((&piece, stream)) = bytes.split_first() else { return false };
    let at_once = heard([stream]);
    // Ever longer ones, so that a long stream is not in very many.
    let lengths =
        (1..=u8::MAX).cycle().zip(1..).map(|(count, least)| usize::from(piece.wrapping_mul(count)) + least);
    let in_pieces = heard(pieces(stream, lengths));
    assert_eq!(at_once, in_pieces);
    !at_once.0.is_empty()
}

/// An order that was read is written so that the same order is read again.
pub fn order_file(bytes: &[u8]) -> bool {
    match parse_order_file(&String::from_utf8_lossy(bytes)) {
        Ok(ids) => {
            assert_eq!(parse_order_file(&format_order_file(&ids)).as_ref(), Ok(&ids));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// Settings are values for their options, or the error says what to try.
pub fn config(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let configs =
        [Config::from_own_text(&text), Config::from_shared_text(&text)].into_iter().filter_map(told);
    configs.map(|config| KEYS.map(|key| values(&config, key)).iter().sum::<usize>()).sum::<usize>() > 0
}

/// Messages, and the error at their end, if it ends in one.
fn heard<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<String>, Option<String>) {
    let mut inbox = Inbox::default();
    let mut messages = Vec::new();
    for mut piece in pieces {
        while inbox.fill(&mut piece).expect("memory can be read") > 0 {}
        loop {
            match inbox.take() {
                Ok(Some(message)) => messages.push(format!("{message:?}")),
                Ok(None) => break,
                Err(error) => return (messages, Some(error)),
            }
        }
    }
    (messages, None)
}

fn pieces(mut rest: &[u8], lengths: impl Iterator<Item = usize>) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    for length in lengths {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at(length.min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// How many ways there are to read the value of `key`.
fn values(config: &Config, key: &str) -> usize {
    let as_time = config.get(key, parse_duration).map(|value| value.is_some());
    let as_size = config.get(key, parse_size).map(|value| value.is_some());
    let as_budget = config.get(key, str::parse::<Budget>).map(|value| value.is_some());
    [as_time, as_size, as_budget].into_iter().filter_map(told).filter(|&is_set| is_set).count()
}

fn told<T>(read: Result<T, ConfigError>) -> Option<T> {
    read.inspect_err(|error| assert!(!error.to_string().is_empty() && !error.hint().is_empty())).ok()
}
