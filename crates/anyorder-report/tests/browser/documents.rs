//! Documents for pages: a small one that has a bit of everything, one that means harm, a large one.

use serde_json::{Value, json};

/// The victim of the small document.
pub(crate) const VICTIM: &str = "tests/test_cart.py::test_total";

/// Its polluter.
pub(crate) const POLLUTER: &str = "tests/test_currency.py::test_switch";

/// Its id.
pub(crate) const ID: &str = "v-3f2a9c";

/// A victim with all that can be told of it, a brittle that needs two setters, a latent polluter, and tables.
pub(crate) fn small() -> Value {
    let brittle = json!({
        "id": "b-000001", "kind": "brittle", "test": "tests/test_shop.py::test_stock", "declared": false,
        "setters": [["tests/test_shop.py::test_open", "tests/test_shop.py::test_fill"]],
    });
    let latent = json!({
        "id": "p-000001", "kind": "latent-polluter", "test": "tests/test_shop.py::test_fill", "declared": false,
        "state": [{"cell": "shop.stock", "before": "{}", "after": "{'tea': 3}"}],
    });
    let patch = json!({
        "cures": [ID], "strength": "safe", "summary": "puts `CURRENCY` back", "applied": false,
        "verified": {"failing": 1, "passing": 4, "sweeps": 20, "plain": 3},
        "text": "--- a/t.py\n+++ b/t.py\n@@ -1 +1 @@\n-CURRENCY = 'EUR'\n+monkeypatch.setattr(shop, 'CURRENCY', 'EUR')\n",
        "pull_request_text": "# Let `test_total` pass in any order\n",
    });
    let needed = json!({"before": VICTIM, "after": POLLUTER, "test": VICTIM, "otherwise": "failed", "inferred": false});
    let polluted = json!({
        "place": "shop.stock", "writers": [POLLUTER], "readers": 3, "cells": 1,
        "example": {"before": "{}", "after": "{'tea': 3}"},
    });
    json!({
        "schema": 1, "version": "0.1.0", "generated": "2026-02-02T03:04:05Z",
        "suite": {"driver": "pytest", "tests": 6, "framework": "pytest 9", "language": "python 3.12", "root": "."},
        "findings": [victim(), brittle, latent], "patches": [patch], "pollution": [polluted],
        "history": [seen(ID, "victim", VICTIM)], "dependencies": {"manifest": [needed]},
        "coverage": {
            "orders": 9, "pairs": 30, "pairs_tried": 20,
            "matrix": {"names": [VICTIM, POLLUTER], "by": "test", "rows": [[0, 1, 1, 1, 0]]},
        },
        "cost": {"test_runs": 99, "replayed_runs": 0, "processes": 3, "forks": 9, "wall_s": 4.2, "cpu_s": 3.0},
    })
}

fn victim() -> Value {
    let cell = json!({
        "cell": "shop.settings.CURRENCY", "before": "'USD'", "after": "'EUR'", "kind": "global", "proved": true,
        "written": "tests/test_currency.py:18", "read": "shop/cart.py:41",
    });
    let cleaners = json!([["tests/test_currency.py::test_reset"]]);
    json!({
        "id": ID, "kind": "victim", "test": VICTIM, "declared": false, "polluters": [[POLLUTER]],
        "by_polluter": [{"group": 0, "cleaners": cleaners, "state": [cell]}], "cleaners": cleaners, "state": [cell],
        "hidden": "the original order runs it before its polluter",
        "signature": "AssertionError: assert 'EUR' == 'USD'",
        "evidence": {"failing": [POLLUTER, VICTIM], "passing": [VICTIM], "confirmed": "plain", "plain_pairs": 5},
        "reproduce": {
            "fail": format!("python -m pytest {POLLUTER} {VICTIM}"),
            "pass": format!("python -m pytest {VICTIM}"),
        },
    })
}

fn seen(id: &str, kind: &str, test: &str) -> Value {
    let [first, last] = ["2026-01-02T03:04:05Z", "2026-02-02T03:04:05Z"];
    json!({"id": id, "kind": kind, "test": test, "first_seen": first, "last_seen": last})
}

/// Texts that would do harm if they were taken for anything but text.
pub(crate) fn hostile_texts() -> Vec<String> {
    let texts = [
        "<script>window.harmed = 1</script>",
        "</script><script>window.harmed = 1</script>",
        "<img src=x onerror=\"window.harmed = 1\">",
        "'\"><svg onload='window.harmed = 1'>",
        "javascript:window.harmed = 1",
        "\u{202e}drawkcab\u{202c} \u{2067}x\u{200f}",
        "line\u{2028}paragraph\u{2029}nul\u{0}",
        "{{script}} ${window.harmed = 1} `tick` %s",
        "__proto__",
    ];
    let long = "x".repeat(5_000);
    texts.into_iter().map(str::to_owned).chain([long]).collect()
}

