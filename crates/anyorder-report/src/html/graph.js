// Who does what to whom, as a picture: tests are boxes, arrows say what one does to the other. A click tells a test's story.

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
  const views = [
    ["findings", "Findings", findings.some((finding) => relationsOf(finding).length)],
    ["deps", "Dependencies", manifest.length > 0],
  ].filter(([, , is]) => is);
  if (!views.length) return null;
  graph.view = views[0][0];
  graph.manifest = manifest;
  const tabs = views.map(([name, title]) =>
    make(
      "button",
      {
        type: "button",
        class: "chip",
        "aria-pressed": String(name === graph.view),
        "data-view": name,
        onclick: () => showView(name),
      },
      title,
    ),
  );
  const tool = (label, sign, action) =>
    make(
      "button",
      { type: "button", class: "tool", "aria-label": label, title: label, onclick: action },
      sign,
    );
  graph.svg = draw("svg", { class: "graph", role: "group", "aria-label": "Graph of tests" });
  graph.words = make("p", { class: "weak", id: "graph-words" });
  graph.story = make("aside", { class: "node-story", "aria-label": "The chosen test", hidden: true });
  movable(graph.svg);
  return section(
    "graph",
    "Graph",
    make(
      "div",
      { class: "bar-of-tools" },
      views.length > 1 && make("div", { class: "chips" }, tabs),
      make(
        "div",
        { class: "tools" },
        tool("Zoom in", "+", () => zoom(0.8)),
        tool("Zoom out", "−", () => zoom(1.25)),
        tool("Show all", "⤢", showAll),
      ),
    ),
    graph.words,
    make("div", { class: "canvas" }, graph.svg, graph.story),
    make(
      "p",
      { class: "legend" },
      Object.keys(ROLES).map((role) =>
        make(
          "span",
          { class: "key", "data-role": role },
          draw(
            "svg",
            { viewBox: "0 0 28 8", "aria-hidden": "true" },
            draw("path", { class: `edge ${role}`, d: "M0 4H28" }),
          ),
          `${role}: ${ROLES[role]}`,
        ),
      ),
    ),
  );
}

function showView(name) {
  graph.view = name;
  document
    .querySelectorAll("[data-view]")
    .forEach((tab) => tab.setAttribute("aria-pressed", tab.dataset.view === name));
  drawGraph();
}

function drawGraph() {
  if (!graph.svg) return;
  const { nodes, edges, words } = graph.view === "deps" ? dependencyGraph() : findingGraph();
  const { width, height } = layered(nodes, edges, graph.svg.clientWidth - 24);
  graph.words.textContent = words;
  graph.whole = { x: -12, y: -12, width: Math.max(width, 300) + 24, height: Math.max(height, 60) + 24 };
  graph.svg.replaceChildren(
    draw("defs", {}, Object.keys(ROLES).map(arrowHead)),
    ...edges.map(edgeShape),
    ...nodes.map(nodeShape),
  );
  document
    .querySelectorAll(".legend .key")
    .forEach((key) => (key.hidden = !edges.some(({ role }) => role === key.dataset.role)));
  const scaled = graph.whole.height * Math.min(1, graph.svg.clientWidth / graph.whole.width);
  graph.svg.style.setProperty("--high", `${Math.min(600, Math.max(140, scaled))}px`);
  showAll();
}

function arrowHead(role) {
  return draw(
    "marker",
    {
      id: `head-${role}`,
      class: `tip ${role}`,
      viewBox: "0 0 8 8",
      refX: 7,
      refY: 4,
      markerWidth: 7,
      markerHeight: 7,
      orient: "auto-start-reverse",
    },
    draw("path", { d: "M0 0L8 4L0 8z" }),
  );
}

function edgeShape({ chain, role }) {
  const isBack = chain[0].x > chain[chain.length - 1].x;
  const side = (node, at) => [node.x + ((at === 0) !== isBack ? node.width : 0), middle(node)];
  const points = chain.map((node, at) =>
    at === 0 || at === chain.length - 1 ? side(node, at) : [node.x, middle(node)],
  );
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
  if (node.joint)
    return draw(
      "g",
      { class: "joint", transform: at },
      draw("circle", { cx: 10, cy: 10, r: 9 }),
      draw("text", { x: 10, y: 14, "text-anchor": "middle" }, "+"),
    );
  const choose = () => (node.test ? chooseTest(node.test) : visit(node.finding));
  const act = {
    tabindex: "0",
    role: "button",
    onclick: choose,
    onkeydown: (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose()),
  };
  if (node.label) {
    return draw(
      "g",
      { class: "node rest", transform: at, "aria-label": node.label, ...act },
      draw("rect", { width: node.width, height: node.height, rx: 14 }),
      draw("text", { x: node.width / 2, y: 18, "text-anchor": "middle" }, node.label),
    );
  }
  const roles = [...node.roles].join(", ");
  const isChosen = node.test === graph.selected;
  return draw(
    "g",
    {
      class: `node ${[...node.roles][0]}${isChosen ? " chosen" : ""}`,
      transform: at,
      "aria-label": `${short(node.test, 200)}: ${roles}`,
      "data-test": node.test,
      ...act,
    },
    draw("title", {}, short(node.test, 400)),
    draw("rect", { width: node.width, height: node.height, rx: 7 }),
    draw("rect", { class: "stripe", width: 4, height: node.height, rx: 2 }),
    draw("text", { class: "name", x: 13, y: 17 }, short(nameOf(node.test), 30)),
    draw(
      "text",
      { class: "role", x: 13, y: 33 },
      short(`${roles} · ${fileOf(node.test).split("/").pop()}`, 36),
    ),
  );
}
