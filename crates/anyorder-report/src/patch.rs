//! Patches in words, for people: what they cure, the diff, and how far they were verified; and why there is none.

use anyorder_model::{Finding, FindingId, NoPatch, Patch, Proposal, Repair, Strength, Suite, Verified};

use crate::diff::unified_diff;
use crate::finding::heading;
use crate::style::{ADDED, DIM, GOOD, NAME, REMOVED, WARN, count};

/// How wide the column of names is.
const NAMES: usize = 10;

/// Every patch with the findings that it cures, then the findings that have none.
pub(crate) fn story(
    suite: &Suite,
    findings: &[Finding],
    proposals: &[Proposal],
    repairs: &[Repair],
) -> String {
    let find = |id: &FindingId| findings.iter().find(|finding| finding.id == *id);
    let headings = |ids: &[FindingId]| -> String {
        ids.iter().filter_map(find).map(|finding| heading(suite, finding) + "\n").collect()
    };
    let cured = proposals.iter().map(|proposal| {
        let patches = proposal.patches.iter().map(|patch| headings(&patch.cures) + &patched(patch));
        patches.collect::<Vec<_>>().join("\n") + &proposed(proposal)
    });
    let left = repairs.iter().filter(|repair| repair.patch.is_none());
    let left = left.map(|repair| headings(std::slice::from_ref(&repair.finding)) + &unpatched(repair));
    cured.chain(left).collect::<Vec<_>>().join("\n")
}

/// How many findings have a patch, and how many have none.
pub(crate) fn summary(proposals: &[Proposal], repairs: &[Repair]) -> String {
    let number = |text: usize, noun: &str| count(text as u64, noun);
    let cured = repairs.iter().filter(|repair| repair.patch.is_some()).count();
    let patches = |is_counted: fn(&&Proposal) -> bool| -> usize {
        proposals.iter().filter(is_counted).map(|proposal| proposal.patches.len()).sum()
    };
    let (found, applied) = (patches(|_| true), patches(|proposal| proposal.is_applied));
    let first = match (repairs.len(), cured) {
        (0, _) => return "nothing to fix".to_owned(),
        (all, 0) => format!("no patch for {}", number(all, "finding")),
        (all, cured) if all == cured => format!(
            "{} for {}",
            number(found, "patch"),
            if all == 1 { "the finding".to_owned() } else { format!("all {all} findings") }
        ),
        (all, cured) => {
            format!("{} for {cured} of {}", number(found, "patch"), number(all, "finding"))
        }
    };
    match applied {
        0 => first,
        all if all == found => format!("{first}; all applied"),
        some => format!("{first}; {some} applied"),
    }
}

/// What has been seen with a patch, in words: the orders that are known, and all others.
pub(crate) fn verified_words(verified: &Verified) -> [String; 2] {
    let Verified { failing, passing, sweeps, plain } = *verified;
    let number = |number: usize, noun: &str| count(number as u64, noun);
    let passes = if failing == 1 { "passes" } else { "pass" };
    let still = match passing {
        0 => None,
        1 => Some("1 passing one still does".to_owned()),
        some => Some(format!("{some} passing ones still do")),
    };
    let known = [Some(format!("{} {passes} now", number(failing, "failing order"))), still];
    let others = [
        (sweeps > 0).then(|| format!("nothing new fails in {}", number(sweeps, "random order"))),
        (plain > 0).then(|| format!("confirmed in {}", number(plain, "plain run"))),
    ];
    [known, others].map(|words| words.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// Why there is no patch, in words.
pub(crate) fn reason_words(reason: NoPatch) -> &'static str {
    match reason {
        NoPatch::Declared => "its author fixed the order on purpose; `--declared` looks for one all the same",
        NoPatch::NoCause => "the state behind it is not known, and no test cleans it up",
        NoPatch::NoReset => "nothing is known that puts the state back",
        NoPatch::DoesNotHelp => "nothing that was tried lets it pass",
        NoPatch::BreaksOthers => "whatever lets it pass makes another test fail",
        NoPatch::Weakens => {
            "with what lets it pass, tests would not notice any more when what they check is wrong"
        }
        NoPatch::NotConfirmed => "what lets it pass in forks does not do so in plain runs",
        NoPatch::NotEditable => "the files that would have to change cannot be edited",
        NoPatch::OutOfResources => "the time was used up",
    }
}

fn patched(patch: &Patch) -> String {
    let (style, strength) = (strength_style(patch.strength), patch.strength.name());
    row("patch", &format!("{style}{strength}{style:#}: {}", patch.summary))
        + &row("", strength_words(patch.strength))
}

fn proposed(proposal: &Proposal) -> String {
    let verified = proposal.patches.iter().map(|patch| patch.verified).reduce(Verified::together);
    let [known, others] = verified_words(&verified.unwrap_or_default());
    let verified = [row("verified", &known), row("", &others)].concat();
    // What holds for several patches together stands apart from each of them.
    let gap = if proposal.patches.len() > 1 { "\n" } else { "" };
    let paths: Vec<&str> = proposal.changes.iter().map(|change| change.path.as_str()).collect();
    let next = match &proposal.apply {
        _ if proposal.is_applied => row("applied", &paths.join(", ")),
        Some(command) => row("apply", command),
        None => row("apply", "it is only shown: somebody who knows the code has to decide"),
    };
    let places = [row("diff", &proposal.diff), row("text", &proposal.pull_request), next];
    format!("{gap}{verified}\n{}\n{}", coloured(&unified_diff(&proposal.changes)), places.concat())
}

fn strength_style(strength: Strength) -> anstyle::Style {
    if strength == Strength::Safe { GOOD } else { WARN }
}

/// What somebody has to think of before it is applied.
fn strength_words(strength: Strength) -> &'static str {
    match strength {
        Strength::Safe => "",
        Strength::Unsafe => "look at it first: it relies on more than how tests set up and clean up",
        Strength::Show => "look at it first: it changes the code under test",
    }
}

