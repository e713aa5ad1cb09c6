// Puts the page together: sections, addresses, keys, paper.

function start() {
  document.getElementById("about").append(...about());
  const sections = [
    summary(),
    graphSection(),
    findingsSection(),
    matrixSection(),
    pollutionSection(),
    historySection(),
    costSection(),
  ].filter(Boolean);
  document.getElementById("main").replaceChildren(...sections);
  const link = (each) => make("a", { href: `#${each.id}` }, each.querySelector("h2").textContent);
  document.getElementById("sections").append(...sections.map(link));
  changed = soon(drawGraph, 120);
  drawGraph();
  follow();
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", tellAll);
  matchMedia("print").addEventListener("change", (event) => event.matches && tellAll());
  addEventListener(
    "resize",
    soon(() => graph.svg && showAll(), 120),
  );
  document.addEventListener("keydown", press);
}

function soon(action, wait) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, wait);
  };
}

// Opens the finding that the address names.
function follow() {
  let id = location.hash.slice(1);
  try {
    id = decodeURIComponent(id);
  } catch {
    return;
  }
  visit(id);
}

// More stories than this would be a pile of paper that nobody reads.
const MOST_ON_PAPER = 300;

// Paper cannot be clicked: stories are told, those that fit the filter first, and the page says how many are not.
function tellAll() {
  const all = [...rows.values()];
  const wanted = [
    ...all.filter(({ element }) => !element.hidden),
    ...all.filter(({ element }) => element.hidden),
  ];
  wanted.slice(0, MOST_ON_PAPER).forEach(tell);
  const left = Math.max(0, all.length - MOST_ON_PAPER);
  const words = `The stories of ${count(left, "finding")} are left out on paper; filter what is to be printed.`;
  document.getElementById("paper").textContent = left ? words : "";
  document.querySelectorAll("button.more").forEach((button) => button.click());
  document.querySelectorAll(".story details").forEach((details) => (details.open = true));
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.matches("input, select, textarea");
  if (event.key === "Escape") return leave(event.target);
  const keys = { "/": () => document.getElementById("filter")?.focus(), j: () => step(1), k: () => step(-1) };
  if (isTyping || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

// Closes what is nearest: the story one is in, the chosen test, the filter.
function leave(target) {
  const opened = [...rows.values()].find(({ element, body }) => element.contains(target) && !body.hidden);
  if (opened) {
    close(opened.finding.id);
    opened.button.focus();
  } else if (graph.story && !graph.story.hidden) forgetTest();
  else if (isFiltered()) clearFilter();
  else target.blur();
}

start();
