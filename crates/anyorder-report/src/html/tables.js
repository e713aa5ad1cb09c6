// Pollution by cell, findings over hunts, and what it cost.

const TOP = 50;

function pollutionSection() {
  const places = reports.flatMap((each) => each.pollution || []);
  const minded = reports.flatMap((each) => each.minded || []);
  if (!places.length && !minded.length) return null;
  return section(
    "pollution",
    "Pollution",
    places.length > 0 && [
      make(
        "p",
        { class: "weak" },
        "State that tests leave changed for good; what most tests may look at comes first.",
      ),
      longTable("Polluted places", ["cell", "change", "left by", "may be read by"], places, pollutedRow),
    ],
    minded.length > 0 && [
      make("h3", {}, "Cells that tests would mind"),
      longTable(
        "Cells that tests would mind",
        ["cell", "change", "minded by", "may be read by"],
        minded,
        mindedRow,
      ),
    ],
  );
}

function changeWords(before, after) {
  return make(
    "span",
    { class: "change" },
    make("del", {}, quote(short(before ?? "", 60))),
    " → ",
    make("ins", {}, quote(short(after ?? "", 60))),
  );
}

function testsWords(tests) {
  return [
    testLink(tests[0]),
    tests.length > 1 &&
      make(
        "span",
        { class: "weak", title: plain(tests.slice(1, 30).join("\n")) },
        ` and ${count(tests.length - 1, "other")}`,
      ),
  ];
}

function pollutedRow({ place, example, cells, writers, readers, unstable }) {
  const extra = [cells > 1 && `${grouped(cells)} cells`, unstable && "differs by chance"]
    .filter(Boolean)
    .join(", ");
  return [
    [code(short(place, 160)), extra && make("div", { class: "weak" }, extra)],
    example ? changeWords(example.before, example.after) : "",
    writers?.length ? testsWords(writers) : "",
    readers,
  ];
}

function mindedRow({ place, before, after, victims, readers }) {
  return [
    code(short(place, 160)),
    changeWords(before, [after].flat().join(" or ")),
    victims?.length ? testsWords(victims) : "",
    readers,
  ];
}

// A table whose rest is made when somebody asks for it.
function longTable(caption, heads, items, cells) {
  const top = table(caption, heads, items.slice(0, TOP).map(cells));
  if (items.length <= TOP) return top;
  const all = () => holder.replaceChildren(table(caption, heads, items.map(cells)));
  const holder = make(
    "div",
    {},
    top,
    make(
      "button",
      { type: "button", class: "more", onclick: all },
      `and ${grouped(items.length - TOP)} more`,
    ),
  );
  return holder;
}

function historySection() {
  if (!ages.length && !hunts.length) return null;
  const fixed = ages.filter((age) => age.fixed).length;
  const words = [
    ages.length && `${count(ages.length, "finding")} ever seen`,
    fixed && `${grouped(fixed)} gone`,
    hunts.length && count(hunts.length, "hunt"),
  ]
    .filter(Boolean)
    .join(", ");
  const sorted = [...ages].sort((one, other) => ((one.first_seen || "") < (other.first_seen || "") ? -1 : 1));
  const row = (age) => [
    byId.has(age.id) ? make("a", { href: `#${encodeURIComponent(age.id)}` }, plain(age.id)) : plain(age.id),
    make("span", { class: "kind", "data-kind": age.kind }, kindWords(age.kind)),
    testName(age.test),
    age.first_seen ? time(age.first_seen) : "",
    age.last_seen ? time(age.last_seen) : "",
    age.fixed ? [make("span", { class: "flag good" }, "gone"), " ", time(age.fixed)] : "open",
  ];
  return section(
    "history",
    "History",
    make("p", { class: "weak" }, `${words}.`),
    hunts.length > 1 && huntBars(),
    ages.length > 0 &&
      longTable("Findings over hunts", ["id", "kind", "test", "first seen", "last seen", "now"], sorted, row),
  );
}

// One bar for each hunt, as high as it had findings.
function huntBars() {
  const some = hunts.slice(-60);
  const most = Math.max(1, ...some.map((hunt) => hunt.findings.length));
  const bar = (hunt, at) => {
    const height = (44 * hunt.findings.length) / most;
    return draw(
      "g",
      {},
      draw("title", {}, plain(`hunt ${hunt.number}, ${hunt.at}: ${count(hunt.findings.length, "finding")}`)),
      draw("rect", {
        class: "tried",
        x: at * 26,
        y: 62 - height,
        width: 20,
        height: Math.max(height, 1),
        rx: 2,
      }),
      draw("text", { x: at * 26 + 10, y: 57 - height, "text-anchor": "middle" }, hunt.findings.length),
    );
  };
  const label = `Findings of the last ${count(some.length, "hunt")}: ${some.map((hunt) => hunt.findings.length).join(", ")}`;
  return make(
    "div",
    { class: "wide" },
    draw(
      "svg",
      { class: "hunts", width: some.length * 26, height: 64, role: "img", "aria-label": label },
      some.map(bar),
    ),
  );
}

const COSTS = {
  test_runs: "runs of a test",
  replayed_runs: "of these, run again for want of a fork",
  processes: "processes",
  forks: "forks",
  wall_s: "on the clock",
  cpu_s: "of CPU",
  looks_cpu_s: "of that, for looking at state",
  suite_cpu_s: "CPU of one plain run of the suite",
};

// What each command cost, beside each other where that is known.
function costSection() {
  const commands = (report.commands || []).filter(({ cost }) => cost);
  const total = Object.fromEntries(Object.keys(COSTS).map((field) => [field, summed("cost", field)]));
  const columns = commands.length ? commands : [{ command: "how much", cost: total }];
  const cell = (field, number) =>
    number === undefined
      ? ""
      : field.endsWith("_s")
        ? make("span", { class: "number" }, seconds(number))
        : number;
  const rows = Object.keys(COSTS)
    .filter((field) => columns.some(({ cost }) => cost[field] !== undefined))
    .map((field) => [COSTS[field], ...columns.map(({ cost }) => cell(field, cost[field]))]);
  const heads = ["what", ...columns.map(({ command }) => plain(command))];
  return rows.length ? section("cost", "Cost", table("Cost", heads, rows)) : null;
}
