//! The page in a real browser: what people see, click, type, copy and print.

mod browser;

use anyorder_testkit::thorough::usually_or_in_trials;
use serde_json::{Value, json};

use browser::documents::{ID, POLLUTER, VICTIM, large, small};
use browser::{SHOWN, assert_told, filter, on, on_file, written};

/// Seconds from the first byte to a filter that has had its effect.
const SOON: f64 = 2.0;

#[test]
fn a_report_opens_with_numbers_a_graph_and_tables() {
    on("opens", &small(), "", |page| {
        let told = page.text("document.body.innerText");
        assert_told(&told, &["2 tests depend on what ran before", "1 has a verified patch"]);
        assert_told(&told, &["1 of 1 confirmed in plain runs", "66.7 % of 30 ordered pairs tried"]);
        let sections =
            page.text("[...document.querySelectorAll('main > section')].map((each) => each.id).join(' ')");
        assert_eq!(sections, "summary graph findings matrix pollution history cost");
        let nodes = "[...document.querySelectorAll('.graph .node')] \
            .filter((node) => node.getBoundingClientRect().width > 50).length";
        assert_eq!(page.value(nodes), json!(6));
        assert_eq!(page.value("document.querySelectorAll('.graph .edge').length"), json!(5));
        let lefts = [POLLUTER, VICTIM].map(|test| {
            page.value(&format!("document.querySelector(`[data-test='{test}']`).getBoundingClientRect().x"))
        });
        assert!(lefts[0].as_f64() < lefts[1].as_f64(), "a polluter stands left of its victim: {lefts:?}");
        page.wait_for(
            "(() => { const canvas = document.querySelector('.matrix'); \
             const image = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height); \
             return new Set(image.data).size > 3; })()",
        );
    });
}

#[test]
fn a_filter_leaves_what_fits_by_text_kind_and_file() {
    on("filter", &small(), "", |page| {
        assert_eq!(page.text(SHOWN), format!("{ID} b-000001 p-000001"));
        filter(page, "currency TOTAL");
        assert_eq!(page.text(SHOWN), ID);
        assert_eq!(page.text("document.getElementById('shown').textContent"), "1 of 3 findings");
        page.wait_for("document.querySelectorAll('.graph .node').length === 3");
        page.press("Escape");
        page.click(".chip[data-kind='brittle']");
        assert_eq!(page.text(SHOWN), "b-000001");
        page.click(".chip[data-kind='brittle']");
        page.value(
            "(() => { const files = document.querySelector('.filters select'); \
             files.value = 'tests/test_shop.py'; files.dispatchEvent(new Event('change')); })()",
        );
        assert_eq!(page.text(SHOWN), "b-000001 p-000001");
        filter(page, "nothing is called so");
        assert_eq!(page.value("document.getElementById('none').checkVisibility()"), json!(true));
    });
}

#[test]
fn a_click_on_a_node_tells_its_story_and_leads_to_the_finding() {
    on("click", &small(), "", |page| {
        let story = "document.querySelector('.node-story').innerText";
        page.click(&format!("[data-test='{POLLUTER}']"));
        assert_told(&page.text(story), &["makes test_total fail by shop.settings.CURRENCY"]);
        page.click(&format!("[data-test='{VICTIM}']"));
        let told = page.text(story);
        assert_told(&told, &["passes alone and fails after test_switch", "'USD' → 'EUR'"]);
        assert_told(&told, &["tests/test_currency.py:18", "shop/cart.py:41"]);
        page.click(&format!(".node-story a[href='#{ID}']"));
        page.wait_for(&format!("document.getElementById('{ID}-story').checkVisibility()"));
        page.click("[data-view='deps']");
        page.wait_for(
            "document.querySelectorAll('.graph .edge.needs').length === 1 \
             && document.querySelectorAll('.graph .node').length === 2",
        );
    });
}

