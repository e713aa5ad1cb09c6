// One finding from beginning to end: why, in which orders, how to see it, and how to end it. Made when somebody opens it.

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
  const after = (groups) =>
    groups?.length
      ? [
          " after ",
          together(groups[0]),
          groups.length > 1 && ` or ${count(groups.length - 1, "other group")}`,
        ]
      : " after other tests";
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
  return own
    ? make("a", { href: `#${encodeURIComponent(own.id)}`, title: plain(test) }, code(nameOf(test)))
    : make("span", { title: plain(test) }, code(nameOf(test)));
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
  return words.length
    ? make(
        "ul",
        { class: "doubts" },
        words.map((word) => make("li", {}, sentence(word))),
      )
    : null;
}

function failure(finding) {
  if (!finding.signature && !finding.failure) return null;
  const text =
    finding.failure &&
    make(
      "details",
      {},
      make("summary", {}, "The whole failure"),
      make("pre", { tabindex: "0" }, marked(finding.failure)),
    );
  return [finding.signature && make("p", {}, code(finding.signature)), text];
}

function orders({ evidence, kind, test }) {
  if (!evidence) return null;
  const how =
    evidence.confirmed &&
    make(
      "p",
      { class: "weak" },
      `Seen in ${count(evidence.plain_pairs, "pair")} of plain runs of your own runner.`,
    );
  const one = (title, mark, tests) =>
    tests &&
    make(
      "div",
      { class: `order ${mark}` },
      make("h5", {}, `${mark === "bad" ? "✗" : "✓"} ${title}`),
      orderList(tests, test),
    );
  const titles = kind === "outcome-varies" ? ["Ends otherwise", "Ends as usual"] : ["Fails", "Passes"];
  return [
    make(
      "div",
      { class: "orders" },
      one(titles[0], "bad", evidence.failing),
      one(titles[1], "good", evidence.passing),
    ),
    how,
  ];
}

function orderList(tests, last) {
  const hidden = tests.length > LONG ? tests.length - LONG : 0;
  const row = (test, number) =>
    make("li", { value: number + 1, class: test === last && "last" }, testName(test));
  const rows = tests.map((test, number) => [test, number]);
  const begin = hidden ? rows.slice(0, LONG / 2) : rows;
  const gap = hidden
    ? make("li", { class: "gap" }, `${grouped(hidden)} tests are left out here; the commands have all`)
    : null;
  const end = hidden ? rows.slice(-LONG / 2) : [];
  return make(
    "ol",
    {},
    begin.map(([test, number]) => row(test, number)),
    gap,
    end.map(([test, number]) => row(test, number)),
  );
}

function commands({ reproduce, id }) {
  if (!reproduce) return null;
  return [
    make("p", { class: "label" }, "Fails:"),
    copyable(reproduce.fail, "the failing command"),
    make("p", { class: "label" }, "Passes:"),
    copyable(reproduce.pass, "the passing command"),
    make("p", { class: "label" }, "Both, by anyorder:"),
    copyable(`anyorder replay ${id}`, "the replay command"),
  ];
}

function rates(finding) {
  if (!finding.rates) return null;
  const { alone, suite, after } = finding.rates;
  const words = [
    alone && `fails in ${alone[0]} of ${alone[1]} runs alone`,
    suite && `fails in ${suite[0]} of ${suite[1]} runs of the original order`,
    after &&
      `fails in ${after.rate[0]} of ${after.rate[1]} runs after ${count(after.order.length - 1, "test")}, against ${after.reference[0]} of ${after.reference[1]}` +
        ` (p = ${after.chance.toFixed(3)}): ${after.is_correlated ? "order has a part in it" : "order does not explain it"}`,
  ].filter(Boolean);
  return make(
    "ul",
    {},
    words.map((word) => make("li", {}, word)),
  );
}

function age(finding) {
  const seen = ageOf.get(finding.id);
  if (!seen?.first_seen) return null;
  return make(
    "p",
    {},
    "First ",
    time(seen.first_seen),
    ", last ",
    time(seen.last_seen),
    seen.fixed && [", gone since ", time(seen.fixed)],
  );
}
