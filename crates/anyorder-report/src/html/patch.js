// The patch of a finding with its colours and proofs; or why there is none.

const NO_PATCH = {
  declared: "its author fixed the order on purpose",
  "no-cause": "the state behind it is not known, and no test cleans it up",
  "no-reset": "nothing is known that puts the state back",
  "does-not-help": "nothing that was tried lets it pass",
  "breaks-others": "whatever lets it pass makes another test fail",
  weakens: "with what lets it pass, tests would no longer notice when what they check is wrong",
  "not-confirmed": "what lets it pass in forks does not do so in plain runs",
  "not-editable": "the files that would have to change cannot be edited",
  "out-of-resources": "the time was used up",
};

const STRENGTHS = {
  safe: "only what tests set up and clean up changes",
  unsafe: "look at it first: it relies on more than how tests set up and clean up",
  show: "look at it first: it changes the code under test",
};

function patch(finding) {
  const found = patchOf.get(finding.id);
  if (found) return patchStory(found, finding);
  const { repair } = finding;
  if (!repair?.reason) return null;
  const tried = repair.generated
    ? ` ${grouped(repair.tried)} of ${count(repair.generated, "candidate")} tried.`
    : "";
  return make("p", {}, `None: ${NO_PATCH[repair.reason] || plain(repair.reason)}.${tried}`);
}

function patchStory(found, finding) {
  const others = found.cures.filter((id) => id !== finding.id);
  return [
    make(
      "p",
      {},
      make(
        "span",
        { class: `strength ${found.strength === "safe" ? "safe" : "careful"}` },
        plain(found.strength),
      ),
      " ",
      sentence(found.summary),
    ),
    make(
      "p",
      { class: "weak" },
      sentence(
        [STRENGTHS[found.strength], verified(found.verified || {}), found.applied && "applied"]
          .filter(Boolean)
          .join("; "),
      ),
    ),
    others.length > 0 &&
      make(
        "p",
        {},
        "It also cures ",
        others
          .slice(0, 20)
          .map((id, at) => [at ? ", " : "", make("a", { href: `#${encodeURIComponent(id)}` }, plain(id))]),
        others.length > 20 && " and others",
        ".",
      ),
    found.text ? copyable(found.text, "the patch", coloured(found.text)) : make("p", {}, code(found.diff)),
    !found.applied &&
      found.strength !== "show" &&
      copyable(`anyorder fix --apply ${finding.id}`, "the command that applies it"),
    found.pull_request_text &&
      make(
        "details",
        {},
        make("summary", {}, "Text for a pull request"),
        copyable(found.pull_request_text, "the text for a pull request"),
      ),
  ];
}

function verified({ failing, passing, sweeps, plain: runs }) {
  return (
    [
      failing && `${count(failing, "failing order")} ${failing === 1 ? "passes" : "pass"} now`,
      passing && `${grouped(passing)} passing still ${passing === 1 ? "does" : "do"}`,
      sweeps && `nothing new fails in ${count(sweeps, "random order")}`,
      runs && `confirmed in ${count(runs, "plain run")}`,
    ]
      .filter(Boolean)
      .join(", ") || "not verified"
  );
}

function coloured(diff) {
  const name = (line) =>
    /^(---|\+\+\+) /.test(line) ? "files" : { "+": "added", "-": "removed", "@": "hunk" }[line[0]] || "same";
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => make("span", { class: `line ${name(line)}` }, marked(line), "\n"));
}
