/* The columns: lists of rows, of which only those in sight are elements of the page. */

const ROW = 20, MANY = 300;

const state = { chosen: [], light: lightOf([]), found: new Set(), open: new Set(), current: null };

function element(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, x] of Object.entries(attributes))
    if (name.startsWith("on")) e.addEventListener(name.slice(2), x);
    else if (x !== null && x !== undefined) e.setAttribute(name, x);
  e.append(...children);
  return e;
}

const several = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

const classOf = (bits) =>
  bits & CHOSEN ? "chosen" : bits & MADE ? "made" : bits & FROM ? "from" : "";

/* Rows.  Each has `bits`, which says how it is lit, `ids`, the values that a click chooses, and
 * `parts`, its text; `key` if something opens below it. */

function valueRow(id, depth) {
  const v = values[id];
  const opens = (v.subs || []).some((g) => data.graphs[g].holder === id);
  return {
    id, depth, link: "v" + id, key: opens ? "g" + id : null,
    class: isInput(v) ? "quiet" : "",
    ids: () => [id],
    parts: () => partsOf(id),
    bits: () => state.light.lit[id],
    inside: () => opens && !state.open.has("g" + id) && bodiesLit(v),
  };
}

function bodiesLit(v) {
  return v.subs.some((g) => numbersOf(g).some(
    (id) => state.light.lit[id] || (values[id].subs && bodiesLit(values[id]))));
}

function graphRows(g, depth, rows) {
  const graph = data.graphs[g];
  rows.push({ depth, class: "head", ids: () => [], bits: () => 0,
              parts: () => [["", "fn @" + graph.name]] });
  for (const id of numbersOf(g)) {
    rows.push(valueRow(id, depth));
    if (values[id].subs && state.open.has("g" + id))
      for (const sub of new Set(values[id].subs))
        if (data.graphs[sub].holder === id) graphRows(sub, depth + 1, rows);
  }
  rows.push({ depth, class: "quiet", bits: () => 0, ids: () => graph.outputs.map(idOf),
              parts: () => [["", "ret " + graph.outputs.map(nameOf).join(", ")]] });
  return rows;
}

function sourceRows() {
  const rows = [];
  data.files.forEach((file, f) => {
    if (data.files.length > 1) rows.push(titleRow(file.name));
    for (const line of linesOf(file, f)) rows.push(lineRow(file, f, line));
  });
  if (!rows.length) rows.push(titleRow("no node has a source line"));
  return rows;
}

const titleRow = (text) => ({ depth: 0, class: "head", ids: () => [], bits: () => 0,
                              parts: () => [["", text]] });

/* All lines of a file that could be read; else those that are named. */
function linesOf(file, f) {
  if (file.lines) return file.lines.map((_, i) => i + 1);
  const named = new Set(values.filter((v) => v && v.file === f).map((v) => v.line));
  return [...named].sort((a, b) => a - b);
}

function lineRow(file, f, line) {
  const key = lineKey(f, line);
  return {
    depth: 0, link: `l${f}.${line}`, class: atLine.has(key) ? "" : "quiet",
    ids: () => atLine.get(key) || [],
    bits: () => state.light.lines.get(key) || 0,
    parts: () => file.lines
      ? [["number", String(line).padStart(4) + "  "], ["", file.lines[line - 1]]]
      : [["", `${file.name}:${line}`]],
  };
}

function stepRows() {
  const rows = [];
  const few = data.steps.length <= MANY;
  data.steps.forEach((s, i) => {
    const key = "s" + i;
    rows.push(stepRow(s, i, key));
    if (state.open.has(key) !== few) s.nodes.forEach((id) => rows.push(valueRow(id, 1)));
  });
  if (!rows.length) rows.push(titleRow("no kernel runs"));
  pushReasons(rows);
  return rows;
}

/* Why the plan is as it is: closed at first. */
function pushReasons(rows) {
  const lines = data.reasons.split("\n").filter(Boolean);
  if (lines.length) rows.push({ ...titleRow(several(lines.length, "reason")), key: "r" });
  if (state.open.has("r")) for (const line of lines) rows.push({ ...titleRow(line), class: "quiet" });
}

