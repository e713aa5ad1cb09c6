//! Changes for good what would have been put back: `monkeypatch` becomes an assignment, `with patch.object` too.

use anyorder_source::{Call, Function, Shape, Source, Statement, Text};

use super::Proposal;

/// Each statement that has something put back later, without that.
pub(super) fn dropped(source: &Source, function: &Function) -> Vec<Proposal> {
    let all = function.statements().iter().flat_map(Statement::walk);
    all.filter_map(|statement| plainly(source, statement).or_else(|| without_patch(source, statement)))
        .collect()
}

/// `monkeypatch.setattr(a, "b", c)` as `a.b = c`, and so on.
fn plainly(source: &Source, statement: &Statement) -> Option<Proposal> {
    let Shape::Call { call, is_awaited: false } = &statement.shape else { return None };
    let (receiver, method) = call.receiver()?;
    let is_patcher = ["monkeypatch", "mp", "self.monkeypatch"].contains(&&*receiver);
    let lines = is_patcher.then(|| assignment(&method, call))??;
    let mut editor = source.edit();
    editor.replace(statement, &lines);
    Some(proposal(statement, editor))
}

fn assignment(method: &str, call: &Call) -> Option<String> {
    let arguments: Vec<&Text> = call.arguments.iter().collect();
    Some(match (method, &arguments[..]) {
        ("setattr", [object, name, value]) => format!("{object}.{} = {value}", name_in(name)?),
        ("setattr", [path, value]) => {
            let path = literal(path)?;
            let (owner, name) = path.rsplit_once('.')?;
            // A module or a class, as `monkeypatch` itself finds it.
            let resolve = "__import__(\"_pytest.monkeypatch\", fromlist=[\"resolve\"]).resolve";
            format!("{resolve}(\"{owner}\").{name} = {value}")
        }
        ("delattr", [object, name]) => format!("del {object}.{}", name_in(name)?),
        ("setitem", [container, key, value]) => format!("{container}[{key}] = {value}"),
        ("delitem", [container, key]) => format!("{container}.pop({key}, None)"),
        ("setenv", [name, value, ..]) => format!("__import__(\"os\").environ[{name}] = {value}"),
        ("delenv", [name, ..]) => format!("__import__(\"os\").environ.pop({name}, None)"),
        ("chdir", [path]) => format!("__import__(\"os\").chdir({path})"),
        ("syspath_prepend", [path]) => format!("__import__(\"sys\").path.insert(0, str({path}))"),
        _ => return None,
    })
}

/// `with patch.object(a, "b", c):` as `a.b = c` and the block; with one context manager only.
fn without_patch(source: &Source, statement: &Statement) -> Option<Proposal> {
    let Shape::With { items } = &statement.shape else { return None };
    let [item] = &items[..] else { return None };
    let call = statement.calls.iter().find(|call| call.range == item.context.range())?;
    let change = match (&*call.function, &call.arguments[..]) {
        (function, [object, name, value]) if function.ends_with("patch.object") => {
            format!("{object}.{} = {value}", name_in(name)?)
        }
        (function, [container, values]) if function.ends_with("patch.dict") && values.starts_with('{') => {
            format!("{container}.update({values})")
        }
        _ => return None,
    };
    if item.target.is_some() || !call.keywords.is_empty() {
        return None;
    }
    let mut editor = source.edit();
    editor.insert_before(statement, &change);
    editor.replace_words(item.context.range(), "__import__(\"contextlib\").nullcontext()");
    Some(proposal(statement, editor))
}

fn proposal(statement: &Statement, editor: anyorder_source::Editor) -> Proposal {
    Proposal {
        range: statement.range.clone(),
        line: statement.line,
        words: statement.text.to_string(),
        editor,
        stays_inside: true,
    }
}

/// The name in a literal such as `"DEBUG"`.
fn name_in(text: &Text) -> Option<&str> {
    literal(text).filter(|name| name.chars().all(|letter| letter.is_alphanumeric() || letter == '_'))
}

/// What is in quotes, if it is a plain string.
fn literal(text: &Text) -> Option<&str> {
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    quoted('"')
        .or_else(|| quoted('\''))
        .filter(|inner| !inner.is_empty() && !inner.contains(['\\', '"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::super::testing::changed;
    use crate::{Operator, role::Role};

    #[test]
    fn what_monkeypatch_would_put_back_stays() {
        let text = "\
def test_it(monkeypatch, tmp_path):
    monkeypatch.setattr(settings, 'DEBUG', True)
    monkeypatch.setattr(\"shop.settings.DEBUG\", True)
    monkeypatch.setitem(FLAGS, key, 1)
    monkeypatch.delenv(\"HOME\", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.undo()
    other.setattr(settings, 'DEBUG', True)
";
        let expected = [
            "-monkeypatch.setattr(settings, 'DEBUG', True) +settings.DEBUG = True",
            "-monkeypatch.setattr(\"shop.settings.DEBUG\", True) \
             +__import__(\"_pytest.monkeypatch\", fromlist=[\"resolve\"]).resolve(\"shop.settings\").DEBUG = True",
            "-monkeypatch.setitem(FLAGS, key, 1) +FLAGS[key] = 1",
            "-monkeypatch.delenv(\"HOME\", raising=False) +__import__(\"os\").environ.pop(\"HOME\", None)",
            "-monkeypatch.chdir(tmp_path) +__import__(\"os\").chdir(tmp_path)",
        ];
        assert_eq!(changed(Operator::DropRestore, text, Role::Test), expected);
    }

    #[test]
    fn a_patch_around_a_block_becomes_an_assignment_before_it() {
        let text = "def test_it():\n    with mock.patch.object(shop, \"now\", late):\n        buy()\n";
        let expected = "-with mock.patch.object(shop, \"now\", late): +shop.now = late \
                        +with __import__(\"contextlib\").nullcontext():";
        assert_eq!(changed(Operator::DropRestore, text, Role::Test), [expected]);
    }
}
