// Which ordered pairs were tried or inferred: a line for what ran first, a column for what ran second.

const SIDE = 640;
const LABELLED = 40;

function matrixSection() {
  const coverage = reports.map((each) => each.coverage?.matrix).find((matrix) => matrix?.names?.length);
  if (!coverage) return null;
  const canvas = make("canvas", { class: "matrix", role: "img", "aria-label": matrixWords(coverage) });
  const under = make("p", { class: "weak", id: "under" }, "Point at a square to see what it stands for.");
  const at = new Map(coverage.rows.map((row) => [`${row[0]} ${row[1]}`, row]));
  const paint = () => paintMatrix(canvas, coverage);
  canvas.addEventListener("pointermove", (event) =>
    under.replaceChildren(...squareWords(canvas, event, coverage, at)),
  );
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  requestAnimationFrame(paint);
  const legend = ["tried", "inferred", "open"].map((name) => make("span", { class: `square ${name}` }, name));
  return section(
    "matrix",
    "Pairs",
    make("p", { class: "weak" }, matrixWords(coverage)),
    make("div", { class: "wide" }, canvas),
    make("p", { class: "legend" }, legend),
    under,
  );
}

function matrixWords({ names, by, rows }) {
  const sum = (place) => rows.reduce((total, row) => total + row[place], 0);
  const what =
    by === "file"
      ? `${count(names.length, "file")} (tests of a file are one line)`
      : count(names.length, "test");
  return `${what}: ${grouped(sum(3))} ordered pairs tried, ${grouped(sum(4))} inferred. Lines ran first, columns right after.`;
}

// The end of a path tells more than its beginning.
function lineName(name, by) {
  const shown = by === "file" ? plain(name) : plain(nameOf(name));
  if (shown.length <= 30) return shown;
  return by === "file" ? "…" + shown.slice(-29) : short(shown, 30);
}

function paintMatrix(canvas, { names, by, rows }) {
  const style = getComputedStyle(canvas);
  const [ink, open, inferredColour, triedColour] = ["ink", "open", "inferred", "tried"].map((name) =>
    style.getPropertyValue(`--${name}`),
  );
  const margin = names.length <= LABELLED ? 190 : 0;
  const square = Math.max(1, Math.min(14, Math.floor(SIDE / names.length)));
  const side = square * names.length;
  const sharp = Math.min(2, window.devicePixelRatio || 1);
  canvas.width = (side + margin) * sharp;
  canvas.height = side * sharp;
  canvas.style.width = `${side + margin}px`;
  Object.assign(canvas.dataset, { margin, square });
  const context = canvas.getContext("2d");
  context.scale(sharp, sharp);
  context.fillStyle = open;
  context.fillRect(margin, 0, side, side);
  const gap = square > 4 ? 1 : 0;
  for (const [first, second, pairs, tried, inferred] of rows) {
    const [x, y, width] = [margin + second * square, first * square, square - gap];
    fillShare(context, inferredColour, (tried + inferred) / pairs, x, y, width);
    fillShare(context, triedColour, tried / pairs, x, y, width);
  }
  context.globalAlpha = 1;
  context.fillStyle = ink;
  context.font = `11px ${style.fontFamily}`;
  if (!margin) return;
  names.forEach((name, at) => context.fillText(lineName(name, by), 0, at * square + square - 3, margin - 8));
}

function fillShare(context, colour, share, x, y, width) {
  if (!share) return;
  context.globalAlpha = 0.25 + 0.75 * Math.min(1, share);
  context.fillStyle = colour;
  context.fillRect(x, y, width, width);
}

function squareWords(canvas, event, { names }, at) {
  const { margin, square } = canvas.dataset;
  const second = Math.floor((event.offsetX - margin) / square);
  const first = Math.floor(event.offsetY / square);
  if (!(names[first] && names[second])) return ["Point at a square to see what it stands for."];
  const [, , pairs, tried, inferred] = at.get(`${first} ${second}`) || [0, 0, 0, 0, 0];
  const words = pairs
    ? `: ${grouped(tried)} tried and ${grouped(inferred)} inferred of ${count(pairs, "pair")}`
    : ": nothing tried";
  return [quote(short(names[first], 120)), " then ", quote(short(names[second], 120)), words];
}