function stepRow(s, i, key) {
  const plan = data.kernels[s.plan], kernel = data.kernels[s.kernel];
  const share = totalTime ? s.time / totalTime : 0;
  return {
    depth: 0, link: key, key, class: "head",
    ids: () => s.nodes,
    bits: () => state.light.steps[i],
    parts: () => [["number", (s.plan ? plan.name + " " : "") + s.at + "  "],
                  ["", kernel ? kernel.name : "copy"],
                  ["at", kernel && kernel.launch ? "  " + launchText(kernel.launch) : ""],
                  ["at", s.runs > 1 ? ` ×${countText(s.runs)}` : ""],
                  ["type", `  ${(100 * share).toFixed(1)} %`]],
  };
}

/* How a GPU's kernel is launched. */
function launchText(l) {
  const shared = l.shared + l.dynamic;
  return `<<<${l.grid}, ${l.block}${shared ? `, ${bytesText(shared)}` : ""}>>>`;
}

/* The nodes of a kernel: those of all its calls. */
const kernelNodes = data.kernels.map(() => []);
for (const s of data.steps) if (s.kernel >= 0) kernelNodes[s.kernel].push(...s.nodes);
const kernelLines = data.kernels.map((k) => k.text.replace(/\n$/, "").split("\n"));
const kernelAt = data.kernels.map((k) => listsByKey(k.lines.map((l) => l), (l) => l[0]));

const kernelIsOpen = (k) => state.open.has("k" + k) !== (data.kernels.length <= 12);

function kernelRows() {
  const rows = [];
  data.kernels.forEach((kernel, k) => {
    rows.push(kernelRow(k, kernelLines[k][0], "k" + k, "k" + k));
    if (!kernelIsOpen(k)) return;
    if (kernel.launch) rows.push(launchRow(k, kernel.launch));
    for (let i = 1; i < kernelLines[k].length; i++) rows.push(kernelLineRow(k, i));
  });
  return rows;
}

function kernelRow(k, text, key, link) {
  return { depth: 0, link, key, class: "head", ids: () => kernelNodes[k],
           bits: () => state.light.kernels[k], parts: () => [["", text]] };
}

function launchRow(k, l) {
  const shared = [[l.shared, "static"], [l.dynamic, "dynamic"]].filter(([n]) => n)
    .map(([n, kind]) => `, ${bytesText(n)} of ${kind} shared memory`).join("");
  return { depth: 0, class: "quiet", ids: () => kernelNodes[k], bits: () => 0, parts: () => [["",
    `  launched as ${several(l.grid, "block")} of ${several(l.block, "thread")}${shared}`]] };
}

function kernelLineRow(k, i) {
  const ids = (kernelAt[k].get(i) || []).map((l) => l[1]);
  return {
    depth: 0, class: ids.length ? "" : "quiet", ids: () => ids,
    bits: () => ids.reduce((bits, id) => bits | state.light.lit[id], 0),
    parts: () => [["", kernelLines[k][i]]],
  };
}

const codeLines = (code) => (code ? code.text.replace(/\n$/, "").split("\n") : []);
const cLines = codeLines(data.c), assemblyLines = codeLines(data.assembly);
const ptxLines = codeLines(data.ptx);

/* C, assembly and PTX: what comes before the first function is closed; a part is a function, of a
 * kernel or of none.  Keys begin with the letter. */
function codeRows(code, lines, letter) {
  const parts = code.parts || [], rows = [];
  const at = listsByKey(code.lines || [], (l) => l[0]);
  const first = parts.length ? parts[0][0] : lines.length;
  if (first > 0)
    rows.push({ ...titleRow(`${first} lines that all functions share`), key: letter });
  if (state.open.has(letter) || !parts.length) pushLines(rows, lines, at, 0, first, []);
  parts.forEach(([line, k], i) => {
    const end = i + 1 < parts.length ? parts[i + 1][0] : lines.length;
    const row = kernelRow(k, lines[line].trim(), letter + i, null);
    rows.push(k < 0 ? { ...row, ids: () => [], bits: () => 0 } : row);
    if (state.open.has(letter + i) !== (parts.length <= 12))
      pushLines(rows, lines, at, line + 1, end, k < 0 ? [] : kernelNodes[k]);
  });
  return rows;
}

/* A line chooses what it computes, or else all that its function does. */
function pushLines(rows, lines, at, from, to, whole) {
  for (let i = from; i < to; i++) {
    const ids = [...new Set((at.get(i) || []).map((l) => l[1]))];
    rows.push({ depth: 0, class: ids.length ? "" : "quiet",
                ids: () => (ids.length ? ids : whole),
                bits: () => ids.reduce((bits, id) => bits | state.light.lit[id], 0),
                parts: () => [["", lines[i]]] });
  }
}

