/* The panes: details of what is chosen, the map of memory, kernels by time, the drawing. */

const details = document.getElementById("details");
const drawer = document.getElementById("drawer");

function facts(list) {
  const dl = element("dl");
  for (const [name, text] of list)
    if (text !== null && text !== undefined && text !== "")
      dl.append(element("dt", {}, name), element("dd", {}, text));
  return dl;
}

/* A link to a value, in the words of its graph. */
function goTo(id) {
  return element("button", { class: "go", title: textOf(id), onclick: () => reveal(id) }, textOf(id));
}

const LISTED = 40;

function section(title, ids) {
  if (!ids.length) return [];
  const rest = ids.length - LISTED;
  return [element("h3", {}, title), ...ids.slice(0, LISTED).map(goTo),
          ...(rest > 0 ? [element("p", {}, `and ${rest} more`)] : [])];
}

/* Lit values that are not chosen, stage by stage. */
function byStage(bit) {
  const lists = data.stages.map(() => []);
  state.light.lit.forEach((bits, id) => {
    if (bits & bit && !(bits & CHOSEN)) lists[stageOf(id)].push(id);
  });
  return lists;
}

function relations(title, bit) {
  return byStage(bit).flatMap((ids, i) => section(`${title} ${data.stages[i].name}`, ids));
}

function sourceText(v) {
  const file = data.files[v.file];
  return file && file.lines && file.lines[v.line - 1]
    ? [element("pre", {}, file.lines[v.line - 1].trim())] : [];
}

function memoryText(id) {
  return (buffersOf[id] || []).map(([plan, i]) => {
    const b = data.plans[plan].buffers[i];
    const place = b.offset !== undefined ? `bytes ${b.offset} to ${b.offset + b.bytes} of the work block`
      : `the ${b.space === "in" ? "argument" : b.space === "out" ? "result" : b.space} ${b.name}`;
    return b.first ? `${place}, in steps ${b.first} to ${b.last}` : place;
  }).join("; ");
}

function kernelText(id) {
  const names = (stepsOf[id] || []).map((i) => data.kernels[data.steps[i].kernel])
    .map((k) => (!k ? "copy" : k.launch ? `${k.name} ${launchText(k.launch)}` : k.name));
  return [...new Set(names)].join(", ");
}

function valueDetails(id) {
  const v = values[id], file = data.files[v.file];
  details.replaceChildren(
    element("h2", {}, textOf(id)),
    facts([
      ["stage", data.stages[stageOf(id)].name], ["function", "@" + graphOf(id).name],
      ["line", file ? `${file.name}:${v.line}` : ""], ["made", v.how],
      ["bytes", v.bytes !== undefined ? bytesText(v.bytes) : ""],
      ["flops", v.flops ? countText(v.flops) : ""],
      ["cost", v.cost ? `${v.cost} instruction${v.cost > 1 ? "s" : ""} an element` : ""],
      ["kernel", kernelText(id)], ["memory", memoryText(id)],
    ]),
    ...sourceText(v),
    ...section("operands", [...new Set((v.in || []).map(idOf))]),
    ...section("used by", [...new Set(users[id] || [])]),
    ...relations("came from, in", FROM), ...relations("made of it, in", MADE));
}

function severalDetails() {
  details.replaceChildren(
    element("h2", {}, `${state.chosen.length} nodes`), ...state.chosen.slice(0, LISTED).map(goTo),
    ...relations("came from, in", FROM), ...relations("made of it, in", MADE));
}

function overview() {
  const flops = data.steps.reduce((sum, s) => sum + (s.kernel < 0 ? 0
    : s.runs * data.kernels[s.kernel].flops), 0);
  details.replaceChildren(
    element("h2", {}, "@" + data.function),
    facts([
      ["pipeline", data.pipeline], ["stages", String(data.stages.length)],
      ["values", String(values.length - 1)], ["kernels", String(Math.max(0, data.kernels.length - 1))],
      ["target", data.target],
      ["work", data.plans.length ? bytesText(data.plans[0].work) : ""],
      ["flops", flops ? countText(flops) : ""],
      ["time", totalTime ? `${timeText(totalTime)}, ${timeKind}` : ""],
      ["library", "Cotrace " + data.library],
    ]),
    element("p", {}, "Click a line, a node, a step or a kernel. Press ? for the keys."));
}

function drawDetails() {
  if (state.chosen.length === 1) valueDetails(state.chosen[0]);
  else if (state.chosen.length) severalDetails();
  else overview();
}

/* The drawer. */

const tabs = { memory: drawMemory, time: drawTime, drawing: drawDrawing };
const tabTitles = { memory: "Memory (m)", time: data.measured ? "Measured time (e)" : "Estimated time (e)", drawing: "Drawing (d)" };

function openTab(name) {
  state.tab = state.tab === name ? null : name;
  for (const b of document.querySelectorAll("#tabs button"))
    b.setAttribute("aria-selected", String(b.dataset.tab === state.tab));
  drawer.hidden = !state.tab;
  drawDrawer();
  drawAll();
}

