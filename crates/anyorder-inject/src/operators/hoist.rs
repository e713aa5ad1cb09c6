//! Makes a value once for the whole module that a test made for itself.

use std::collections::BTreeSet;

use anyorder_source::{Function, Shape, Source, Statement, Target};

use super::Proposal;
use crate::role::Role;

/// Each value of a test that needs nothing of it, and could be changed by it.
pub(super) fn hoisted(source: &Source, function: &Function, role: Role) -> Vec<Proposal> {
    if role != Role::Test {
        return vec![];
    }
    let mut own: BTreeSet<String> =
        function.parameters.iter().map(|parameter| parameter.name.to_string()).collect();
    let mut hoisted = Vec::new();
    for statement in function.statements() {
        let is_free = !statement.loads.iter().any(|name| own.contains(&**name));
        if is_free && let Some(proposal) = hoist(source, statement) {
            hoisted.push(proposal);
        }
        own.extend(statement.stores.iter().map(ToString::to_string));
    }
    hoisted
}

fn hoist(source: &Source, statement: &Statement) -> Option<Proposal> {
    let Shape::Assign { targets, value } = &statement.shape else { return None };
    let [Target::Name(name)] = &targets[..] else { return None };
    let is_display = value.starts_with(['[', '{']);
    let is_call = statement.calls.iter().any(|call| call.range == value.range());
    let is_plain = !value.contains('\n') && !value.starts_with("await ");
    if !(is_display || is_call) || !is_plain {
        return None;
    }
    let global = format!("_hoisted_{name}");
    let mut editor = source.edit();
    // At the end of the file, where all is defined that the value is made of.
    editor.append(&format!("{global} = {value}"));
    editor.replace_words(value.range(), &global);
    Some(Proposal {
        range: statement.range.clone(),
        line: statement.line,
        words: statement.text.to_string(),
        editor,
        stays_inside: false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::changed;
    use crate::{Operator, role::Role};

    #[test]
    fn only_what_needs_nothing_of_the_test_is_hoisted() {
        let text = "\
class TestCart:
    def test_total(self, price):
        cart = Cart()
        prices = [1, 2]
        cart.add(price)
        more = list(prices)
        total = 3
        bag = make(price)
";
        let expected = [
            "-cart = Cart() +cart = _hoisted_cart + + +_hoisted_cart = Cart()",
            "-prices = [1, 2] +prices = _hoisted_prices + + +_hoisted_prices = [1, 2]",
        ];
        assert_eq!(changed(Operator::HoistLocal, text, Role::Test), expected);
    }
}