/// Every text that comes from a suite is such a text.
pub(crate) fn hostile() -> Value {
    let texts = hostile_texts();
    let each = |make: fn(usize, &str) -> Value| -> Value {
        texts.iter().enumerate().map(|(number, text)| make(number, text)).collect()
    };
    let polluted = |_, text: &str| json!({"place": text, "writers": [text], "readers": 1, "example": {"before": text, "after": text}});
    let seen = |_, text: &str| json!({"id": text, "kind": text, "test": text, "first_seen": text, "last_seen": text, "fixed": text});
    let hunt = |_, text: &str| json!({"number": text, "at": text, "command": text, "findings": [text]});
    let command = |_, text: &str| json!({"command": text, "cost": {"wall_s": 1.0}});
    json!({
        "suite": {"tests": 9, "framework": texts[0], "language": texts[1]}, "version": texts[2],
        "generated": texts[3], "repository": {"commit": texts[0]}, "findings": each(hostile_finding),
        "patches": each(hostile_patch), "pollution": each(polluted), "history": each(seen), "hunts": each(hunt),
        "commands": each(command), "notices": texts, "stopped_early": texts[1],
        "coverage": {"pairs": 4, "pairs_tried": 1, "matrix": {"names": texts, "by": "test", "rows": [[0, 1, 1, 1, 0]]}},
        "cost": {"wall_s": 1.0, "cpu_s": 1.0},
    })
}

fn hostile_finding(number: usize, text: &str) -> Value {
    let test = format!("t.py::test[{text}]");
    let cell = json!({
        "cell": text, "before": text, "after": text, "proved": true,
        "written": text, "read": text, "stack": [text, text],
    });
    let explanation = json!({"resets": [{"cleaner": [text], "cell": text, "written": text}], "reason": text});
    json!({
        "id": format!("v-{number:06}"), "kind": "victim", "test": test, "declared": false,
        "polluters": [[text], [text, test]], "cleaners": [[text]], "state": [cell],
        "by_polluter": [{"group": 0, "cleaners": [[text]], "state": [cell], "explanation": explanation}],
        "hidden": text, "failure": text, "signature": text, "not_searched": [text],
        "evidence": {"failing": [text, test], "passing": [test], "confirmed": "plain", "plain_pairs": 5},
        "reproduce": {"fail": text, "pass": text},
        "accepted": {"reason": text, "expires": text, "expired": true},
    })
}

fn hostile_patch(number: usize, text: &str) -> Value {
    json!({
        "cures": [format!("v-{number:06}")], "strength": text, "summary": text,
        "text": text, "pull_request_text": text, "verified": {},
    })
}

/// 10,000 tests in 400 files, 2,000 findings.
pub(crate) fn large() -> Value {
    let findings: Vec<Value> = (0..2_000).map(one_of_many).collect();
    let text = |finding: &Value, field: &str| finding[field].as_str().expect("a text").to_owned();
    let seen: Vec<Value> = findings
        .iter()
        .map(|finding| seen(&text(finding, "id"), &text(finding, "kind"), &text(finding, "test")))
        .collect();
    let names: Vec<String> =
        (0..400).map(|file| format!("tests/unit/area_{}/test_{file}.py", file % 20)).collect();
    let rows: Vec<[usize; 5]> =
        (0..40_000).map(|pair| [pair / 400 * 4 % 400, pair % 400, 625, pair % 600, pair % 25]).collect();
    let needed = |number: usize| {
        let [before, after] = [number, number + 17].map(test);
        json!({"before": before, "after": after, "test": before, "otherwise": "failed", "inferred": false})
    };
    let manifest: Vec<Value> = (0..5_000).map(needed).collect();
    json!({
        "suite": {"tests": 10_000, "framework": "pytest 9", "language": "python 3.12"},
        "findings": findings, "history": seen, "dependencies": {"manifest": manifest},
        "coverage": {
            "orders": 60, "pairs": 99_990_000, "pairs_tried": 41_020, "pairs_inferred": 120_004,
            "matrix": {"names": names, "by": "file", "rows": rows},
        },
        "cost": {"test_runs": 512_000, "wall_s": 912.0, "cpu_s": 1800.0, "suite_cpu_s": 66.0},
    })
}

fn test(number: usize) -> String {
    let (area, file) = (number % 20, number % 400);
    format!("tests/unit/area_{area}/test_{file}.py::TestThings::test_thing[{number}]")
}

fn one_of_many(number: usize) -> Value {
    let [victim, polluter, cleaner] = [number, number * 7 % 10_000 + 1, number * 3 % 10_000 + 2].map(test);
    let cell = json!({
        "cell": format!("project.area_{}.registry['key{number}']", number % 20), "before": "<absent>",
        "after": "'value'", "proved": true, "written": "project/registry.py:120", "read": "project/views.py:88",
        "stack": ["project/registry.py:120 in set", "tests/test.py:9 in test"],
    });
    let failing: Vec<String> =
        (0..20).map(|place| test(number + place * 13)).chain([victim.clone()]).collect();
    json!({
        "id": format!("v-{number:06}"), "kind": if number.is_multiple_of(5) { "outcome-varies" } else { "victim" },
        "test": victim, "declared": false, "polluters": [[polluter]], "cleaners": [[cleaner]], "state": [cell],
        "by_polluter": [{"group": 0, "cleaners": [[cleaner]], "state": [cell]}],
        "evidence": {"failing": failing, "passing": [victim], "confirmed": "plain", "plain_pairs": 5},
        "signature": "AssertionError: assert 'value' is None", "failure": "E  assert\n".repeat(20),
        "hidden": "the original order runs it before its polluter",
        "reproduce": {
            "fail": format!("python -m pytest {polluter} {victim}"),
            "pass": format!("python -m pytest {victim}"),
        },
    })
}
