//! What modules make when they are imported, made once more: for state that nobody can look into, such as a counter.

use anyorder_source::{Import, Shape, Source, Statement, Target};

use super::callable::{Call, Module, modules};
use super::matter::Matter;
use super::site::Site;
use super::text::module;

/// So many are tried.
const TRIED: usize = 120;

/// Assignments that give names of modules what they had at first. State that is known is put back more directly.
pub(super) fn initial(matter: &Matter<'_>, site: Option<&Site>) -> Vec<Call> {
    if !matter.problem.cells.is_empty() {
        return vec![];
    }
    let all = modules(matter, site);
    let assignments = all.iter().flat_map(|owner| {
        owner.1.top_level().iter().filter_map(|statement| done_again(owner, statement)).collect::<Vec<_>>()
    });
    assignments.take(TRIED).map(Call::plain).collect()
}

/// `numbers = count(1)` as others write it: `shop.cart.numbers = itertools.count(1)`. Nothing if it is no call, or takes more
/// than literals.
fn done_again((name, source): &Module, statement: &Statement) -> Option<String> {
    let Shape::Assign { targets, value } = &statement.shape else { return None };
    let [Target::Name(target)] = &targets[..] else { return None };
    let [call] = &statement.calls[..] else { return None };
    let [root] = &statement.loads[..] else { return None };
    let is_whole = source.text()[call.range.clone()] == **value && !value.contains('\n');
    let rest = value.strip_prefix(root.as_str()).filter(|_| is_whole)?;
    Some(format!("{}.{target} = {}{rest}", module(name), from_outside(name, source, root)?))
}

/// What a name of a module is called outside of it.
fn from_outside(own: &str, source: &Source, name: &str) -> Option<String> {
    let mut imports = source.imports().iter().filter(|import| import.is_top_level);
    match imports.find(|import| import.bound_name() == name) {
        Some(Import { level: 0, module: from, name: Some(name), .. }) => {
            Some(format!("{}.{name}", module(from)))
        }
        Some(import @ Import { level: 0, name: None, .. }) => {
            Some(module(if import.alias.is_some() { &import.module } else { name }))
        }
        Some(_) => None,
        None if source.binds(name) => Some(format!("{}.{name}", module(own))),
        None => Some(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::text::{Called, resolve};

    #[test]
    fn what_a_module_makes_is_made_from_outside() {
        let text = "import itertools\nimport os.path as p\nfrom itertools import count as c\nfrom . import near\n\
                    class Till:\n    pass\n\
                    a = c(1)\nb = itertools.count()\nd = Till()\ne = iter([1, 2])\nf = p.join('a')\n\
                    g = near.make()\nh = c(start)\ni = 3\nj = k = c(1)\nl = c(1) + c(2)\n";
        let owner = ("shop.cart".to_owned(), Source::parse(text).unwrap());
        let all = owner.1.top_level().iter().filter_map(|statement| done_again(&owner, statement));
        let all: Vec<String> =
            all.map(|text| resolve(&text, |module, _| Called::Module(format!("<{module}>")))).collect();
        assert_eq!(
            all,
            [
                "<shop.cart>.a = <itertools>.count(1)",
                "<shop.cart>.b = <itertools>.count()",
                "<shop.cart>.d = <shop.cart>.Till()",
                "<shop.cart>.e = iter([1, 2])",
                "<shop.cart>.f = <os.path>.join('a')",
            ]
        );
    }
}
