// Who does what to whom, as a picture: tests are boxes, arrows say what one does to the other. A click tells a test's story.

// So many boxes can still be read.
const MOST = 60;
const MOST_PARTNERS = 8;
const BOX = { width: 208, height: 42 };
const ROLES = {
  polluter: "makes it fail",
  setter: "lets it pass",
  cleaner: "cleans up before it",
  needs: "has to run before it",
  inferred: "has to run before it; seen on a test with the same effect",
};

const graph = { view: "findings", selected: null, box: null, whole: null };

function graphSection() {
  const manifest = reports.flatMap((each) => each.dependencies?.manifest || []);
  const views = [["findings", "Findings", findings.some((finding) => relationsOf(finding).length)], ["deps", "Dependencies", manifest.length > 0]].filter(([, , is]) => is);
  if (!views.length) return null;
  graph.view = views[0][0];
  graph.manifest = manifest;
  const tabs = views.map(([name, title]) => make("button", { type: "button", class: "chip", "aria-pressed": String(name === graph.view), "data-view": name, onclick: () => showView(name) }, title));
  const tool = (label, sign, action) => make("button", { type: "button", class: "tool", "aria-label": label, title: label, onclick: action }, sign);
  graph.svg = draw("svg", { class: "graph", role: "group", "aria-label": "Graph of tests" });
  graph.words = make("p", { class: "weak", id: "graph-words" });
  graph.story = make("aside", { class: "node-story", "aria-label": "The chosen test", hidden: true });
  movable(graph.svg);
  return section(
    "graph", "Graph",
    make("div", { class: "bar-of-tools" }, views.length > 1 && make("div", { class: "chips" }, tabs),
      make("div", { class: "tools" }, tool("Zoom in", "+", () => zoom(0.8)), tool("Zoom out", "−", () => zoom(1.25)), tool("Show all", "⤢", showAll))),
    graph.words,
    make("div", { class: "canvas" }, graph.svg, graph.story),
    make("p", { class: "legend" }, Object.keys(ROLES).map((role) => make("span", { class: "key", "data-role": role }, draw("svg", { viewBox: "0 0 28 8", "aria-hidden": "true" }, draw("path", { class: `edge ${role}`, d: "M0 4H28" })), `${role}: ${ROLES[role]}`))),
  );
}

function showView(name) {
  graph.view = name;
  document.querySelectorAll("[data-view]").forEach((tab) => tab.setAttribute("aria-pressed", tab.dataset.view === name));
  drawGraph();
}

function drawGraph() {
  if (!graph.svg) return;
  const { nodes, edges, words } = graph.view === "deps" ? dependencyGraph() : findingGraph();
  const { width, height } = layered(nodes, edges, graph.svg.clientWidth - 24);
  graph.words.textContent = words;
  graph.whole = { x: -12, y: -12, width: Math.max(width, 300) + 24, height: Math.max(height, 60) + 24 };
  graph.svg.replaceChildren(draw("defs", {}, Object.keys(ROLES).map(arrowHead)), ...edges.map(edgeShape), ...nodes.map(nodeShape));
  document.querySelectorAll(".legend .key").forEach((key) => (key.hidden = !edges.some(({ role }) => role === key.dataset.role)));
  const scaled = graph.whole.height * Math.min(1, graph.svg.clientWidth / graph.whole.width);
  graph.svg.style.setProperty("--high", `${Math.min(560, Math.max(140, scaled))}px`);
  showAll();
}

// Collects boxes and arrows once each, up to what can be read.
function collector() {
  const [nodes, edges] = [new Map(), new Map()];
  const node = (id, more) => {
    if (!nodes.has(id)) nodes.set(id, { id, roles: new Set(), ...BOX, ...more });
    return nodes.get(id);
  };
  const edge = (from, to, role) => from !== to && edges.set(`${role}\n${from}\n${to}`, { from, to, role });
  return { nodes, node, edge, done: (words) => ({ nodes: [...nodes.values()], edges: [...edges.values()], words }) };
}

function findingGraph() {
  const related = findings.filter((finding) => relationsOf(finding).length);
  const wanted = related.filter((finding) => !isFiltered() || fits(finding));
  const chosen = related.filter((finding) => finding.test === graph.selected || relationsOf(finding).some(({ tests }) => tests.includes(graph.selected)));
  const into = collector();
  let shown = 0;
  for (const finding of new Set([...chosen, ...wanted])) {
    if (into.nodes.size >= MOST) break;
    addFinding(finding, into);
    shown += 1;
  }
  const all = new Set([...chosen, ...wanted]).size;
  const rest = shown < all ? ` Shown: the surroundings of ${grouped(shown)} of ${count(all, "finding")}. Filter, or open a finding, to see others.` : "";
  return into.done(all ? `Click a test for its story.${rest}` : "No finding that fits the filter has partners to draw.");
}

function addFinding(finding, into) {
  into.node(finding.test, { test: finding.test }).roles.add(finding.kind);
  for (const role of ["polluter", "setter", "cleaner"]) {
    const groups = relationsOf(finding).filter((relation) => relation.role === role);
    groups.slice(0, MOST_PARTNERS).forEach(({ tests }) => addGroup(finding, role, tests, into));
    if (groups.length > MOST_PARTNERS) {
      const id = `${role}\n${finding.id}\nmore`;
      into.node(id, { finding: finding.id, label: `${grouped(groups.length - MOST_PARTNERS)} more ${many(role, 2)}`, width: 140, height: 28 });
      into.edge(id, finding.test, role);
    }
  }
}

