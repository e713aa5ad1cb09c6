// The first screen: how many, how sure, at what cost.

function about() {
  const suite = report.suite || {};
  const commit = report.repository?.commit;
  const words = [
    suite.framework,
    suite.language,
    commit && `commit ${commit.slice(0, 10)}`,
    report.version && `anyorder ${report.version}`,
  ];
  const parts = [
    suite.tests !== undefined && `${count(summed("suite", "tests"), "test")}`,
    ...words.filter(Boolean).map((word) => quote(word)),
    report.generated && time(report.generated),
  ].filter(Boolean);
  return parts.flatMap((part, at) => (at ? [" · ", part] : [part]));
}

function summary() {
  return section(
    "summary",
    "Summary",
    make("p", { class: "verdict" }, verdict()),
    make("div", { class: "tiles" }, tiles()),
    sure(),
    notices(),
  );
}

function verdict() {
  const dependent = confirmed.filter((finding) => ORDER_DEPENDENT.includes(finding.kind));
  if (!dependent.length) return "No test was found whose outcome depends on what ran before it.";
  const cured = dependent.filter((finding) => patchOf.has(finding.id)).length;
  const tests = new Set(dependent.map((finding) => finding.test)).size;
  const first = `${count(tests, "test")} ${tests === 1 ? "depends" : "depend"} on what ran before.`;
  if (!cured) return first;
  return `${first} ${cured === dependent.length ? "All have" : `${grouped(cured)} ${cured === 1 ? "has" : "have"}`} a verified patch.`;
}

function tiles() {
  return kindsOf(confirmed).map(([kind, number]) =>
    make(
      "button",
      { class: "tile", type: "button", "data-kind": kind, onclick: () => showKind(kind) },
      make("strong", {}, grouped(number)),
      make("span", { class: "kind" }, many(kindWords(kind), number)),
      make("small", {}, KINDS[kind]),
    ),
  );
}

function sure() {
  const rows = [...sureOfFindings(), ...sureOfOthers(), ...costInShort()];
  return make(
    "dl",
    { class: "facts" },
    rows.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
}

function sureOfFindings() {
  const asked = confirmed.filter((finding) => finding.evidence);
  if (!asked.length) return [];
  const plainly = asked.filter((finding) => finding.evidence.confirmed).length;
  const doubt = unconfirmed.length
    ? `; ${count(unconfirmed.length, "difference")} could not be confirmed`
    : "";
  return [
    [
      "How sure",
      `${grouped(plainly)} of ${grouped(asked.length)} confirmed in plain runs of your own runner${doubt}`,
    ],
  ];
}

function sureOfOthers() {
  const pairs = summed("coverage", "pairs");
  if (!pairs) return [];
  const [tried, inferred] = [
    summed("coverage", "pairs_tried") || 0,
    summed("coverage", "pairs_inferred") || 0,
  ];
  const share = (number) =>
    number && number / pairs < 0.001 ? "less than 0.1 %" : `${((100 * number) / pairs).toFixed(1)} %`;
  const words =
    `${share(tried)} of ${grouped(pairs)} ordered pairs tried` +
    (inferred ? `, ${share(inferred)} inferred` : "");
  const orders = summed("coverage", "orders");
  const open = summed("coverage", "pairs_likely_open");
  const likely =
    open === undefined ? "" : open ? `; ${grouped(open)} likely ones are open` : "; no likely one is open";
  return [
    [
      "How far",
      [
        make("span", {}, `${words}${likely}${orders ? `; ${count(orders, "order")}` : ""}`),
        coverageBar(tried, inferred, pairs),
      ],
    ],
  ];
}

function coverageBar(tried, inferred, pairs) {
  const part = (name, from, number) =>
    draw("rect", { class: name, x: (100 * from) / pairs, y: 0, width: (100 * number) / pairs, height: 4 });
  const label = "Share of ordered pairs of tests: tried, inferred, open";
  return draw(
    "svg",
    { class: "bar", viewBox: "0 0 100 4", preserveAspectRatio: "none", role: "img", "aria-label": label },
    part("tried", 0, tried),
    part("inferred", tried, inferred),
  );
}

function costInShort() {
  const [wall, cpu, suite] = ["wall_s", "cpu_s", "suite_cpu_s"].map((field) => summed("cost", field));
  if (wall === undefined) return [];
  const times = suite ? `, ${(cpu / suite).toFixed(1)} times one run of the suite` : "";
  return [["Cost", `${seconds(wall)} on the clock, ${seconds(cpu || 0)} of CPU${times}`]];
}

function notices() {
  const stopped = reports.map((each) => each.stopped_early).filter(Boolean);
  const all = [
    ...stopped.map((why) => `Stopped early: ${why}`),
    ...reports.flatMap((each) => each.notices || []),
  ];
  return all.length
    ? make(
        "ul",
        { class: "notices" },
        all.map((text) => make("li", {}, sentence(text))),
      )
    : null;
}
