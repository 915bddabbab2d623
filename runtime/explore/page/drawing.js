/* Drawings: of a small stage the SVG that dot made; of a large one the overview of its parts and
 * each part, whose nodes stand where dot placed them. */

/* By stage: its overview and its parts, in the order of their values. */
const overviews = data.stages.map(() => null), stageParts = data.stages.map(() => []);
for (const l of data.layouts) {
  if (l.parts) overviews[l.stage] = l;
  else stageParts[l.stage].push(l);
}

/* The stage whose drawing is shown: that of what is chosen. */
function drawnStage() {
  return state.chosen.length ? stageOf(state.chosen[0]) : state.drawn || 0;
}

const partOf = (stage, id) => stageParts[stage].findIndex((l) => l.first <= id && id <= l.last);

/* The number of the part that is shown; -1: the overview. */
function drawnPart(stage) {
  if (state.overview) return -1;
  if (state.chosen.length) return partOf(stage, state.chosen[0]);
  return state.part !== undefined && state.part < stageParts[stage].length ? state.part : -1;
}

const noDot = "There is no drawing: install graphviz, whose program dot lays graphs out, and write "
  + "the page anew.";

function drawDrawing() {
  const stage = drawnStage(), part = drawnPart(stage), large = data.drawings[stage] === "";
  const shown = large ? `${stage}.${part}` : stage;
  const scroll = drawer.firstChild && state.drawnNow === shown ? [drawer.scrollLeft, drawer.scrollTop] : null;
  drawer.replaceChildren(element("p", { class: "bar" }, ...stageButtons(stage),
                                 ...(large ? partButtons(stage, part) : [])));
  const svg = large ? layoutOf(stage, part) : svgOf(data.drawings[stage]);
  drawer.append(svg || element("p", {}, noDot));
  state.drawnNow = shown;
  [drawer.scrollLeft, drawer.scrollTop] = scroll || [0, 0];
  for (const g of drawer.querySelectorAll("g.node")) lightDrawn(g);
  if (large) showDrawn();
}

function stageButtons(stage) {
  return data.stages.map((s, i) => element("button", {
    "aria-pressed": String(i === stage), onclick: () => {
      state.drawn = i;
      state.part = undefined;
      if (state.chosen.length) setChosen([], "");
      else drawDrawing();
    } }, s.name));
}

/* Shows a part, or -1: the overview. What is chosen in another part stays so. */
function goToPart(stage, part) {
  state.drawn = stage;
  state.overview = part < 0;
  state.part = part < 0 ? undefined : part;
  if (part >= 0 && state.chosen.length && partOf(stage, state.chosen[0]) !== part) setChosen([], "");
  else drawDrawing();
}

function partButtons(stage, part) {
  const n = stageParts[stage].length;
  const go = (to, text, name) => element("button", {
    "data-go": name, disabled: to < -1 || to >= n ? "" : null, onclick: () => goToPart(stage, to),
  }, text);
  const first = part < 0 ? null : nameOf(stageParts[stage][part].first);
  return [" ", go(-1, "overview", "overview"), go(part > 0 ? part - 1 : -2, "‹", "before"),
          go(part + 1, "›", "after"),
          part < 0 ? ` ${n} parts; a click chooses what is in one, and shows it`
            : ` part ${part + 1} of ${n}, from ${first} on; a dashed node is elsewhere`];
}

function svgOf(svg) {
  const root = svg && new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  return root && root.nodeName === "svg" ? document.importNode(root, true) : null;
}

function shape(tag, attributes, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, x] of Object.entries(attributes)) e.setAttribute(name, x);
  e.append(...children);
  return e;
}

/* A layout as SVG. */
function layoutOf(stage, part) {
  const l = part < 0 ? overviews[stage] : stageParts[stage][part];
  if (!l) return null;
  const svg = shape("svg", { class: "layout", width: l.width + 8, height: l.height + 8,
                             viewBox: `-4 -4 ${l.width + 8} ${l.height + 8}` });
  for (const e of l.edges) svg.append(...edgeShapes(l, e));
  const seen = new Set();
  for (let i = 0; i < l.nodes.length; i += 5) {
    svg.append(nodeShape(l, l.nodes.slice(i, i + 5), seen.has(l.nodes[i])));
    seen.add(l.nodes[i]);
  }
  return svg;
}

function edgeShapes(l, [from, to, ...at]) {
  const pairs = at.map((x, i) => (i % 2 ? x + " " : x + ","));
  const path = shape("path", { d: `M${pairs.slice(0, 2).join("")}C${pairs.slice(2).join("")}`,
                               class: from < 0 || to < 0 ? "holds" : "" });
  return [path, ...(l.parts || from <= 0 || to <= 0 ? [] : operandShapes(from, to, at))];
}