// Several tests that only matter together meet in a joint.
function addGroup(finding, role, tests, into) {
  const members = [...new Set(tests)];
  members.forEach((test) => into.node(test, { test }).roles.add(role));
  if (members.length === 1) return into.edge(members[0], finding.test, role);
  const joint = `${role}\n${finding.id}\n${members.join("\n")}`;
  into.node(joint, { joint: true, width: 20, height: 20 });
  members.forEach((test) => into.edge(test, joint, role));
  into.edge(joint, finding.test, role);
}

function dependencyGraph() {
  const word = filter.text;
  const fitting = graph.manifest.filter(({ before, after }) => !word || `${before}\n${after}`.toLowerCase().includes(word));
  const chosen = graph.manifest.filter(({ before, after }) => before === graph.selected || after === graph.selected);
  const all = [...new Set([...chosen, ...fitting])];
  const into = collector();
  let shown = 0;
  for (const { before, after, inferred } of all) {
    if (into.nodes.size >= MOST) break;
    into.node(before, { test: before }).roles.add("first");
    into.node(after, { test: after }).roles.add("then");
    into.edge(before, after, inferred ? "inferred" : "needs");
    shown += 1;
  }
  const rest = shown < all.length ? ` Shown: ${grouped(shown)} of ${grouped(all.length)}. Filter by a name, or choose a test, to see others.` : "";
  return into.done(all.length ? `What has to run before what, so that every test ends as it does in the original order.${rest}` : "No dependency fits the filter.");
}

function arrowHead(role) {
  return draw("marker", { id: `head-${role}`, class: `tip ${role}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, draw("path", { d: "M0 0L8 4L0 8z" }));
}

function edgeShape({ chain, role }) {
  const isBack = chain[0].x > chain[chain.length - 1].x;
  const side = (node, at) => [node.x + ((at === 0) !== isBack ? node.width : 0), middle(node)];
  const points = chain.map((node, at) => (at === 0 || at === chain.length - 1 ? side(node, at) : [node.x, middle(node)]));
  let path = `M${points[0]}`;
  for (let at = 1; at < points.length; at++) {
    const [[x, y], [toX, toY]] = [points[at - 1], points[at]];
    const bend = (toX - x) / 2;
    path += `C${x + bend},${y} ${toX - bend},${toY} ${toX},${toY}`;
  }
  return draw("path", { class: `edge ${role}`, d: path, "marker-end": `url(#head-${role})` });
}

function nodeShape(node) {
  const at = `translate(${node.x},${node.y})`;
  if (node.joint) return draw("g", { class: "joint", transform: at }, draw("circle", { cx: 10, cy: 10, r: 9 }), draw("text", { x: 10, y: 14, "text-anchor": "middle" }, "+"));
  const choose = () => (node.test ? chooseTest(node.test) : visit(node.finding));
  const act = { tabindex: "0", role: "button", onclick: choose, onkeydown: (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose()) };
  if (node.label) {
    return draw("g", { class: "node rest", transform: at, "aria-label": node.label, ...act }, draw("rect", { width: node.width, height: node.height, rx: 14 }), draw("text", { x: node.width / 2, y: 18, "text-anchor": "middle" }, node.label));
  }
  const roles = [...node.roles].join(", ");
  const isChosen = node.test === graph.selected;
  return draw("g", { class: `node ${[...node.roles][0]}${isChosen ? " chosen" : ""}`, transform: at, "aria-label": `${short(node.test, 200)}: ${roles}`, "data-test": node.test, ...act },
    draw("title", {}, short(node.test, 400)),
    draw("rect", { width: node.width, height: node.height, rx: 7 }),
    draw("rect", { class: "stripe", width: 4, height: node.height, rx: 2 }),
    draw("text", { class: "name", x: 13, y: 17 }, short(nameOf(node.test), 30)),
    draw("text", { class: "role", x: 13, y: 33 }, short(`${roles} · ${fileOf(node.test).split("/").pop()}`, 36)));
}

function chooseTest(test) {
  graph.selected = test;
  graph.svg.querySelectorAll(".node").forEach((node) => node.classList.toggle("chosen", node.dataset.test === test));
  graph.story.replaceChildren(make("button", { type: "button", class: "tool close", "aria-label": "Close", onclick: forgetTest }, "×"), ...testStory(test));
  graph.story.hidden = false;
  graph.story.scrollTop = 0;
}

function forgetTest() {
  graph.selected = null;
  graph.story.hidden = true;
  graph.svg.querySelectorAll(".chosen").forEach((node) => node.classList.remove("chosen"));
}

// All that is known of one test: what it does to others, what it needs, and its own findings.
function testStory(test) {
  const relations = relationsByTest.get(test) || [];
  const needs = (graph.manifest || []).filter(({ before, after }) => before === test || after === test);
  const did = { polluter: "makes ", setter: "lets ", cleaner: "cleans up before " };
  const end = { polluter: " fail", setter: " pass", cleaner: "" };
  const relation = ({ role, tests, finding }) => [did[role], testLink(finding.test), end[role], tests.length > 1 && ", together with others", ...carried(finding)];
  const need = ({ before, after, test: minding, otherwise }) => [testLink(before), " before ", testLink(after), ", else ", code(nameOf(minding)), ` ends in ${plain(otherwise)}`];
  return [
    make("h3", {}, quote(nameOf(test))),
    make("p", { class: "weak" }, quote(fileOf(test))),
    relations.length > 0 && listed(relations, 20, relation),
    needs.length > 0 && [make("h4", {}, "Order"), listed(needs, 20, need)],
    (findingsByTest.get(test) || []).map((finding) => make("div", {}, make("h4", {}, make("a", { href: `#${encodeURIComponent(finding.id)}` }, plain(finding.id)), ` ${finding.kind}`), story(finding))),
  ].flat(Infinity).filter(Boolean);
}

function carried(finding) {
  const [cell] = statesOf(finding);
  return cell ? [" by ", code(short(cell.cell, 80))] : [];
}
