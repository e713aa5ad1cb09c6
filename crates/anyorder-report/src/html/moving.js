// Zoom and pan of the graph: buttons, dragging, ctrl and wheel. The page itself scrolls as ever.

function show(box) {
  graph.box = box;
  graph.svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
}

function showAll() {
  const { clientWidth, clientHeight } = graph.svg;
  const { x, y, width, height } = graph.whole;
  // Small graphs are not blown up.
  const scale = Math.max(width / (clientWidth || width), height / (clientHeight || height), 1);
  const [wide, high] = [Math.max(width, scale * clientWidth), Math.max(height, scale * clientHeight)];
  show({ x: x - (wide - width) / 2, y: y - (high - height) / 2, width: wide, height: high });
}

function zoom(by, at = [0.5, 0.5]) {
  const { x, y, width, height } = graph.box;
  const factor = Math.min(by, (8 * graph.whole.width) / width);
  show({
    x: x + width * (1 - factor) * at[0],
    y: y + height * (1 - factor) * at[1],
    width: width * factor,
    height: height * factor,
  });
}

function movable(svg) {
  let held = null;
  svg.addEventListener("pointerdown", (event) => {
    if (event.target.closest(".node")) return;
    held = { from: [event.clientX, event.clientY], box: graph.box };
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!held) return;
    const scale = held.box.width / svg.clientWidth;
    show({
      ...held.box,
      x: held.box.x - (event.clientX - held.from[0]) * scale,
      y: held.box.y - (event.clientY - held.from[1]) * scale,
    });
  });
  ["pointerup", "pointercancel"].forEach((name) => svg.addEventListener(name, () => (held = null)));
  svg.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top, width, height } = svg.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 1.15 : 0.87, [(event.clientX - left) / width, (event.clientY - top) / height]);
    },
    { passive: false },
  );
}