#[test]
fn an_address_names_a_finding_and_a_story_has_all_of_its_parts() {
    on("story", &small(), ID, |page| {
        let top = page.value(&format!("document.getElementById('{ID}').getBoundingClientRect().top"));
        assert!(top.as_f64().is_some_and(|top| (0.0..300.0).contains(&top)), "it is in sight: {top}");
        let all = |selector: &str, what: &str| {
            format!(
                "[...document.querySelectorAll('#{ID}-story {selector}')].map((each) => {what}).join(', ')"
            )
        };
        let parts =
            "What the polluter leaves, Why nobody saw it, How it fails, Orders, See it yourself, Patch, Seen";
        assert_eq!(page.text(&all("h4", "each.textContent")), parts);
        let orders = page.text(&all(".order", "each.innerText"));
        assert!(orders.starts_with("✗ Fails\ntest_switch tests/test_currency.py\ntest_total"), "{orders}");
        let [added, removed] = ["added", "removed"]
            .map(|name| page.text(&all(&format!(".line.{name}"), "getComputedStyle(each).color")));
        assert!(!added.is_empty() && added != removed, "{added} {removed}");
        assert_told(
            &page.text(&format!("document.getElementById('{ID}-story').textContent")),
            &["# Let `test_total` pass in any order"],
        );
    });
}

