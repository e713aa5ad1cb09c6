//! Statements that change shared state for good, written so that `monkeypatch` undoes them.

use anyorder_source::{Shape, Source, Statement, Target};

/// The statement that `monkeypatch` takes back at the end of the test; nothing if it has no word for it.
pub(super) fn with_monkeypatch(statement: &Statement) -> Option<String> {
    match &statement.shape {
        Shape::Assign { targets, value } => match &targets[..] {
            [Target::Attribute { object, name }] if *object != "self" && *object != "cls" => {
                Some(format!("monkeypatch.setattr({object}, \"{name}\", {value})"))
            }
            [Target::Item { object, key }] if is_environment(object) => {
                Some(format!("monkeypatch.setenv({key}, {value})"))
            }
            [Target::Item { object, key }] if !is_slice(key) => {
                Some(format!("monkeypatch.setitem({object}, {key}, {value})"))
            }
            _ => None,
        },
        Shape::Delete { targets } => match &targets[..] {
            [Target::Attribute { object, name }] if *object != "self" && *object != "cls" => {
                Some(format!("monkeypatch.delattr({object}, \"{name}\")"))
            }
            [Target::Item { object, key }] if is_environment(object) => {
                Some(format!("monkeypatch.delenv({key})"))
            }
            [Target::Item { object, key }] if !is_slice(key) => {
                Some(format!("monkeypatch.delitem({object}, {key})"))
            }
            _ => None,
        },
        Shape::Call { call, is_awaited: false } => {
            let arguments: Vec<&str> = call.arguments.iter().map(anyorder_source::Text::as_str).collect();
            if !call.keywords.is_empty() {
                return None;
            }
            of_call(call.function.as_str(), &arguments)
        }
        _ => None,
    }
}

/// The same for an attribute that is not there: else `monkeypatch` would take it for a mistake.
pub(super) fn of_absent(word: String) -> String {
    match word.strip_suffix(')').filter(|word| word.starts_with("monkeypatch.setattr(")) {
        Some(word) => format!("{word}, raising=False)"),
        None => word,
    }
}

/// Whether it stands for several items: such a key cannot be an argument.
fn is_slice(key: &str) -> bool {
    Source::parse(format!("_({key})").as_bytes()).is_err()
}

fn is_environment(object: &str) -> bool {
    object == "environ" || object == "os.environ"
}

fn of_call(function: &str, arguments: &[&str]) -> Option<String> {
    match (function, arguments) {
        ("os.chdir" | "chdir", [directory]) => Some(format!("monkeypatch.chdir({directory})")),
        ("os.putenv", [key, value]) => Some(format!("monkeypatch.setenv({key}, {value})")),
        ("os.environ.pop", [key]) => Some(format!("monkeypatch.delenv({key})")),
        ("os.environ.pop", [key, "None"]) => Some(format!("monkeypatch.delenv({key}, raising=False)")),
        ("sys.path.insert", ["0", directory]) => Some(format!("monkeypatch.syspath_prepend({directory})")),
        ("setattr", [object, name, value]) => Some(format!("monkeypatch.setattr({object}, {name}, {value})")),
        ("delattr", [object, name]) => Some(format!("monkeypatch.delattr({object}, {name})")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> Option<String> {
        let source = Source::parse(text.as_bytes()).unwrap();
        with_monkeypatch(&source.top_level()[0])
    }

    #[test]
    fn what_changes_state_for_good_has_a_word_in_monkeypatch() {
        for (statement, word) in [
            ("settings.CURRENCY = 'EUR'", "monkeypatch.setattr(settings, \"CURRENCY\", 'EUR')"),
            ("os.environ['X'] = '1'", "monkeypatch.setenv('X', '1')"),
            ("del os.environ['X']", "monkeypatch.delenv('X')"),
            ("os.environ.pop('X', None)", "monkeypatch.delenv('X', raising=False)"),
            ("FLAGS['beta'] = True", "monkeypatch.setitem(FLAGS, 'beta', True)"),
            ("os.chdir(tmp_path)", "monkeypatch.chdir(tmp_path)"),
            ("sys.path.insert(0, here)", "monkeypatch.syspath_prepend(here)"),
            ("del settings.DEBUG", "monkeypatch.delattr(settings, \"DEBUG\")"),
        ] {
            assert_eq!(rewritten(statement).as_deref(), Some(word), "{statement}");
        }
    }

    #[test]
    fn an_attribute_that_is_not_there_is_no_mistake() {
        let word = rewritten("visit.count = f(1)").map(of_absent);
        assert_eq!(word.as_deref(), Some("monkeypatch.setattr(visit, \"count\", f(1), raising=False)"));
        assert_eq!(of_absent("monkeypatch.setenv(a, b)".to_owned()), "monkeypatch.setenv(a, b)");
    }

    #[test]
    fn other_statements_have_none() {
        for statement in [
            "x = 1",
            "self.x = 1",
            "a.b = c.d = 1",
            "orders.append(1)",
            "a.b += 1",
            "a[:] = [1]",
            "del a[1:]",
        ] {
            assert_eq!(rewritten(statement), None, "{statement}");
        }
    }
}
