/* The data of the page, and what follows from it: users, what came from what, and what is lit. */

const data = JSON.parse(document.getElementById("data").textContent);
const values = data.values;

/* What a row is to what is chosen. */
const FROM = 1, MADE = 2, CHOSEN = 4;

const idOf = (ref) => (Array.isArray(ref) ? ref[0] : ref);
const resultOf = (ref) => (Array.isArray(ref) ? ref[1] : 0);

/* Lists by number: list[i] has each k for which add(i, k) was called. */
function listsOf(n, fill) {
  const lists = Array.from({ length: n }, () => null);
  fill((i, k) => (lists[i] ? lists[i].push(k) : (lists[i] = [k])));
  return lists;
}

const made = listsOf(values.length, (add) => {
  values.forEach((v, id) => v && v.from.forEach((from) => add(from, id)));
});
const users = listsOf(values.length, (add) => {
  values.forEach((v, id) => v && (v.in || []).forEach((ref) => add(idOf(ref), id)));
});
const stepsOf = listsOf(values.length, (add) => {
  data.steps.forEach((s, i) => s.nodes.forEach((id) => add(id, i)));
});
const buffersOf = listsOf(values.length, (add) => {
  data.plans.forEach((p, plan) =>
    p.buffers.forEach((b, i) => b.values.forEach((ref) => add(idOf(ref), [plan, i]))));
});

const graphOf = (id) => data.graphs[values[id].graph];
const stageOf = (id) => graphOf(id).stage;
const isInput = (v) => v.op === "input";

function nameOf(ref) {
  const v = values[idOf(ref)];
  return "%" + (isInput(v) ? v.name : Number(v.name) + resultOf(ref));
}

/* The text of a node in parts: [class, text]. */
function partsOf(id) {
  const v = values[id];
  const types = v.type.length === 1 ? v.type[0] : `(${v.type.join(", ")})`;
  if (isInput(v)) return [["", nameOf(id)], ["type", " : " + types]];
  const results = v.type.map((_, k) => nameOf([id, k])).join(", ");
  const operands = v.in.map(nameOf).join(", ");
  return [["", results ? results + " = " : ""], ["op", v.op], ["", operands ? " " + operands : ""],
          ["attrs", v.attrs ? " " + v.attrs : ""], ["type", v.type.length ? " : " + types : ""]];
}

const textOf = (id) => partsOf(id).map((p) => p[1]).join("");

/* The numbers of the inputs and nodes of a graph. */
function numbersOf(g) {
  const graph = data.graphs[g];
  return Array.from({ length: graph.inputs + graph.nodes }, (_, i) => graph.first + i);
}

/* Everything that `next` leads to from the start, into the array, as `bit`. */
function spread(start, next, into, bit) {
  const wait = start.slice();
  while (wait.length) {
    const id = wait.pop();
    for (const other of next(id) || [])
      if (!(into[other] & bit)) {
        into[other] |= bit;
        wait.push(other);
      }
  }
}

/* What the chosen values light up, everywhere. */
function lightOf(chosen) {
  const lit = new Uint8Array(values.length);
  spread(chosen, (id) => values[id].from, lit, FROM);
  spread(chosen, (id) => made[id], lit, MADE);
  chosen.forEach((id) => (lit[id] |= CHOSEN));
  return { lit, ...elsewhere(lit) };
}

const stronger = (a, b) => Math.max(a || 0, b);

/* The steps, kernels, lines and buffers of lit values. */
function elsewhere(lit) {
  const steps = new Uint8Array(data.steps.length), kernels = new Uint8Array(data.kernels.length);
  const lines = new Map(), buffers = new Map();
  lit.forEach((bits, id) => {
    if (!bits) return;
    const v = values[id];
    if (stageOf(id) === 0 && v.line)
      lines.set(lineKey(v.file, v.line), stronger(lines.get(lineKey(v.file, v.line)), bits));
    for (const i of stepsOf[id] || []) steps[i] = stronger(steps[i], bits);
    for (const b of buffersOf[id] || []) buffers.set(b.join(), stronger(buffers.get(b.join()), bits));
  });
  data.steps.forEach((s, i) => {
    if (s.kernel >= 0) kernels[s.kernel] = stronger(kernels[s.kernel], steps[i]);
  });
  return { steps, kernels, lines, buffers };
}

const lineKey = (file, line) => file + ":" + line;

/* The values of the first stage that stand at a line. */
const atLine = listsByKey(data.stages.length ? stageNumbers(0) : [], (id) =>
  values[id].line ? lineKey(values[id].file, values[id].line) : null);

function stageNumbers(stage) {
  const s = data.stages[stage];
  return Array.from({ length: s.graphs }, (_, i) => numbersOf(s.graph + i)).flat();
}

function listsByKey(ids, keyOf) {
  const lists = new Map();
  for (const id of ids) {
    const key = keyOf(id);
    if (key === null) continue;
    if (lists.has(key)) lists.get(key).push(id);
    else lists.set(key, [id]);
  }
  return lists;
}

/* The last stage whose graph was lowered. */
const lastStage = data.stages.length - 1;

function bytesText(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  for (; n >= 1024 && i < units.length - 1; i++) n /= 1024;
  return (i ? n.toPrecision(3) : n) + " " + units[i];
}

function countText(n) {
  const units = ["", " k", " M", " G", " T"];
  let i = 0;
  for (; n >= 10000 && i < units.length - 1; i++) n /= 1000;
  return (i ? n.toPrecision(3) : Math.round(n)) + units[i];
}

function timeText(ns) {
  return ns < 1000 ? `${ns.toPrecision(3)} ns` : ns < 1e6 ? `${(ns / 1e3).toPrecision(3)} µs`
    : ns < 1e9 ? `${(ns / 1e6).toPrecision(3)} ms` : `${(ns / 1e9).toPrecision(3)} s`;
}

const timeKind = data.measured ? "measured" : "estimated";
const totalTime = data.steps.reduce((sum, s) => sum + s.time, 0);