const cRows = () => codeRows(data.c, cLines, "c");
const assemblyRows = () => codeRows(data.assembly, assemblyLines, "a");
const ptxRows = () => codeRows(data.ptx, ptxLines, "p");

/* A column of rows that `make` makes. */
class Column {
  constructor(name, title, note, make, shown) {
    Object.assign(this, { name, title, note, make, shown, rows: [], current: -1 });
    this.count = element("span", { class: "count" });
    this.inner = element("div", { class: "inner" });
    this.rail = element("div", { class: "rail" });
    this.scroller = element("div", { class: "scroller", tabindex: 0, role: "listbox",
                                     "aria-label": title }, this.inner);
    this.root = element("section", { class: "column", "data-name": name },
      element("h2", {}, title, element("small", {}, note), this.count),
      element("div", { class: "frame" }, this.scroller, this.rail));
    this.scroller.addEventListener("scroll", () => this.later());
    this.scroller.addEventListener("focus", () => (state.column = this));
    this.inner.addEventListener("click", (event) => this.clicked(event));
    this.inner.addEventListener("mouseover", (event) => hover(this.rowOf(event)));
    this.inner.addEventListener("mouseleave", () => hover(null));
  }

  later() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => {
      this.waits = false;
      this.draw();
    });
  }

  /* Makes the rows anew, after something was opened or closed. */
  fill() {
    this.rows = this.make();
    this.drawn = null;
    const longest = this.rows.reduce(
      (n, r) => Math.max(n, r.parts().reduce((m, p) => m + p[1].length, r.depth * 2)), 0);
    this.inner.style.height = this.rows.length * ROW + "px";
    this.inner.style.width = longest + 6 + "ch";
    this.inner.style.font = "12px ui-monospace, monospace";
    this.draw();
  }

  draw() {
    if (!this.shown) return;
    const top = this.scroller.scrollTop, height = this.scroller.clientHeight || 800;
    const first = Math.max(0, Math.floor(top / ROW) - 10);
    const last = Math.min(this.rows.length, Math.ceil((top + height) / ROW) + 10);
    if (this.drawn && this.drawn[0] === first && this.drawn[1] === last) {
      for (const e of this.inner.children) this.light(e, Number(e.dataset.row));
      return;
    }
    const rows = [];
    for (let i = first; i < last; i++) rows.push(this.rowElement(i));
    this.inner.replaceChildren(...rows);
    this.drawn = [first, last];
  }

  /* The element stays while its row does: a click begins and ends on one element. */
  light(e, i) {
    const r = this.rows[i], bits = r.bits();
    const lit = classOf(bits) || (r.inside && r.inside() ? "inside" : "");
    const found = r.id !== undefined && state.found.has(r.id) ? "found" : "";
    e.className = ["row", r.class, lit, found, i === this.current ? "current" : ""].join(" ");
    e.setAttribute("aria-selected", String((bits & CHOSEN) !== 0));
  }

  rowElement(i) {
    const r = this.rows[i];
    const e = element("div", { role: "option", "data-row": i, "data-id": r.id,
                               style: `top:${i * ROW}px;padding-left:${0.6 + r.depth}rem` });
    this.light(e, i);
    if (r.key) e.append(element("span", { class: "fold" }, isOpen(r, this) ? "▾" : "▸"));
    for (const [name, text] of r.parts())
      if (text) e.append(name ? element("span", { class: name }, text) : text);
    return e;
  }

  rowOf(event) {
    const e = event.target.closest(".row");
    return e ? this.rows[Number(e.dataset.row)] : null;
  }

  clicked(event) {
    const row = this.rowOf(event);
    if (!row) return;
    this.current = this.rows.indexOf(row);
    this.scroller.focus({ preventScroll: true });
    if (event.target.classList.contains("fold") || (row.key && !row.ids().length)) toggle(row.key);
    else choose(row.ids(), row.link, this);
  }

  /* The places of lit rows, at the right edge; and how many there are. */
  drawRail() {
    const marks = new Map(), height = Math.min(this.scroller.clientHeight, this.rows.length * ROW);
    let n = 0;
    this.rows.forEach((r, i) => {
      const bits = r.bits();
      n += bits && r.id !== undefined ? 1 : 0;
      if (bits) {
        const at = Math.floor((i / this.rows.length) * height / 2) * 2;
        marks.set(at, stronger(marks.get(at), bits));
      }
    });
    this.count.textContent = n ? `${n} lit` : "";
    this.rail.replaceChildren(...[...marks].map(([at, bits]) =>
      element("i", { class: classOf(bits), style: `top:${at}px` })));
  }

  show(i, middle) {
    if (i < 0) return;
    const top = i * ROW, height = this.scroller.clientHeight;
    const from = this.scroller.scrollTop;
    if (middle || top < from || top + ROW > from + height)
      this.scroller.scrollTop = Math.max(0, top - height / 3);
  }

  /* The row nearest to what is chosen, among those that are lit. */
  firstLit() {
    const chosen = this.rows.findIndex((r) => r.bits() & CHOSEN);
    return chosen >= 0 ? chosen : this.rows.findIndex((r) => r.bits() || (r.inside && r.inside()));
  }
}

