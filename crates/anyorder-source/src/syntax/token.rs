//! Tokens as far as an editor cares.

use ruff_python_ast::token::{TokenKind, Tokens};
use ruff_text_size::Ranged;

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The end of a line of code.
    Newline,
    /// The end of a line without code, or inside of parentheses.
    Blank,
    Comment,
    Semicolon,
    Comma,
    Slash,
    /// A string of any sort, with all that stands in it.
    String,
    Indent,
    Dedent,
    Other,
}

/// A token and where it is, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
}

/// An interpolated string is one token here, whatever stands in it.
pub(super) fn ours(tokens: &Tokens) -> Vec<Token> {
    let mut ours: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut depth = 0usize;
    for token in tokens {
        let kind = token.kind();
        match kind {
            TokenKind::FStringStart | TokenKind::TStringStart => {
                if depth == 0 {
                    ours.push(Token { kind: Kind::String, range: super::range(token) });
                }
                depth += 1;
            }
            TokenKind::FStringEnd | TokenKind::TStringEnd => {
                depth -= 1;
                if let Some(last) = ours.last_mut() {
                    last.range.end = usize::from(token.end());
                }
            }
            _ if depth == 0 => ours.push(Token { kind: our_kind(kind), range: super::range(token) }),
            _ => {}
        }
    }
    ours
}

fn our_kind(kind: TokenKind) -> Kind {
    match kind {
        TokenKind::Newline => Kind::Newline,
        TokenKind::NonLogicalNewline => Kind::Blank,
        TokenKind::Comment => Kind::Comment,
        TokenKind::Semi => Kind::Semicolon,
        TokenKind::Comma => Kind::Comma,
        TokenKind::Slash => Kind::Slash,
        TokenKind::String => Kind::String,
        TokenKind::Indent => Kind::Indent,
        TokenKind::Dedent => Kind::Dedent,
        _ => Kind::Other,
    }
}