#[test]
fn a_copy_button_puts_the_command_on_the_clipboard() {
    on("copy", &small(), ID, |page| {
        let permissions = json!({"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]});
        page.ask("Browser.grantPermissions", &permissions);
        page.ask("Page.bringToFront", &json!({}));
        page.click(&format!("#{ID}-story .copy"));
        page.wait_for(&format!("document.querySelector('#{ID}-story .copy').textContent === 'Copied'"));
        let command = format!("python -m pytest {POLLUTER} {VICTIM}");
        assert_eq!(page.text("navigator.clipboard.readText()"), command);
        assert_eq!(page.text("document.getElementById('said').textContent"), "Copied");
        // Where there is no clipboard, a selection is copied.
        page.value("navigator.clipboard.writeText('nothing')");
        page.value("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))");
        page.click(&format!("#{ID}-story .copyable:nth-of-type(2) .copy"));
        page.wait_for("navigator.clipboard.readText().then((text) => text.endsWith('test_total'))");
    });
}

#[test]
fn dark_mode_turns_the_page_dark_and_text_stays_readable() {
    on("dark", &small(), ID, |page| {
        let looks = "['backgroundColor', 'color'].map((name) => getComputedStyle(document.body)[name]) \
            .map((colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number).reduce((one, other) => one + other) / 765)";
        let node = "getComputedStyle(document.querySelector('.graph .node.victim rect')).fill";
        let [light, dark] = ["light", "dark"].map(|scheme| {
            page.show_as("screen", scheme);
            let looks = page.value(looks);
            let [ground, ink] = [0, 1].map(|place| looks[place].as_f64().expect("a number"));
            (ground, ink, page.text(node))
        });
        assert!(light.0 > 0.9 && light.1 < 0.3, "{light:?}");
        assert!(dark.0 < 0.2 && dark.1 > 0.8, "{dark:?}");
        assert_ne!(light.2, dark.2);
    });
}

#[test]
fn ten_thousand_tests_and_two_thousand_findings_are_at_hand_in_two_seconds() {
    let filtered = "(() => { const box = document.getElementById('filter'); \
        box.value = 'key1234'; box.dispatchEvent(new Event('input')); \
        const drawn = () => new Promise(requestAnimationFrame); \
        return drawn().then(drawn).then(() => performance.now() / 1000); })()";
    let file = written("large", &large());
    on_file(&file, "", |page| {
        let by_the_clock = page.value(filtered).as_f64().expect("a number");
        let of_cpu = page.seconds_of_cpu();
        // Other tests run at the same time every day, and a clock counts them, too.
        let took = usually_or_in_trials(of_cpu, by_the_clock);
        assert!(took < SOON, "{of_cpu} s of CPU, {by_the_clock} s");
        assert_eq!(page.text(SHOWN), "v-001234");
        page.press("Escape");
        page.wait_for("document.getElementById('graph-words').textContent.includes('of 2,000 findings')");
        let nodes = page.value("document.querySelectorAll('.graph .node').length");
        assert!(nodes.as_u64().is_some_and(|nodes| (30..60).contains(&nodes)), "{nodes}");
        page.value("location.hash = 'v-001777'");
        page.wait_for("document.querySelector(`.graph [data-test$='test_thing[1777]']`) !== null");
    });
}

#[test]
fn the_keyboard_is_enough() {
    on("keys", &small(), "", |page| {
        let at = "document.activeElement.closest('.finding')?.id ?? document.activeElement.id";
        page.press("/");
        assert_eq!(page.text(at), "filter");
        assert_eq!(page.text("document.getElementById('filter').value"), "");
        page.value("document.activeElement.blur()");
        let visited = ["j", "j", "k"].map(|key| {
            page.press(key);
            page.text(at)
        });
        assert_eq!(visited, [ID, "b-000001", ID]);
        let ring = page.text("getComputedStyle(document.activeElement).outlineStyle");
        assert_eq!(ring, "solid", "the focus can be seen");
        let is_open = format!("document.getElementById('{ID}-story').checkVisibility()");
        page.press("Enter");
        assert_eq!(page.value(&is_open), json!(true));
        assert_eq!(page.text("document.activeElement.getAttribute('aria-expanded')"), "true");
        page.press("Escape");
        assert_eq!(page.value(&is_open), json!(false));
        // The graph is drawn anew a little after the last key, which takes the focus away.
        page.value("new Promise((done) => setTimeout(done, 500))");
        page.value(&format!("document.querySelector(`[data-test='{POLLUTER}']`).focus()"));
        page.press("Enter");
        assert_eq!(page.value("document.querySelector('.node-story').checkVisibility()"), json!(true));
        let nameless = "[...document.querySelectorAll('button, a, input, select, [role=button], [role=img]')] \
            .filter((each) => !(each.getAttribute('aria-label') || each.textContent).trim()).length";
        assert_eq!(page.value(nameless), json!(0));
    });
}

#[test]
fn paper_has_every_finding_with_its_story_whatever_was_filtered() {
    on("print", &small(), "", |page| {
        filter(page, "currency");
        page.show_as("print", "dark");
        page.wait_for(
            "[...document.querySelectorAll('.finding .story')].filter((each) => each.checkVisibility()).length === 3",
        );
        assert_told(&page.text("document.body.innerText"), &["tests/test_shop.py", "monkeypatch.setattr"]);
        assert_eq!(page.value("document.querySelector('.filters').checkVisibility()"), json!(false));
        assert_eq!(page.text("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
    });
}

#[test]
fn paper_has_no_more_stories_than_somebody_reads_and_says_so() {
    let broken = |number: usize| json!({"id": format!("x-{number:06}"), "kind": "broken", "test": format!("t.py::test_{number}")});
    let findings: Vec<Value> = (0..400).map(broken).collect();
    on("piles", &json!({"findings": findings}), "", |page| {
        filter(page, "test_399");
        page.show_as("print", "light");
        page.wait_for("document.getElementById('paper').innerText.includes('of 100 findings are left out')");
        let told =
            "[...document.querySelectorAll('.finding')].filter((each) => each.querySelector('.story'))";
        assert_eq!(page.value(&format!("{told}.length")), json!(300));
        assert_eq!(page.text(&format!("{told}.pop().id")), "x-000399", "what fits the filter is told first");
    });
}

#[test]
fn a_phone_shows_it_without_scrolling_sideways() {
    on("phone", &small(), ID, |page| {
        let phone = json!({"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": true});
        page.ask("Emulation.setDeviceMetricsOverride", &phone);
        page.wait_for("window.innerWidth === 360 && document.documentElement.scrollWidth === 360");
        let width = page.value("document.querySelector('.graph').getBoundingClientRect().width");
        assert!(width.as_f64().is_some_and(|width| width > 300.0), "{width}");
    });
}

#[test]
fn a_document_that_says_little_is_shown_too() {
    let little = json!({"suite": {"tests": 3}, "findings": [], "cost": {"wall_s": 1.0}});
    for (name, document) in [("empty", json!({})), ("little", little)] {
        on(name, &document, "v-000000", |page| {
            let told = page.text("document.body.innerText");
            assert_told(&told, &["No test was found whose outcome depends", "There are no findings."]);
        });
    }
}
