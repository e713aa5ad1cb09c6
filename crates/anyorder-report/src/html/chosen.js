// The test that somebody has clicked in the graph, and all that is known of it.

function chooseTest(test) {
  graph.selected = test;
  graph.svg
    .querySelectorAll(".node")
    .forEach((node) => node.classList.toggle("chosen", node.dataset.test === test));
  graph.story.replaceChildren(
    make("button", { type: "button", class: "tool close", "aria-label": "Close", onclick: forgetTest }, "×"),
    ...testStory(test),
  );
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
  const relation = ({ role, tests, finding }) => [
    did[role],
    testLink(finding.test),
    end[role],
    tests.length > 1 && ", together with others",
    ...carried(finding),
  ];
  const need = ({ before, after, test: minding, otherwise }) => [
    testLink(before),
    " before ",
    testLink(after),
    ", else ",
    code(nameOf(minding)),
    ` ends in ${plain(otherwise)}`,
  ];
  return [
    make("h3", {}, quote(nameOf(test))),
    make("p", { class: "weak" }, quote(fileOf(test))),
    relations.length > 0 && listed(relations, 20, relation),
    needs.length > 0 && [make("h4", {}, "Order"), listed(needs, 20, need)],
    (findingsByTest.get(test) || []).map((finding) =>
      make(
        "div",
        {},
        make(
          "h4",
          {},
          make("a", { href: `#${encodeURIComponent(finding.id)}` }, plain(finding.id)),
          ` ${finding.kind}`,
        ),
        story(finding),
      ),
    ),
  ]
    .flat(Infinity)
    .filter(Boolean);
}

function carried(finding) {
  const [cell] = statesOf(finding);
  return cell ? [" by ", code(short(cell.cell, 80))] : [];
}
