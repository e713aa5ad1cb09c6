// One finding from beginning to end: why, in which orders, how to see it, and how to end it. Made when somebody opens it.

const NO_CAUSE = {
  "out-of-resources": "the time was used up before a cause was proved",
  "not-restorable": "cells differ that could not be put back",
  "outside-the-process": "putting back all that was seen does not help: the state is outside of the process",
  "not-reproduced": "the difference did not show again when cells were put back",
};

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

// Orders longer than this are shown by their beginning and end.
const LONG = 60;

function story(finding) {
  return make(
    "div",
    { class: "story" },
    make("p", { class: "lead" }, lead(finding)),
    doubts(finding),
    causes(finding),
    part("Why nobody saw it", finding.hidden && make("p", {}, sentence(finding.hidden))),
    part("How it fails", failure(finding)),
    part("Orders", orders(finding)),
    part("See it yourself", commands(finding)),
    part("How often", rates(finding)),
    part("Patch", patch(finding)),
    part("Seen", age(finding)),
    part("Not searched", finding.not_searched?.length && listed(finding.not_searched, 20, sentence)),
  );
}

function part(title, content) {
  return content ? make("section", { class: "part" }, make("h4", {}, title), content) : null;
}

function lead(finding) {
  const name = code(nameOf(finding.test));
  const after = (groups) => (groups?.length ? [" after ", together(groups[0]), groups.length > 1 && ` or ${count(groups.length - 1, "other group")}`] : " after other tests");
  const words = {
    victim: () => [name, " passes alone and fails", after(finding.polluters)],
    brittle: () => [name, " fails alone and passes", after(finding.setters)],
    "outcome-varies": () => [name, " ends otherwise", after(finding.polluters)],
  };
  const rest = () => [name, " ", KINDS[finding.kind] || plain(finding.kind)];
  return [(words[finding.kind] || rest)(), "."];
}

// A group of tests in a sentence.
function together(tests) {
  return tests.flatMap((test, at) => [at ? " then " : "", testLink(test)]);
}

function testLink(test) {
  const own = findingsByTest.get(test)?.[0];
  return own ? make("a", { href: `#${encodeURIComponent(own.id)}`, title: plain(test) }, code(nameOf(test))) : make("span", { title: plain(test) }, code(nameOf(test)));
}

function doubts(finding) {
  const { accepted } = finding;
  const until = accepted?.expires && ` until ${accepted.expires}${accepted.expired ? ", which is over" : ""}`;
  const words = [
    finding.unconfirmed && `Not confirmed: ${finding.unconfirmed}`,
    finding.declared && "A mark on the test fixes its place on purpose.",
    finding.interleaved_only && "Seen only in orders that mix the tests of several groups.",
    accepted && `Accepted by the baseline${until || ""}: ${accepted.reason}`,
    finding.age === "new" && "New since the commit that was compared with.",
  ].filter(Boolean);
  return words.length ? make("ul", { class: "doubts" }, words.map((word) => make("li", {}, sentence(word)))) : null;
}

function causes(finding) {
  const partners = finding.by_polluter || finding.by_setter;
  const groups = finding.polluters || finding.setters || [];
  const noun = finding.by_setter ? "What the setter leaves" : "What the polluter leaves";
  if (!partners?.length) {
    return part("State", cause({ state: statesOf(finding), explanation: finding.explanation }));
  }
  const one = (each) => make("div", { class: "cause" }, make("p", { class: "group" }, (groups[each.group] || []).map(testName)), cause(each), resets(each));
  return part(noun, partners.length > 8 ? listed(partners, 8, one) : partners.map(one));
}

function cause({ state, explanation }) {
  const cells = state || [];
  const why = explanation?.reason && make("p", { class: "weak" }, `No cause is proved: ${NO_CAUSE[explanation.reason] || plain(explanation.reason)}.`);
  const left = explanation?.left?.length && listed(explanation.left, 5, ({ cell, why }) => [code(cell), " ", quote(why)]);
  return cells.length || why || left ? [listed(cells, 12, stateRow), why, left] : null;
}

function stateRow(state) {
  const places = [["written at", state.written], ["read at", state.read]].filter(([, place]) => place);
  const callers = state.stack?.length > 1 && make("details", {}, make("summary", {}, "called from"), state.stack.slice(1).map((line) => make("div", {}, code(line))));
  return make(
    "div",
    { class: "cell" },
    make("div", {}, code(state.cell), state.proved && make("span", { class: "proved", title: "Putting it back, and only it, decides the outcome" }, "proved")),
    (state.before !== undefined || state.after !== undefined) &&
      make("div", { class: "change" }, make("del", {}, quote(state.before ?? "")), " → ", make("ins", {}, quote(state.after ?? ""))),
    places.length > 0 && make("div", { class: "places" }, places.map(([word, place]) => make("span", {}, `${word} `, code(place)))),
    callers,
  );
}

function resets({ cleaners, explanation }) {
  if (!cleaners?.length) return null;
  const how = explanation?.resets?.[0];
  const words = how && [" which puts ", code(how.cell), " back", how.written && [" at ", code(how.written)]];
  return make("p", { class: "cleaned" }, "Cleaned by ", together(cleaners[0]), words, cleaners.length > 1 && `; ${count(cleaners.length - 1, "other cleaner")}`);
}

