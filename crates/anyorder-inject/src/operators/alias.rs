//! Uses the thing itself where a copy was made.

use anyorder_source::{Call, Function, Shape, Source, Statement};

use super::Proposal;
use crate::assertion::checks_itself;

/// Functions that copy their only argument.
const COPIERS: [&str; 6] = ["copy", "deepcopy", "list", "dict", "set", "bytearray"];

/// Each copy of a name or attribute, without the copying.
pub(super) fn aliased(source: &Source, function: &Function) -> Vec<Proposal> {
    let all = function.statements().iter().flat_map(Statement::walk);
    let mut aliased = Vec::new();
    for statement in all.filter(|statement| !checks_itself(statement)) {
        for call in &statement.calls {
            aliased.extend(copied(call).map(|thing| instead(source, statement, call.range.clone(), &thing)));
        }
        if let Shape::Assign { value, .. } = &statement.shape
            && let Some(thing) = value.strip_suffix("[:]").filter(|thing| is_path(thing))
        {
            aliased.push(instead(source, statement, value.range(), thing));
        }
    }
    aliased
}

fn instead(source: &Source, statement: &Statement, range: std::ops::Range<usize>, thing: &str) -> Proposal {
    let mut editor = source.edit();
    editor.replace_words(range.clone(), thing);
    let words = source.text()[range.clone()].to_owned();
    Proposal { range, line: statement.line, words, editor, stays_inside: true }
}

/// What a call copies: `DEFAULTS` of `dict(DEFAULTS)`, `copy.copy(DEFAULTS)` and `DEFAULTS.copy()`.
fn copied(call: &Call) -> Option<String> {
    if !call.keywords.is_empty() {
        return None;
    }
    match &call.arguments[..] {
        [] => {
            let (thing, method) = call.receiver()?;
            (*method == *"copy" && is_path(&thing)).then(|| thing.to_string())
        }
        [thing] => {
            let name = call.function.strip_prefix("copy.").unwrap_or(&call.function);
            (COPIERS.contains(&name) && is_path(thing)).then(|| thing.to_string())
        }
        _ => None,
    }
}

/// Whether it is a name, or names with dots between them.
fn is_path(text: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
            && part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    text.split('.').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::super::testing::changed;
    use crate::{Operator, role::Role};

    #[test]
    fn copies_of_names_become_the_things_themselves() {
        let text = "\
def test_it():
    a = dict(shop.DEFAULTS)
    b = copy.deepcopy(a)
    use(b.copy(), 1)
    c = items[:]
    d = list(range(3))
    e = dict(a, x=1)
    assert list(c) == [1]
    self.assertEqual(set(c), {1})
";
        let expected = [
            "-a = dict(shop.DEFAULTS) +a = shop.DEFAULTS",
            "-b = copy.deepcopy(a) +b = a",
            "-use(b.copy(), 1) +use(b, 1)",
            "-c = items[:] +c = items",
        ];
        assert_eq!(changed(Operator::AliasCopy, text, Role::Test), expected);
    }
}