function drawDrawer() {
  if (state.tab) tabs[state.tab]();
}

const paint = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

/* The rectangle of each buffer: steps across, bytes down. */
function memoryBoxes(plan, width, height) {
  const placed = plan.buffers.map((b, i) => ({ b, i }))
    .filter(({ b }) => b.offset !== undefined && b.first);
  const last = placed.reduce((n, { b }) => Math.max(n, b.last), 1);
  const scale = height / Math.max(1, plan.work);
  return placed.map(({ b, i }) => ({
    b, i, x: ((b.first - 1) / last) * width, w: Math.max(1, ((b.last - b.first + 1) / last) * width),
    y: b.offset * scale, h: Math.max(1, b.bytes * scale),
  }));
}

function drawMemory() {
  const plan = data.plans[state.plan || 0];
  if (!plan || !plan.work) {
    drawer.replaceChildren(element("p", {}, "There is no work block: every value is in an argument, "
      + "in a result, or in registers."));
    return;
  }
  const canvas = element("canvas", { role: "img", "aria-label": "The work block over time" });
  drawer.replaceChildren(element("p", {}, ...planChoice(), `The work block of ${bytesText(plan.work)}: `
    + "steps from left to right, bytes from top to bottom. A click chooses what is there."), canvas);
  const width = (canvas.width = canvas.clientWidth), height = (canvas.height = canvas.clientHeight);
  const boxes = memoryBoxes(plan, width, height), c = canvas.getContext("2d");
  for (const box of boxes) drawBox(c, box);
  canvas.addEventListener("click", (event) => {
    const hit = boxes.filter((r) => event.offsetX >= r.x && event.offsetX <= r.x + r.w
      && event.offsetY >= r.y && event.offsetY <= r.y + r.h).pop();
    if (hit) choose([...new Set(hit.b.values.map(idOf))], null, null);
  });
}

/* Several plans: that of the entry, and those of functions that it calls. */
function planChoice() {
  if (data.plans.length < 2) return [];
  const select = element("select", { onchange: (e) => {
    state.plan = Number(e.target.value);
    drawMemory();
  } }, ...data.plans.map((p, i) => element("option", { value: i }, data.kernels[p.kernel].name)));
  select.value = state.plan || 0;
  return [select, " "];
}

function drawBox(c, { b, i, x, y, w, h }) {
  const bits = state.light.buffers.get([state.plan || 0, i].join()) || 0;
  c.fillStyle = bits & CHOSEN ? paint("--chosen") : bits & MADE ? paint("--made")
    : bits & FROM ? paint("--from") : paint("--back");
  c.strokeStyle = bits ? paint("--made-mark") : paint("--dim");
  c.fillRect(x, y, w, h);
  if (w > 2 && h > 2) c.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
  if (w > 60 && h > 12) {
    c.fillStyle = paint("--text");
    c.font = "11px monospace";
    c.fillText(b.values.length ? nameOf(b.values[0]) + " " + bytesText(b.bytes) : b.name, x + 4, y + 11,
               w - 8);
  }
}

/* Steps of one kernel, added up. */
function kernelTimes() {
  const rows = new Map();
  data.steps.forEach((s) => {
    const row = rows.get(s.kernel) || { kernel: s.kernel, time: 0, calls: 0, nodes: [] };
    row.time += s.time;
    row.calls += s.runs;
    if (s.kernel >= 0 && data.kernels[s.kernel].runs !== undefined) row.calls = data.kernels[s.kernel].runs;
    row.nodes.push(...s.nodes);
    rows.set(s.kernel, row);
  });
  return [...rows.values()].sort((a, b) => b.time - a.time);
}

function timeRow(row) {
  const k = data.kernels[row.kernel], share = totalTime ? row.time / totalTime : 0;
  const lit = row.kernel >= 0 && state.light.kernels[row.kernel];
  return element("tr", { class: lit ? "lit" : "", onclick: () => choose(row.nodes, "k" + row.kernel, null) },
    element("td", {}, k ? k.name : "copy"), element("td", {}, `${(100 * share).toFixed(1)} %`),
    element("td", { class: "share" }, element("i", { style: `width:${(15 * share).toFixed(2)}rem` })),
    element("td", {}, timeText(row.time)), element("td", {}, countText(row.calls)),
    element("td", {}, k ? countText(k.flops) : ""), element("td", {}, k ? bytesText(k.bytes) : ""));
}

function drawTime() {
  const rows = kernelTimes();
  const head = ["kernel", "share", "", "time", "calls", "flops a call", "bytes a call"];
  drawer.replaceChildren(
    element("p", {}, data.measured
      ? "Time of all kernels in a call, measured. Steps of one kernel share it as estimated."
      : "Shares of a time that is estimated from operations and bytes; nothing was measured."),
    element("table", {}, element("tr", {}, ...head.map((t) => element("th", {}, t))),
            ...rows.slice(0, 200).map(timeRow)));
}
