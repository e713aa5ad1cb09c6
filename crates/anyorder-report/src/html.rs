//! One file that shows a whole report in a browser: self-contained, and forbidden to ask for anything from anywhere.
//!
//! Knows how the parts of `html/` become a page that is safe to open. What is shown, and how, is in those files; they put
//! every text of the suite in as text. What the document means, nobody here knows.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/style.css");

/// In the order in which they use each other.
const SCRIPTS: [&str; 14] = [
    include_str!("html/dom.js"),
    include_str!("html/model.js"),
    include_str!("html/summary.js"),
    include_str!("html/cause.js"),
    include_str!("html/patch.js"),
    include_str!("html/story.js"),
    include_str!("html/list.js"),
    include_str!("html/layout.js"),
    include_str!("html/boxes.js"),
    include_str!("html/graph.js"),
    include_str!("html/chosen.js"),
    include_str!("html/moving.js"),
    include_str!("html/matrix.js"),
    include_str!("html/tables.js"),
];

/// Starts the page.
const MAIN: &str = include_str!("html/main.js");

/// What a report holds and the page has no use for; profiles of a large suite would be most of the file.
const NOT_SHOWN: [&str; 6] = ["checks", "differs", "profiles", "runs", "selection", "tests"];

/// What the page has no use for among dependencies.
const NOT_SHOWN_OF_DEPENDENCIES: [&str; 4] = ["data", "parallel", "schedule", "untestable"];

/// What could end a script, begin a comment or a line, and how a JSON text says it otherwise. All of them only stand in
/// texts there.
const SPECIAL: [(&str, &str); 5] =
    [("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\u{2028}", "\\u2028"), ("\u{2029}", "\\u2029")];

/// The page that shows a document.
pub fn html(document: &Value) -> String {
    let script = format!("(() => {{\n\"use strict\";\n{}\n{MAIN}}})();\n", SCRIPTS.join("\n"));
    let policy = policy(&script);
    let document = embedded(document);
    let parts = [("policy", &*policy), ("style", STYLE), ("document", &*document), ("script", &*script)];
    filled(PAGE, &parts)
}

/// Only this script and this style; nothing is fetched, framed or sent.
fn policy(script: &str) -> String {
    format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(script),
        hash(STYLE)
    )
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

/// JSON in which no byte can end the element that holds it.
fn embedded(document: &Value) -> String {
    let mut shown = document.clone();
    strip(&mut shown);
    SPECIAL.iter().fold(shown.to_string(), |text, (raw, safe)| text.replace(raw, safe))
}

fn strip(report: &mut Value) {
    let Some(fields) = report.as_object_mut() else { return };
    fields.retain(|name, _| !NOT_SHOWN.contains(&name.as_str()));
    if let Some(dependencies) = fields.get_mut("dependencies").and_then(Value::as_object_mut) {
        dependencies.retain(|name, _| !NOT_SHOWN_OF_DEPENDENCIES.contains(&name.as_str()));
    }
    fields.get_mut("more").and_then(Value::as_array_mut).into_iter().flatten().for_each(strip);
}

/// A text with values in the place of `{{name}}`, which stand there in this order. What looks like a name inside of a
/// value stays as it is.
fn filled(text: &str, values: &[(&str, &str)]) -> String {
    let (mut done, mut rest) = (String::new(), text);
    for (name, value) in values {
        let (before, after) =
            rest.split_once(&format!("{{{{{name}}}}}")).expect("the page has each name once");
        done += before;
        done += value;
        rest = after;
    }
    done + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What stands between two texts.
    fn between<'a>(page: &'a str, begin: &str, end: &str) -> &'a str {
        let (_, rest) = page.split_once(begin).expect(begin);
        rest.split_once(end).expect(end).0
    }

    fn data(page: &str) -> &str {
        between(page, "id=\"document\">", "</script>")
    }

    #[test]
    fn text_of_a_suite_can_neither_end_its_element_nor_begin_another() {
        let hostile = "</script><script>alert(1)</script><!-- &amp; {{script}} ' \" \u{2028}\u{2029}\u{202e}";
        let document = json!({"findings": [{"id": "v-000000", "test": hostile}]});
        let page = html(&document);
        let empty = html(&json!({}));
        assert!(!data(&page).contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
        assert_eq!(page.matches("<script").count(), empty.matches("<script").count());
        assert_eq!(page.matches("</script").count(), empty.matches("</script").count());
        assert_eq!(serde_json::from_str::<Value>(data(&page)).expect("it is JSON"), document);
    }

    #[test]
    fn the_policy_allows_the_script_and_the_style_that_are_there_and_nothing_else() {
        let page = html(&json!({"findings": []}));
        let policy = between(&page, "Content-Security-Policy\" content=\"", "\"");
        let script = between(&page, "<script>", "</script>");
        let style = between(&page, "<style>", "</style>");
        let expected = format!(
            "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
            hash(script),
            hash(style)
        );
        assert_eq!(policy, expected);
        assert_eq!(hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }

    #[test]
    fn scripts_put_no_markup_anywhere_and_name_no_other_place() {
        for script in SCRIPTS.into_iter().chain([MAIN]) {
            for word in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "fetch(",
                "</script",
            ] {
                assert!(!script.contains(word), "{word}");
            }
            let addresses = script.replace("http://www.w3.org/2000/svg", "");
            assert!(!addresses.contains("http:") && !addresses.contains("https:"), "{addresses}");
        }
        assert!(!STYLE.contains("@import") && !STYLE.contains("url("));
    }

    #[test]
    fn what_is_not_shown_is_not_in_the_file() {
        let report =
            json!({"profiles": [{"test": "a"}], "dependencies": {"manifest": [], "schedule": ["a"]}});
        let page = html(&json!({"findings": [], "tests": [], "more": [report]}));
        assert_eq!(data(&page), r#"{"findings":[],"more":[{"dependencies":{"manifest":[]}}]}"#);
    }
}
