// Why a test fails: the cells that decide it, who writes and reads them, who puts them back; or why that is not known.

const NO_CAUSE = {
  "out-of-resources": "the time was used up before a cause was proved",
  "not-restorable": "cells differ that could not be put back",
  "outside-the-process": "putting back all that was seen does not help: the state is outside of the process",
  "not-reproduced": "the difference did not show again when cells were put back",
};

function causes(finding) {
  const partners = finding.by_polluter || finding.by_setter;
  const groups = finding.polluters || finding.setters || [];
  const noun = finding.by_setter ? "What the setter leaves" : "What the polluter leaves";
  if (!partners?.length) {
    return part("State", cause({ state: statesOf(finding), explanation: finding.explanation }));
  }
  const one = (each) =>
    make(
      "div",
      { class: "cause" },
      make("p", { class: "group" }, (groups[each.group] || []).map(testName)),
      cause(each),
      resets(each),
    );
  return part(noun, partners.length > 8 ? listed(partners, 8, one) : partners.map(one));
}

function cause({ state, explanation }) {
  const cells = state || [];
  const why =
    explanation?.reason &&
    make(
      "p",
      { class: "weak" },
      `No cause is proved: ${NO_CAUSE[explanation.reason] || plain(explanation.reason)}.`,
    );
  const left =
    explanation?.left?.length &&
    listed(explanation.left, 5, ({ cell, why }) => [code(cell), " ", quote(why)]);
  return cells.length || why || left ? [listed(cells, 12, stateRow), why, left] : null;
}

function stateRow(state) {
  const places = [
    ["written at", state.written],
    ["read at", state.read],
  ].filter(([, place]) => place);
  const callers =
    state.stack?.length > 1 &&
    make(
      "details",
      {},
      make("summary", {}, "called from"),
      state.stack.slice(1).map((line) => make("div", {}, code(line))),
    );
  return make(
    "div",
    { class: "cell" },
    make(
      "div",
      {},
      code(state.cell),
      state.proved &&
        make(
          "span",
          { class: "proved", title: "Putting it back, and only it, decides the outcome" },
          "proved",
        ),
    ),
    (state.before !== undefined || state.after !== undefined) &&
      make(
        "div",
        { class: "change" },
        make("del", {}, quote(state.before ?? "")),
        " → ",
        make("ins", {}, quote(state.after ?? "")),
      ),
    places.length > 0 &&
      make(
        "div",
        { class: "places" },
        places.map(([word, place]) => make("span", {}, `${word} `, code(place))),
      ),
    callers,
  );
}

function resets({ cleaners, explanation }) {
  if (!cleaners?.length) return null;
  const how = explanation?.resets?.[0];
  const words = how && [" which puts ", code(how.cell), " back", how.written && [" at ", code(how.written)]];
  return make(
    "p",
    { class: "cleaned" },
    "Cleaned by ",
    together(cleaners[0]),
    words,
    cleaners.length > 1 && `; ${count(cleaners.length - 1, "other cleaner")}`,
  );
}