/* Which operand it is, at the end of the edge. */
function operandShapes(from, to, at) {
  const operands = values[to].in || [];
  const text = operands.flatMap((ref, k) => (idOf(ref) === from ? [k] : [])).join(",");
  if (operands.length < 2 || !text) return [];
  return [shape("text", { x: at[at.length - 2] + 3, y: at[at.length - 1] - 2, class: "operand" }, text)];
}

/* The lines of a node of a layout, and what a click chooses. */
function nodeTexts(l, number) {
  if (l.parts) {
    const last = lastOfNode(l, number);
    return { lines: [runText(number, last), opsText(number, last)],
             ids: Array.from({ length: last - number + 1 }, (_, i) => number + i) };
  }
  if (number < 0) {
    const graph = data.graphs[-1 - number];
    return { lines: ["fn @" + graph.name, ""], ids: graph.inputs + graph.nodes ? [graph.first] : [] };
  }
  if (number === 0) return { lines: ["more", "operands"], ids: [] };
  const v = values[number], name = v.type.length ? nameOf(number) : "";
  return { lines: [isInput(v) ? name : `${name} ${v.op}`, v.type.join(", ")], ids: [number] };
}

/* Nodes of an overview are runs of parts: the last value before the next one. */
function lastOfNode(l, number) {
  let last = l.last;
  for (let i = 0; i < l.nodes.length; i += 5)
    if (l.nodes[i] > number && l.nodes[i] - 1 < last) last = l.nodes[i] - 1;
  return last;
}

/* "%3 to %90", with the functions that the values are in, where there are several. */
function runText(first, last) {
  const from = values[first].graph, more = values[last].graph - from;
  if (more) return `@${data.graphs[from].name} and ${several(more, "other")}`;
  const stage = data.stages[data.graphs[from].stage];
  return `${stage.graphs > 1 ? `@${data.graphs[from].name} ` : ""}${nameOf(first)} to ${nameOf(last)}`;
}

/* "40 mul, 30 sin": the ops that are there most often. */
function opsText(first, last) {
  const count = new Map();
  for (let id = first; id <= last; id++) count.set(values[id].op, (count.get(values[id].op) || 0) + 1);
  return [...count].sort((a, b) => b[1] - a[1]).map(([op, n]) => `${n} ${op}`).join(", ");
}

/* A node; `again` where the same value has one before, from which no edge comes this far. */
function nodeShape(l, [number, x, y, width, height], again) {
  const { lines, ids } = nodeTexts(l, number);
  const fits = Math.floor((width - 6) / 6), at = number < 0 ? data.graphs[-1 - number].first : number;
  const near = l.first <= at && at <= l.last && !again;
  const cut = (s) => (s.length > fits ? s.slice(0, fits - 1) + "…" : s);
  const result = !l.parts && number > 0 && graphOf(number).outputs.some((ref) => idOf(ref) === number);
  const g = shape("g", { class: `node${near ? "" : " far"}${result ? " result" : ""}` },
    shape("title", {}, l.parts ? lines.join(": ") : number > 0 ? textOf(number) : lines.join(" ")),
    shape("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 3 }),
    ...lines.map((s, i) => shape("text", { x, y: y - 2 + i * 12, class: i ? "type" : "" }, cut(s))));
  g.ids = ids;
  g.isPart = l.parts;
  return g;
}

function lightDrawn(g) {
  const ids = g.ids || [Number((g.id.match(/^drawn-(\d+)$/) || [])[1])].filter(Boolean);
  if (!ids.length) return;
  const lit = classOf(ids.reduce((bits, id) => bits | state.light.lit[id], 0));
  if (lit) g.classList.add("lit-" + lit);
  g.addEventListener("click", () => {
    if (g.isPart) state.overview = false;
    choose(ids, g.isPart ? null : "v" + ids[0], null);
  });
}

/* Scrolls to what is chosen, unless it is in sight. */
function showDrawn() {
  const g = drawer.querySelector("g.node.lit-chosen:not(.far)"), rect = g && g.querySelector("rect");
  if (!rect) return;
  const box = rect.getBoundingClientRect(), around = drawer.getBoundingClientRect();
  if (box.left >= around.left && box.right <= around.right && box.top >= around.top
      && box.bottom <= around.bottom) return;
  drawer.scrollLeft += box.left - around.left - drawer.clientWidth / 2;
  drawer.scrollTop += box.top - around.top - drawer.clientHeight / 2;
}
