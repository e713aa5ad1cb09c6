// A layered layout: what comes before stands left of what comes after. Knows boxes and arrows, not what they mean.
//
// Each connected part by itself: arrows of cycles are turned around, layers by longest paths, bends where an arrow
// crosses layers, then layers are sorted and moved towards their neighbours. The parts are put on shelves.

const COLUMN_GAP = 70;
const ROW_GAP = 14;
const ROUNDS = 10;

// Gives `x` and `y` to nodes (`id`, `width`, `height`), and the `chain` of nodes and bends that they pass to edges (`from`, `to`: ids).
function layered(nodes, edges, room) {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const parts = connected(known, edges);
  parts.forEach(placePart);
  return shelve(parts, room);
}

function connected(known, edges) {
  const parent = new Map([...known.keys()].map((id) => [id, id]));
  const root = (id) => {
    while (parent.get(id) !== id) id = parent.get(id);
    return id;
  };
  for (const { from, to } of edges) parent.set(root(from), root(to));
  const parts = new Map();
  for (const [id, node] of known) {
    const key = root(id);
    if (!parts.has(key)) parts.set(key, { nodes: [], edges: [], known });
    parts.get(key).nodes.push(node);
  }
  for (const edge of edges) parts.get(root(edge.from)).edges.push(edge);
  return [...parts.values()];
}

function placePart(part) {
  const arrows = withoutCycles(part);
  rank(part.nodes, arrows);
  const layers = withBends(part, arrows);
  for (let round = 0; round < ROUNDS; round++) sortLayers(layers, round % 2 === 0);
  setColumns(layers);
  for (let round = 0; round < ROUNDS; round++) moveLayers(layers, round % 2 === 0);
  const all = layers.flat();
  const top = Math.min(...all.map((node) => node.y));
  all.forEach((node) => (node.y -= top));
  part.width = Math.max(...all.map((node) => node.x + node.width));
  part.height = Math.max(...all.map((node) => node.y + node.height));
  part.all = all;
}

function withoutCycles({ nodes, edges, known }) {
  const out = new Map(nodes.map((node) => [node.id, []]));
  edges.forEach((edge) => out.get(edge.from).push(edge));
  const [state, turned] = [new Map(), new Set()];
  const visit = (id) => {
    state.set(id, "open");
    for (const edge of out.get(id)) {
      if (state.get(edge.to) === "open") turned.add(edge);
      else if (!state.has(edge.to)) visit(edge.to);
    }
    state.set(id, "done");
  };
  nodes.forEach((node) => state.has(node.id) || visit(node.id));
  return edges
    .filter((edge) => edge.from !== edge.to)
    .map((edge) => {
      const [from, to] = turned.has(edge) ? [edge.to, edge.from] : [edge.from, edge.to];
      return { edge, isTurned: turned.has(edge), from: known.get(from), to: known.get(to) };
    });
}

function rank(nodes, arrows) {
  nodes.forEach((node) => (node.rank = 0));
  const waiting = new Map(nodes.map((node) => [node, 0]));
  arrows.forEach(({ to }) => waiting.set(to, waiting.get(to) + 1));
  const ready = nodes.filter((node) => waiting.get(node) === 0);
  const first = new Set(ready);
  for (const node of ready) {
    for (const { to } of arrows.filter((arrow) => arrow.from === node)) {
      to.rank = Math.max(to.rank, node.rank + 1);
      waiting.set(to, waiting.get(to) - 1);
      if (waiting.get(to) === 0) ready.push(to);
    }
  }
  for (const node of first) {
    const ranks = arrows.filter((arrow) => arrow.from === node).map(({ to }) => to.rank - 1);
    if (ranks.length) node.rank = Math.min(...ranks);
  }
}

function withBends({ nodes }, arrows) {
  const layers = Array.from({ length: Math.max(...nodes.map((node) => node.rank)) + 1 }, () => []);
  const place = (node) => {
    [node.before, node.after] = [[], []];
    layers[node.rank].push(node);
  };
  nodes.forEach(place);
  for (const { edge, isTurned, from, to } of arrows) {
    const chain = [from];
    for (let rank = from.rank + 1; rank < to.rank; rank++) {
      const bend = { rank, width: 0, height: 2 };
      place(bend);
      chain.push(bend);
    }
    chain.push(to);
    for (let at = 1; at < chain.length; at++) {
      chain[at - 1].after.push(chain[at]);
      chain[at].before.push(chain[at - 1]);
    }
    edge.chain = isTurned ? chain.reverse() : chain;
  }
  return layers;
}

const mean = (numbers) => numbers.reduce((one, other) => one + other, 0) / numbers.length;

function sortLayers(layers, forwards) {
  layers.forEach((layer) => layer.forEach((node, at) => (node.place = at)));
  for (const layer of forwards ? layers : [...layers].reverse()) {
    for (const node of layer) {
      const beside = forwards ? node.before : node.after;
      if (beside.length) node.place = mean(beside.map((other) => other.place));
    }
    layer.sort((one, other) => one.place - other.place);
    layer.forEach((node, at) => (node.place = at));
  }
}

function setColumns(layers) {
  let x = 0;
  for (const layer of layers) {
    const width = Math.max(...layer.map((node) => node.width));
    let y = 0;
    for (const node of layer) {
      node.x = x + (width - node.width) / 2;
      node.y = y;
      y += node.height + ROW_GAP;
    }
    x += width + COLUMN_GAP;
  }
}

const middle = (node) => node.y + node.height / 2;

function moveLayers(layers, forwards) {
  for (const layer of forwards ? layers : [...layers].reverse()) {
    const wish = (node) => {
      const beside = forwards ? node.before : node.after;
      return beside.length ? mean(beside.map(middle)) - node.height / 2 : node.y;
    };
    const wishes = layer.map(wish);
    let least = -Infinity;
    layer.forEach((node, at) => {
      node.y = Math.max(wishes[at], least);
      least = node.y + node.height + ROW_GAP;
    });
    const off = mean(layer.map((node, at) => wishes[at] - node.y));
    layer.forEach((node) => (node.y += off));
  }
}

// Side by side as far as there is room.
function shelve(parts, room) {
  const gap = 36;
  const area = parts.reduce((sum, part) => sum + (part.width + gap) * (part.height + gap), 0);
  const most = Math.max(room, Math.sqrt(area * 2), ...parts.map((part) => part.width));
  let [x, y, tall, width] = [0, 0, 0, 0];
  for (const part of parts.sort((one, other) => other.height - one.height)) {
    if (x > 0 && x + part.width > most) [x, y, tall] = [0, y + tall + gap, 0];
    part.all.forEach((node) => ((node.x += x), (node.y += y)));
    x += part.width + gap;
    tall = Math.max(tall, part.height);
    width = Math.max(width, x - gap);
  }
  return { width, height: y + tall };
}
