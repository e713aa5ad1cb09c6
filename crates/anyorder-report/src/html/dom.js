// Elements and words. All text of the suite goes in as text nodes, never as markup: test ids are hostile input.

const SVG = "http://www.w3.org/2000/svg";

// What no reader would see, or what would turn the text around it: shown by its number.
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

function codePoint(character) {
  return "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
}

// Text of the suite where only a string will do.
function plain(text) {
  return String(text).replace(UNSEEN, (character) => `[${codePoint(character)}]`);
}

// Text of the suite as nodes, with marks for what cannot be seen.
function marked(text) {
  const nodes = [];
  let from = 0;
  for (const match of String(text).matchAll(UNSEEN)) {
    nodes.push(text.slice(from, match.index), make("span", { class: "unseeable" }, codePoint(match[0])));
    from = match.index + match[0].length;
  }
  nodes.push(String(text).slice(from));
  return nodes;
}

// Text of the suite in a line: its direction stays its own.
function quote(text, name = "quote") {
  return make("bdi", { class: name, dir: "ltr" }, marked(text));
}

// A sentence of ours about the suite: what stands in backticks is code.
function sentence(text) {
  const words = String(text);
  const parts = (words.charAt(0).toUpperCase() + words.slice(1)).split("`");
  return make(
    "span",
    {},
    parts.map((part, at) => (at % 2 ? code(part) : quote(part))),
    /[.!?]$/.test(words) ? "" : ".",
  );
}

function code(text) {
  return make("code", {}, quote(text));
}

// A test: what tells it apart first, where it stands behind.
function testName(id) {
  const file = fileOf(id);
  return make(
    "span",
    { class: "test" },
    quote(nameOf(id), "name"),
    file !== id && [" ", quote(file, "file")],
  );
}

function fileOf(id) {
  const at = id.search(/::|#/);
  return at < 0 ? id : id.slice(0, at);
}

function nameOf(id) {
  const rest = id.slice(fileOf(id).length).replace(/^(::|#)/, "");
  return rest || id;
}

function short(text, most) {
  const shown = plain(text);
  return shown.length <= most ? shown : shown.slice(0, most - 1) + "…";
}

function grouped(number) {
  return Math.round(number).toLocaleString("en-US");
}

// What has no plural of its own.
const ADJECTIVES = new Set([
  "brittle",
  "non-idempotent",
  "self-setting",
  "non-deterministic",
  "outcome varies",
  "broken",
]);

function many(noun, number) {
  return number === 1 || ADJECTIVES.has(noun) ? noun : noun + "s";
}

function count(number, noun) {
  return `${grouped(number)} ${many(noun, number)}`;
}

function seconds(number) {
  if (number < 10) return `${number.toFixed(1)} s`;
  if (number < 120) return `${Math.round(number)} s`;
  return `${Math.floor(number / 60)} min ${Math.round(number % 60)} s`;
}

function time(text) {
  return make(
    "time",
    { datetime: text },
    plain(text)
      .replace("T", " ")
      .replace(/:\d\d(\.\d+)?(Z|\+00:00)$/, " UTC"),
  );
}

function say(text) {
  document.getElementById("said").textContent = text;
}

// A button that puts a text on the clipboard, and says whether it did.
function copyButton(text, what) {
  const button = make("button", { class: "copy", type: "button", "aria-label": `Copy ${what}` }, "Copy");
  button.addEventListener("click", async () => {
    const done = (await copied(text)) ? "Copied" : "Not copied: select it";
    button.textContent = done;
    say(done);
    setTimeout(() => (button.textContent = "Copy"), 1600);
  });
  return button;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text);
  }
}

// For browsers that give files no clipboard.
function copiedBySelection(text) {
  const area = make("textarea", { class: "unseen" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

// A text as it is, with a button that copies it.
function copyable(text, what, shown = marked(text)) {
  return make(
    "div",
    { class: "copyable" },
    make("pre", { tabindex: "0", "aria-label": what }, shown),
    copyButton(text, what),
  );
}

function section(id, title, ...children) {
  return make(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    make("h2", { id: `${id}-title` }, title),
    children,
  );
}

// A table: heads, then rows of cells; a cell that is a number stands on the right.
function table(caption, heads, rows) {
  const cell = (value) =>
    make(
      "td",
      { class: typeof value === "number" && "number" },
      typeof value === "number" ? grouped(value) : value,
    );
  return make(
    "div",
    { class: "wide" },
    make(
      "table",
      {},
      make("caption", { class: "unseen" }, caption),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          heads.map((head) => make("th", { scope: "col" }, head)),
        ),
      ),
      make(
        "tbody",
        {},
        rows.map((row) => make("tr", {}, row.map(cell))),
      ),
    ),
  );
}

// A long list whose rest is made when it is asked for, or printed.
function listed(items, most, row) {
  const list = make(
    "ul",
    { class: "plain" },
    items.slice(0, most).map((item) => make("li", {}, row(item))),
  );
  if (items.length > most) {
    const rest = items.slice(most);
    const show = () => more.replaceWith(...rest.map((item) => make("li", {}, row(item))));
    const more = make(
      "li",
      {},
      make("button", { type: "button", class: "more", onclick: show }, `and ${grouped(rest.length)} more`),
    );
    list.append(more);
  }
  return list;
}