const isOpen = (row, column) => {
  const next = column.rows[column.rows.indexOf(row) + 1];
  return row.key[0] === "g" ? state.open.has(row.key)
    : row.key[0] === "s" ? state.open.has(row.key) !== (data.steps.length <= MANY)
    : row.key[0] === "k" ? kernelIsOpen(Number(row.key.slice(1)))
    : row.key === "r" ? state.open.has("r") : !!next && !next.key;
};

const titles = { jvp: "values and tangents", known: "what reverse mode keeps",
                 linear: "the linear half", transposed: "run backwards" };

function makeColumns() {
  const list = [new Column("source lines", "Source", data.files.length === 1 ? data.files[0].name.split("/").pop() : "",
                           sourceRows, data.files.length > 0)];
  data.stages.forEach((s, i) => {
    const shown = s.kind === "source" || s.kind === "transform" || i === lastStage;
    const title = s.kind === "source" ? "Graph" : s.name;
    const note = titles[s.name] && s.kind === "part" ? titles[s.name] : several(stageNodes(i), "node");
    list.push(new Column(s.name, title, note, () => graphRows(s.graph, 0, []), shown));
    list[list.length - 1].kind = s.kind;
  });
  if (data.kernels.length) {
    list.push(new Column("plan", "Fusion plan", several(data.steps.length, "step"), stepRows, true));
    list.push(new Column("kernels", "Kernel IR", several(data.kernels.length, "kernel"), kernelRows, true));
  }
  if (data.c) list.push(new Column("c", "C", `${cLines.length} lines`, cRows, false));
  if (data.assembly) list.push(new Column("assembly", "Assembly", `${assemblyLines.length} lines`,
                                          assemblyRows, false));
  if (data.ptx) list.push(new Column("ptx", "PTX", `${data.target}, ${ptxLines.length} lines`,
                                     ptxRows, true));
  return list;
}

function stageNodes(i) {
  const s = data.stages[i];
  let n = 0;
  for (let g = s.graph; g < s.graph + s.graphs; g++) n += data.graphs[g].nodes;
  return n;
}

const columns = makeColumns();

function drawAll() {
  for (const c of columns) if (c.shown) {
    c.draw();
    c.drawRail();
  }
}

function setShown(column, shown) {
  column.shown = shown;
  column.root.hidden = !shown;
  column.chip.setAttribute("aria-pressed", String(shown));
  if (shown) {
    column.fill();
    column.drawRail();
    column.show(column.firstLit(), true);
  }
}

function toggle(key) {
  if (!key) return;
  if (state.open.has(key)) state.open.delete(key);
  else state.open.add(key);
  for (const c of columns) if (c.shown) {
    c.fill();
    c.drawRail();
  }
}

/* Opens the bodies around a value, so that it has a row. */
function openAround(id) {
  for (let g = graphOf(id); g.holder; g = graphOf(g.holder)) state.open.add("g" + g.holder);
}

/* What is chosen; the same once more: nothing. */
function choose(ids, link, column) {
  const same = ids.length === state.chosen.length && ids.every((id, i) => id === state.chosen[i]);
  setChosen(same ? [] : ids, same ? "" : link);
  for (const c of columns) if (c.shown && c !== column) c.show(c.firstLit(), false);
}

function setChosen(ids, link) {
  state.chosen = ids;
  state.light = lightOf(ids);
  history.replaceState(null, "", link ? "#" + link : location.pathname + location.search);
  drawAll();
  drawDetails();
  drawDrawer();
}

/* What the mouse is over lights up while nothing is chosen. */
function hover(row) {
  if (state.chosen.length || state.hovered === row) return;
  state.hovered = row;
  cancelAnimationFrame(state.hovering);
  state.hovering = requestAnimationFrame(() => {
    state.light = lightOf(row ? row.ids() : []);
    drawAll();
  });
}
