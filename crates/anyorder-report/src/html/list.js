// The findings as a list, and the filter above it. A story is made when its finding is opened; hidden rows cost nothing.

const filter = { text: "", kinds: new Set(), file: "" };
const rows = new Map();
let chips = [];
let changed = () => {};

function findingsSection() {
  const words = findings.length ? "No finding fits the filter." : "There are no findings.";
  return section(
    "findings",
    "Findings",
    findings.length > 0 && [
      filters(),
      make("p", { id: "shown", class: "weak", role: "status" }, shownWords(findings.length)),
      keyHelp(),
    ],
    make("p", { id: "paper" }),
    make("div", { class: "findings" }, findings.map(row)),
    make("p", { id: "none", class: "weak", hidden: findings.length > 0 }, words),
  );
}

function filters() {
  const text = make("input", {
    id: "filter",
    type: "search",
    placeholder: "Filter: test, cell, id…",
    "aria-label": "Filter findings by text",
    "aria-keyshortcuts": "/",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => refilter(() => (filter.text = text.value.toLowerCase().trim())),
  });
  const chips = make("div", { class: "chips" }, kindChips());
  return make("div", { class: "filters", role: "search" }, text, fileChoice(), chips);
}

function keyHelp() {
  const keys = { "/": "filter", j: "next", k: "previous", Enter: "open", Esc: "close" };
  const help = Object.entries(keys).map(([key, word]) => [make("kbd", {}, key), ` ${word}  `]);
  return make("p", { class: "keys weak" }, help);
}

function kindChips() {
  const all = kindsOf(confirmed);
  if (unconfirmed.length) all.push(["unconfirmed", unconfirmed.length]);
  chips = all.map(([kind, number]) =>
    make(
      "button",
      {
        type: "button",
        class: "chip",
        "data-kind": kind,
        "aria-pressed": "false",
        onclick: () => refilter(() => toggle(kind)),
      },
      `${kindWords(kind)} `,
      make("span", {}, grouped(number)),
    ),
  );
  return chips;
}

function fileChoice() {
  const files = [...new Set(findings.map((finding) => fileOf(finding.test)))].sort();
  const choice = make(
    "select",
    { "aria-label": "Filter findings by file", onchange: () => refilter(() => (filter.file = choice.value)) },
    make("option", { value: "" }, "all files"),
    files.map((file) => make("option", { value: file }, short(file, 80))),
  );
  return choice;
}

function toggle(kind) {
  if (!filter.kinds.delete(kind)) filter.kinds.add(kind);
}

function showKind(kind) {
  refilter(() => (filter.kinds = new Set([kind])));
  document.getElementById("findings").scrollIntoView();
}

function refilter(change) {
  change();
  let shown = 0;
  for (const { finding, element } of rows.values()) {
    element.hidden = !fits(finding);
    shown += !element.hidden;
  }
  chips.forEach((chip) => chip.setAttribute("aria-pressed", filter.kinds.has(chip.dataset.kind)));
  document.getElementById("shown").textContent = shownWords(shown);
  document.getElementById("none").hidden = shown > 0;
  changed();
}

function shownWords(shown) {
  return shown === findings.length
    ? `${count(shown, "finding")}`
    : `${grouped(shown)} of ${count(findings.length, "finding")}`;
}

function isFiltered() {
  return Boolean(filter.text || filter.kinds.size || filter.file);
}

function fits(finding) {
  const row = rows.get(finding.id);
  const kind = finding.unconfirmed === undefined ? finding.kind : "unconfirmed";
  if (filter.kinds.size && !filter.kinds.has(kind)) return false;
  if (filter.file && fileOf(finding.test) !== filter.file) return false;
  if (!filter.text) return true;
  row.words ??= wordsOf(finding);
  return filter.text.split(/\s+/).every((word) => row.words.includes(word));
}

function row(finding) {
  const body = make("div", { class: "body", id: `${finding.id}-story`, hidden: true });
  const button = make(
    "button",
    {
      type: "button",
      class: "head",
      "aria-expanded": "false",
      "aria-controls": `${finding.id}-story`,
      onclick: () => (body.hidden ? open(finding.id) : close(finding.id)),
    },
    make("span", { class: "kind", "data-kind": finding.kind }, kindWords(finding.kind)),
    testName(finding.test),
    make("span", { class: "hint" }, hint(finding)),
    make("span", { class: "id" }, plain(finding.id)),
  );
  const element = make("article", { class: "finding", id: finding.id }, make("h3", {}, button), body);
  rows.set(finding.id, { finding, element, body, button });
  return element;
}

// What is behind it, in a few words.
function hint(finding) {
  const [cell] = statesOf(finding);
  const doubt = finding.unconfirmed !== undefined && make("span", { class: "flag" }, "unconfirmed");
  const patched = patchOf.has(finding.id) && make("span", { class: "flag good" }, "patch");
  return [
    cell ? quote(short(cell.cell, 120)) : finding.signature ? quote(short(finding.signature, 120)) : "",
    doubt,
    patched,
  ];
}

function tell(row) {
  if (!row.body.hasChildNodes()) row.body.append(story(row.finding));
}

function open(id) {
  const row = rows.get(id);
  if (!row) return;
  tell(row);
  row.body.hidden = false;
  row.button.setAttribute("aria-expanded", "true");
  graph.selected = row.finding.test;
  if (location.hash !== `#${id}`) history.replaceState(null, "", `#${encodeURIComponent(id)}`);
  changed();
}

function close(id) {
  const row = rows.get(id);
  row.body.hidden = true;
  row.button.setAttribute("aria-expanded", "false");
}

// Opens what the address names, and goes there, filter or not.
function visit(id) {
  const row = rows.get(id);
  if (!row) return false;
  if (row.element.hidden) clearFilter();
  open(id);
  row.element.scrollIntoView({ block: "start" });
  row.button.focus({ preventScroll: true });
  return true;
}

function clearFilter() {
  document.getElementById("filter").value = "";
  document.querySelector(".filters select").value = "";
  refilter(() => Object.assign(filter, { text: "", kinds: new Set(), file: "" }));
}

// From the finding that has the focus to its neighbour that is shown.
function step(by) {
  const shown = [...rows.values()].filter(({ element }) => !element.hidden);
  const at = shown.findIndex(({ element }) => element.contains(document.activeElement));
  const next =
    shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : Math.max(0, Math.min(shown.length - 1, at + by))];
  if (!next) return;
  next.button.focus({ preventScroll: true });
  next.element.scrollIntoView({ block: "nearest" });
}
