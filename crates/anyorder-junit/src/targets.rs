//! Which tests are meant by what was typed: ids, classes with or without their package, packages, source files.

use std::path::Path;

use anyorder_model::Test;

/// Whether `test` is among what was typed; without anything typed, every test is.
pub(crate) fn is_meant(test: &Test, targets: &[String]) -> bool {
    targets.is_empty() || targets.iter().any(|target| means(target, test))
}

fn means(target: &str, test: &Test) -> bool {
    let target = target.strip_prefix("./").unwrap_or(target);
    let id = test.id.0.as_str();
    let class = id.split('#').next().unwrap_or(id);
    let simple = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    let without_package = id.strip_prefix(class).map(|rest| simple(class) + rest);
    let is_inside =
        |outer: &str, between: char| id.strip_prefix(outer).is_some_and(|rest| rest.starts_with(between));
    id == target
        || class == target
        || test.group == target
        || simple(&test.group) == target
        || simple(class) == target
        || without_package.as_deref() == Some(target)
        || is_inside(target, '.')
        || is_inside(target, '$')
        || is_inside(target, '[')
        || is_inside(target, '(')
        || (target.contains('/') && Path::new(&test.file).starts_with(target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyorder_model::TestId;

    #[test]
    fn a_test_answers_to_its_class_package_file_and_id() {
        let test = Test {
            id: TestId("com.acme.FooTest$Inner#bar[0]".to_owned()),
            group: "com.acme.FooTest".to_owned(),
            file: "src/test/java/com/acme/FooTest.java".to_owned(),
            line: 1,
            markers: vec![],
        };
        let targets = [
            "com.acme.FooTest",
            "FooTest",
            "com.acme",
            "com.acme.FooTest$Inner",
            "com.acme.FooTest$Inner#bar",
            "FooTest$Inner#bar[0]",
            "./src/test/java/com",
        ];
        for target in targets {
            assert!(is_meant(&test, &[target.to_owned()]), "{target}");
        }
        for target in ["com.ac", "com.acme.Foo", "FooTest#bar", "src/test/java/com/acme/Foo"] {
            assert!(!is_meant(&test, &[target.to_owned()]), "{target}");
        }
        assert!(is_meant(&test, &[]));
    }
}
