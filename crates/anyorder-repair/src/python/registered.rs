//! What is registered with Python for good: there is no opposite of the call, so something else has to do.

use anyorder_model::{Placement, Strength};
use anyorder_source::Statement;

use super::keep::{Keep, Known};
use super::matter::{Matter, tests_of};
use super::names::functions_in_words;
use super::recipe::{Edit, Step};
use super::site::Site;
use super::text::{module, within};
use super::undo::Undo;
use crate::candidate::{Candidate, Leaves};

/// A class that an abstract one was told of (`shop.Priced.register(shop.Cart)`): those that it knew before are told to it anew.
pub(super) fn with_class(path: &str, saved: &str) -> Option<Keep> {
    let (class, _) = path.split_once(".register(")?;
    let class = named(class)?;
    let save = format!("{saved} = [known() for known in {}._get_dump({class})[0]]", module("abc"));
    let tell = format!("for known in {saved}:\n    {class}.register(known)");
    let undo = [
        Undo::call(format!("{class}._abc_registry_clear")),
        // What is remembered to be a subclass would not be registered again.
        Undo::call(format!("{class}._abc_caches_clear")),
        Undo::Statement(tell),
    ];
    Some(Keep::new([save], undo).doubtful().with_locals())
}

/// A function for a class (`functools.singledispatch`): the one that was called for that class before is registered again.
pub(super) fn with_function(known: &Known<'_>, saved: &str) -> Option<Keep> {
    let (function, class) = known.state.cell.rsplit_once(".registry[<class ")?;
    let class = named(class.strip_suffix(">]")?)?;
    // Python shows the registry, but nobody has a name for what can be written to.
    let function = within(known.about.module.as_deref()?, function);
    let undo = Undo::Call {
        function: format!("{function}.register"),
        arguments: vec![class.clone(), saved.to_owned()],
    };
    let keep = Keep::new([format!("{saved} = {function}.dispatch({class})")], [undo]);
    // What was inherited is registered for that very class from then on.
    Some(if known.was_absent() { keep.doubtful() } else { keep })
}

/// Classes that Python has a name for in every module; others it keeps to itself.
const BUILT_IN: [&str; 17] = [
    "bool",
    "bytearray",
    "bytes",
    "complex",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "memoryview",
    "object",
    "range",
    "set",
    "slice",
    "str",
    "tuple",
    "type",
];

/// A class by the name of its module, which is to be resolved later: modules are in small letters.
fn named(dotted: &str) -> Option<String> {
    if let Some(name) = dotted.strip_prefix("builtins.") {
        let is_error = ["Error", "Exception", "Warning"].iter().any(|end| name.ends_with(end));
        let plain = Some(name).filter(|name| is_error || BUILT_IN.contains(name)).map(str::to_owned);
        return plain.or_else(|| (name == "NoneType").then(|| "type(None)".to_owned()));
    }
    let parts: Vec<&str> = dotted.split('.').collect();
    let at = parts.iter().position(|part| part.trim_start_matches('_').starts_with(char::is_uppercase));
    let at = at.unwrap_or(parts.len() - 1);
    let is_name = dotted.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '.');
    (at > 0 && is_name).then(|| format!("{}.{}", module(&parts[..at].join(".")), parts[at..].join(".")))
}

/// Where a name stands for good.
const FOR_GOOD: &str = "codecs.<error handlers>";

/// What a test registers under a name for good gets a name that nobody else asks for.
pub(super) fn renamed(matter: &Matter<'_>) -> Option<Candidate> {
    let [state] = &matter.problem.cells[..] else { return None };
    let name = state.cell.strip_prefix(FOR_GOOD)?.strip_prefix("['")?.strip_suffix("']")?;
    let polluters = matter.few_sites(&matter.problem.polluters).filter(|_| state.before == "<absent>")?;
    let own = format!("own-{name}");
    let mut steps = vec![];
    for (_, site) in &polluters {
        let edits = with_name(site, name, &own);
        if edits.is_empty() {
            return None;
        }
        steps.extend(edits.into_iter().map(|edit| Step { file: site.file.clone(), edit }));
    }
    let summary = format!("let {} register `{own}`, for `{name}` would stay", functions_in_words(&polluters));
    let candidate = matter.candidate(steps, Placement::Polluter, summary, tests_of(&polluters));
    Some(Candidate { strength: Strength::Unsafe, leaves: Leaves::Anything, ..candidate })
}

/// The statements of a test that say `name`, with another one.
fn with_name(site: &Site, name: &str, own: &str) -> Vec<Edit> {
    let all =
        site.function.body.iter().flat_map(Statement::walk).filter(|statement| statement.blocks.is_empty());
    let edit = |statement: &Statement| {
        let quoted = |quote: char, name: &str| format!("{quote}{name}{quote}");
        let by = ['"', '\''].into_iter().fold(statement.text.to_string(), |text, quote| {
            text.replace(&quoted(quote, name), &quoted(quote, own))
        });
        let function = site.function.names.clone();
        (by != statement.text.as_str()).then(|| Edit::Replace {
            function,
            statement: statement.text.to_string(),
            by,
        })
    };
    all.filter_map(edit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::text::{Called, resolve};

    #[test]
    fn classes_are_found_in_their_modules() {
        let name = |dotted: &str| {
            let text = named(dotted)?;
            Some(resolve(&text, |module, _| Called::Module(format!("<{module}>"))))
        };
        assert_eq!(name("builtins.float").as_deref(), Some("float"));
        assert_eq!(name("builtins.NoneType").as_deref(), Some("type(None)"));
        assert_eq!(name("builtins.function"), None);
        assert_eq!(name("collections.abc.Sequence").as_deref(), Some("<collections.abc>.Sequence"));
        assert_eq!(name("shop.Cart.Owner").as_deref(), Some("<shop>.Cart.Owner"));
        assert_eq!(name("array.array").as_deref(), Some("<array>.array"));
        assert_eq!(name("tests.test_a.f.<locals>.Cart"), None);
    }
}