function failure(finding) {
  if (!finding.signature && !finding.failure) return null;
  const text = finding.failure && make("details", {}, make("summary", {}, "The whole failure"), make("pre", { tabindex: "0" }, marked(finding.failure)));
  return [finding.signature && make("p", {}, code(finding.signature)), text];
}

function orders({ evidence, kind, test }) {
  if (!evidence) return null;
  const how = evidence.confirmed && make("p", { class: "weak" }, `Seen in ${count(evidence.plain_pairs, "pair")} of plain runs of your own runner.`);
  const one = (title, mark, tests) =>
    tests && make("div", { class: `order ${mark}` }, make("h5", {}, `${mark === "bad" ? "✗" : "✓"} ${title}`), orderList(tests, test));
  const titles = kind === "outcome-varies" ? ["Ends otherwise", "Ends as usual"] : ["Fails", "Passes"];
  return [make("div", { class: "orders" }, one(titles[0], "bad", evidence.failing), one(titles[1], "good", evidence.passing)), how];
}

function orderList(tests, last) {
  const hidden = tests.length > LONG ? tests.length - LONG : 0;
  const row = (test, number) => make("li", { value: number + 1, class: test === last && "last" }, testName(test));
  const rows = tests.map((test, number) => [test, number]);
  const begin = hidden ? rows.slice(0, LONG / 2) : rows;
  const gap = hidden ? make("li", { class: "gap" }, `${grouped(hidden)} tests are left out here; the commands have all`) : null;
  const end = hidden ? rows.slice(-LONG / 2) : [];
  return make("ol", {}, begin.map(([test, number]) => row(test, number)), gap, end.map(([test, number]) => row(test, number)));
}

function commands({ reproduce, id }) {
  if (!reproduce) return null;
  return [
    make("p", { class: "label" }, "Fails:"), copyable(reproduce.fail, "the failing command"),
    make("p", { class: "label" }, "Passes:"), copyable(reproduce.pass, "the passing command"),
    make("p", { class: "label" }, "Both, by anyorder:"), copyable(`anyorder replay ${id}`, "the replay command"),
  ];
}

function rates(finding) {
  if (!finding.rates) return null;
  const { alone, suite, after } = finding.rates;
  const words = [
    alone && `fails in ${alone[0]} of ${alone[1]} runs alone`,
    suite && `fails in ${suite[0]} of ${suite[1]} runs of the original order`,
    after && `fails in ${after.rate[0]} of ${after.rate[1]} runs after ${count(after.order.length - 1, "test")}, against ${after.reference[0]} of ${after.reference[1]}` +
      ` (p = ${after.chance.toFixed(3)}): ${after.is_correlated ? "order has a part in it" : "order does not explain it"}`,
  ].filter(Boolean);
  return make("ul", {}, words.map((word) => make("li", {}, word)));
}

function patch(finding) {
  const found = patchOf.get(finding.id);
  if (found) return patchStory(found, finding);
  const { repair } = finding;
  if (!repair?.reason) return null;
  const tried = repair.generated ? ` ${grouped(repair.tried)} of ${count(repair.generated, "candidate")} tried.` : "";
  return make("p", {}, `None: ${NO_PATCH[repair.reason] || plain(repair.reason)}.${tried}`);
}

function patchStory(found, finding) {
  const others = found.cures.filter((id) => id !== finding.id);
  return [
    make("p", {}, make("span", { class: `strength ${found.strength === "safe" ? "safe" : "careful"}` }, plain(found.strength)), " ", sentence(found.summary)),
    make("p", { class: "weak" }, sentence([STRENGTHS[found.strength], verified(found.verified || {}), found.applied && "applied"].filter(Boolean).join("; "))),
    others.length > 0 && make("p", {}, "It also cures ", others.slice(0, 20).map((id, at) => [at ? ", " : "", make("a", { href: `#${encodeURIComponent(id)}` }, plain(id))]), others.length > 20 && " and others", "."),
    found.text ? copyable(found.text, "the patch", coloured(found.text)) : make("p", {}, code(found.diff)),
    !found.applied && found.strength !== "show" && copyable(`anyorder fix --apply ${finding.id}`, "the command that applies it"),
    found.pull_request_text &&
      make("details", {}, make("summary", {}, "Text for a pull request"), copyable(found.pull_request_text, "the text for a pull request")),
  ];
}

function verified({ failing, passing, sweeps, plain: runs }) {
  return [
    failing && `${count(failing, "failing order")} ${failing === 1 ? "passes" : "pass"} now`,
    passing && `${grouped(passing)} passing still ${passing === 1 ? "does" : "do"}`,
    sweeps && `nothing new fails in ${count(sweeps, "random order")}`,
    runs && `confirmed in ${count(runs, "plain run")}`,
  ].filter(Boolean).join(", ") || "not verified";
}

function coloured(diff) {
  const name = (line) => (/^(---|\+\+\+) /.test(line) ? "files" : { "+": "added", "-": "removed", "@": "hunk" }[line[0]] || "same");
  return diff.replace(/\n$/, "").split("\n").map((line) => make("span", { class: `line ${name(line)}` }, marked(line), "\n"));
}

function age(finding) {
  const seen = ageOf.get(finding.id);
  if (!seen?.first_seen) return null;
  return make("p", {}, "First ", time(seen.first_seen), ", last ", time(seen.last_seen), seen.fixed && [", gone since ", time(seen.fixed)]);
}
