// What the report tells of: the document, its findings by id, by kind and by test. Knows no elements.

const KINDS = {
  victim: "passes alone, fails after other tests",
  brittle: "fails alone, passes after other tests",
  "non-idempotent": "passes, and fails when it runs again",
  "self-setting": "fails, and passes when it runs again",
  "outcome-varies": "ends otherwise after other tests, without failing",
  fixture: "a tear-down fails behind whichever test is the last",
  "non-deterministic": "differs between runs of the same order",
  broken: "fails in every state that was tried",
  "latent-polluter": "leaves state changed that no test minds yet",
  "latent-victim": "would fail if a cell that it reads were changed",
};

function kindWords(kind) {
  return String(kind).replace(/^(latent|outcome)-/, "$1 ");
}

const ORDER_DEPENDENT = ["victim", "brittle", "non-idempotent"];

const report = JSON.parse(document.getElementById("document").textContent);

// A command that starts several suites reports each of them.
const reports = [report, ...(report.more || [])];

const confirmed = reports.flatMap((each) => each.findings || []);
const unconfirmed = reports.flatMap((each) => each.unconfirmed || []);
const findings = [...confirmed, ...unconfirmed];
const byId = new Map(findings.map((finding) => [finding.id, finding]));
const patches = reports.flatMap((each) => each.patches || []);
const patchOf = new Map(patches.flatMap((patch) => (patch.cures || []).map((id) => [id, patch])));
const ages = report.history || [];
const hunts = report.hunts || [];
const ageOf = new Map(ages.map((age) => [age.id, age]));

function kindsOf(some) {
  const kinds = new Map();
  for (const finding of some) kinds.set(finding.kind, (kinds.get(finding.kind) || 0) + 1);
  const places = Object.keys(KINDS);
  return [...kinds].sort((one, other) => places.indexOf(one[0]) - places.indexOf(other[0]));
}

function summed(part, field) {
  const numbers = reports.map((each) => each[part]?.[field]).filter((number) => number !== undefined);
  return numbers.length ? numbers.reduce((one, other) => one + other) : undefined;
}

function statesOf(finding) {
  return finding.state || [];
}

// What the filter looks for words in.
function wordsOf(finding) {
  const groups = [finding.polluters, finding.setters, finding.cleaners];
  const cells = statesOf(finding).map((state) => state.cell);
  return [finding.id, finding.kind, finding.test, finding.signature, ...cells, ...groups.flat(2)]
    .join("\n")
    .toLowerCase();
}

// Who stands in which relation to whom: `tests` of a group make `finding` what it is, or clean it up.
function relationsOf(finding) {
  const of = (role, groups) => (groups || []).map((tests, group) => ({ role, tests, finding, group }));
  return [
    ...of("polluter", finding.polluters),
    ...of("setter", finding.setters),
    ...of("cleaner", finding.cleaners),
  ];
}

const relationsByTest = new Map();
const findingsByTest = new Map();

function remember(map, key, value) {
  if (map.has(key)) map.get(key).push(value);
  else map.set(key, [value]);
}

for (const finding of findings) {
  remember(findingsByTest, finding.test, finding);
  for (const relation of relationsOf(finding)) {
    for (const test of new Set(relation.tests)) remember(relationsByTest, test, relation);
  }
}
