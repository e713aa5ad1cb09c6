//! Text of a suite is text, and the policy forbids all that is not the report's own.

use anyorder_testkit::browser::Browser;
use serde_json::json;

use super::documents::{hostile, hostile_texts, small};
use super::{on, written};

/// A hostile text as the page shows it: what cannot be seen has its number.
fn as_shown(text: &str) -> String {
    let shown = text.chars().map(|character| match character {
        '\u{0}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202c}' | '\u{202e}' | '\u{2067}' => {
            format!("U+{:04X}", u32::from(character))
        }
        other => other.to_string(),
    });
    shown.collect()
}

#[test]
fn hostile_texts_are_shown_as_text_in_their_own_direction() {
    on("hostile", &hostile(), "", |page| {
        page.value(
            "document.querySelectorAll('.finding .head, button.more').forEach((each) => each.click())",
        );
        page.value(
            "document.querySelectorAll('.graph .node').forEach((node) => node.dispatchEvent(new MouseEvent('click')))",
        );
        let shown = page
            .text("document.body.textContent.replace(document.getElementById('document').textContent, '')");
        for text in hostile_texts() {
            let text = as_shown(&text);
            assert!(shown.contains(&format!("test[{text}]")), "{text}");
        }
        let made = "document.querySelectorAll( \
            'main script, main img, main iframe, [onload], [onerror], a[href^=javascript]').length";
        assert_eq!(page.value(made), json!(0));
        assert_eq!(page.value("window.harmed === undefined"), json!(true));
        let turned = "[...document.querySelectorAll('main bdi')].filter((each) => \
            getComputedStyle(each).unicodeBidi !== 'isolate' || /[\\u202a-\\u202e\\u2066-\\u2069]/.test(each.textContent)).length";
        assert_eq!(page.value(turned), json!(0));
        let is_narrow = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
        assert_eq!(page.value(is_narrow), json!(true), "5,000 characters do not make the page wider");
    });
}

#[test]
fn the_policy_stops_scripts_and_requests_that_are_not_the_reports_own() {
    let file = written("policy", &small());
    let mut browser = Browser::shared();
    let mut page = browser.page();
    page.open(&file, "");
    page.value(
        "(() => { const script = document.createElement('script'); script.textContent = 'window.harmed = 1'; \
         document.body.append(script); })()",
    );
    page.value("document.body.setAttribute('onclick', 'window.harmed = 1'); document.body.click()");
    assert_eq!(page.value("window.harmed === undefined"), json!(true));
    let answer = page.text("fetch('https://example.invalid/').then(() => 'answered', () => 'refused')");
    assert_eq!(answer, "refused");
    let complaints = page.complaints();
    let breaches = complaints.iter().filter(|each| each["entry"]["source"] == "security").count();
    assert_eq!(breaches, 3, "{complaints:?}");
}