fn unpatched(repair: &Repair) -> String {
    let reason = repair.reason.unwrap_or(NoPatch::OutOfResources);
    let tried = match (repair.generated, repair.tried) {
        (0, _) => String::new(),
        (all, tried) => row("tried", &format!("{tried} of {}", count(all as u64, "candidate"))),
    };
    row("no patch", reason_words(reason)) + &tried
}

fn row(name: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("    {name:NAMES$}{text}\n") }
}

/// The diff as lines for a terminal. What no terminal can show is left to the file.
fn coloured(diff: &[u8]) -> String {
    let text = String::from_utf8_lossy(diff);
    text.lines().map(coloured_line).collect()
}

fn coloured_line(line: &str) -> String {
    let style = match line.as_bytes() {
        [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => DIM,
        [b'@', ..] => NAME,
        [b'-', ..] => REMOVED,
        [b'+', ..] => ADDED,
        _ => return format!("{line}\n"),
    };
    format!("{style}{line}{style:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    fn told(change: impl FnOnce(&mut Proposal)) -> String {
        let (suite, findings) = (example::suite(&["p", "a", "b"]), example::victims());
        let mut proposal = example::proposal(&findings[..1]);
        change(&mut proposal);
        let told = story(&suite, &findings, &[proposal], &example::repairs(&findings));
        anstream::adapter::strip_str(&told).to_string()
    }

    #[test]
    fn a_patch_is_told_with_what_it_cures_its_diff_and_the_way_to_apply_it() {
        let told = told(|_| {});
        assert_eq!(
            told,
            "\
v-d18be1  victim  t.py::a
    patch     safe: puts `shop.TAX` back after t.py::p
    verified  4 failing orders pass now, 12 passing ones still do
              nothing new fails in 20 random orders, confirmed in 3 plain runs

--- a/t.py
+++ b/t.py
@@ -1,2 +1,2 @@
-def test_p():
-    shop.TAX = 7
+def test_p(monkeypatch):
+    monkeypatch.setattr(shop, \"TAX\", 7)

    diff      .anyorder/patches/v-d18be1.diff
    text      .anyorder/patches/v-d18be1.md
    apply     anyorder fix --apply v-d18be1

v-d48cd8  victim  t.py::b
    no patch  whatever lets it pass makes another test fail
    tried     5 of 12 candidates
"
        );
    }

    #[test]
    fn patches_in_one_diff_are_told_one_by_one_and_verified_together() {
        let told = told(|proposal| proposal.patches.push(proposal.patches[0].clone()));
        assert_eq!(told.matches("patch     safe: puts").count(), 2, "{told}");
        assert!(told.contains("t.py::p\n\n    verified  8 failing orders pass now"), "{told}");
        assert_eq!((told.matches("verified").count(), told.matches("--- a/t.py").count()), (1, 1), "{told}");
    }

    #[test]
    fn a_patch_that_is_applied_names_the_files_and_one_that_is_only_shown_says_so() {
        let applied = told(|proposal| proposal.is_applied = true);
        assert!(applied.contains("\n    applied   t.py\n"), "{applied}");
        let shown = told(|proposal| {
            proposal.patches[0].strength = Strength::Show;
            proposal.apply = None;
        });
        assert!(shown.contains("show: puts") && shown.contains("apply     it is only shown"), "{shown}");
        assert!(shown.contains("look at it first: it changes the code under test"), "{shown}");
    }

    #[test]
    fn summaries_count_what_has_a_patch() {
        let findings = example::victims();
        let (proposal, repairs) = (example::proposal(&findings[..1]), example::repairs(&findings));
        let applied = Proposal { is_applied: true, ..proposal.clone() };
        assert_eq!(summary(&[], &[]), "nothing to fix");
        assert_eq!(summary(std::slice::from_ref(&proposal), &repairs), "1 patch for 1 of 2 findings");
        assert_eq!(summary(&[applied], &repairs), "1 patch for 1 of 2 findings; all applied");
        assert_eq!(summary(&[proposal], &repairs[..1]), "1 patch for the finding");
        assert_eq!(summary(&[], &repairs[1..]), "no patch for 1 finding");
    }
}
