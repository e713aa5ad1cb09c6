// What is drawn: which tests and which arrows between them, for findings and for dependencies. Knows no elements.

// So many boxes can still be read.
const MOST = 40;

const MOST_PARTNERS = 8;

const BOX = { width: 208, height: 42 };

// Collects boxes and arrows once each, up to what can be read.
function collector() {
  const [nodes, edges] = [new Map(), new Map()];
  const node = (id, more) => {
    if (!nodes.has(id)) nodes.set(id, { id, roles: new Set(), ...BOX, ...more });
    return nodes.get(id);
  };
  const edge = (from, to, role) => from !== to && edges.set(`${role}\n${from}\n${to}`, { from, to, role });
  return {
    nodes,
    node,
    edge,
    done: (words) => ({ nodes: [...nodes.values()], edges: [...edges.values()], words }),
  };
}

function findingGraph() {
  const related = findings.filter((finding) => relationsOf(finding).length);
  const wanted = related.filter((finding) => !isFiltered() || fits(finding));
  const chosen = related.filter(
    (finding) =>
      finding.test === graph.selected ||
      relationsOf(finding).some(({ tests }) => tests.includes(graph.selected)),
  );
  const into = collector();
  let shown = 0;
  for (const finding of new Set([...chosen, ...wanted])) {
    if (into.nodes.size >= MOST) break;
    addFinding(finding, into);
    shown += 1;
  }
  const all = new Set([...chosen, ...wanted]).size;
  const rest =
    shown < all
      ? ` Shown: the surroundings of ${grouped(shown)} of ${count(all, "finding")}. Filter, or open a finding, to see others.`
      : "";
  return into.done(
    all ? `Click a test for its story.${rest}` : "No finding that fits the filter has partners to draw.",
  );
}

function addFinding(finding, into) {
  into.node(finding.test, { test: finding.test }).roles.add(finding.kind);
  for (const role of ["polluter", "setter", "cleaner"]) {
    const groups = relationsOf(finding).filter((relation) => relation.role === role);
    groups.slice(0, MOST_PARTNERS).forEach(({ tests }) => addGroup(finding, role, tests, into));
    if (groups.length > MOST_PARTNERS) {
      const id = `${role}\n${finding.id}\nmore`;
      into.node(id, {
        finding: finding.id,
        label: `${grouped(groups.length - MOST_PARTNERS)} more ${many(role, 2)}`,
        width: 140,
        height: 28,
      });
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
  const fitting = graph.manifest.filter(
    ({ before, after }) => !word || `${before}\n${after}`.toLowerCase().includes(word),
  );
  const chosen = graph.manifest.filter(
    ({ before, after }) => before === graph.selected || after === graph.selected,
  );
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
  const rest =
    shown < all.length
      ? ` Shown: ${grouped(shown)} of ${grouped(all.length)}. Filter by a name, or choose a test, to see others.`
      : "";
  return into.done(
    all.length
      ? `What has to run before what, so that every test ends as it does in the original order.${rest}`
      : "No dependency fits the filter.",
  );
}
