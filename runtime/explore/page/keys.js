/* Search, keys, links, themes; and the start of the page. */

const search = document.getElementById("search");

/* Shows the value's row in its column, and chooses it. */
function reveal(id) {
  const column = columnOfStage(stageOf(id));
  openAround(id);
  if (!column.shown) setShown(column, true);
  for (const c of columns) if (c.shown) c.fill();
  setChosen([id], "v" + id);
  column.current = column.rows.findIndex((r) => r.id === id);
  for (const c of columns) if (c.shown) c.show(c === column ? c.current : c.firstLit(), c === column);
  column.draw();
  column.root.scrollIntoView({ block: "nearest", inline: "nearest" });
}

const columnOfStage = (stage) => columns[1 + stage];

/* Search. */

function matches(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const list = [];
  for (let id = 1; words.length && id < values.length; id++) {
    if (!columnOfStage(stageOf(id)).shown) continue;
    const line = `${textOf(id)} ${graphOf(id).name} ${values[id].how || ""}`.toLowerCase();
    if (words.every((word) => line.includes(word))) list.push(id);
  }
  return list;
}

function find() {
  const list = matches(search.value);
  state.matches = list;
  state.match = -1;
  state.found = new Set(list);
  document.getElementById("found").textContent =
    search.value.trim() ? (list.length ? `${list.length} found` : "nothing found") : "";
  drawAll();
}

function nextMatch(step) {
  const n = (state.matches || []).length;
  if (!n) return;
  state.match = (state.match + step + n) % n;
  reveal(state.matches[state.match]);
  document.getElementById("found").textContent = `${state.match + 1} of ${n}`;
}

/* Keys. */

function shownColumns() {
  return columns.filter((c) => c.shown);
}

function focused() {
  return state.column && state.column.shown ? state.column : shownColumns()[0];
}

function move(step) {
  const c = focused();
  c.current = Math.min(c.rows.length - 1, Math.max(0, c.current + step));
  c.show(c.current, false);
  c.scroller.focus({ preventScroll: true });
  c.draw();
}

function moveColumn(step) {
  const list = shownColumns(), i = list.indexOf(focused());
  const c = list[Math.min(list.length - 1, Math.max(0, i + step))];
  const lit = c.firstLit();
  state.column = c;
  if (lit >= 0) c.current = lit;
  else if (c.current < 0) c.current = 0;
  c.show(c.current, false);
  c.scroller.focus({ preventScroll: true });
  c.root.scrollIntoView({ block: "nearest", inline: "nearest" });
  c.draw();
}

function nextLit(step) {
  const c = focused(), n = c.rows.length;
  for (let k = 1; k <= n; k++) {
    const i = (((c.current + step * k) % n) + n) % n;
    if (c.rows[i].bits()) {
      c.current = i;
      c.show(i, true);
      c.draw();
      return;
    }
  }
}

function chooseCurrent() {
  const c = focused(), row = c.rows[c.current];
  if (row && row.ids().length) choose(row.ids(), row.link, c);
  else if (row) toggle(row.key);
}

function escape() {
  if (search.value) {
    search.value = "";
    find();
  }
  search.blur();
  setChosen([], "");
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  drawDrawer();
}

const otherTheme = () => (document.documentElement.dataset.theme === "dark" ? "light" : "dark");

const openHelp = () => document.getElementById("keys").showModal();

const keys = {
  ArrowDown: () => move(1), j: () => move(1), ArrowUp: () => move(-1), k: () => move(-1),
  ArrowRight: () => moveColumn(1), l: () => moveColumn(1),
  ArrowLeft: () => moveColumn(-1), h: () => moveColumn(-1),
  PageDown: () => move(30), PageUp: () => move(-30),
  Home: () => move(-1e9), End: () => move(1e9),
  n: () => nextLit(1), N: () => nextLit(-1),
  Enter: chooseCurrent, " ": () => toggle((focused().rows[focused().current] || {}).key),
  "/": () => search.focus(), "?": openHelp, t: () => setTheme(otherTheme()),
  m: () => openTab("memory"), e: () => openTab("time"), d: () => openTab("drawing"), Escape: escape,
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target === search && event.key !== "Escape") return;
  if (event.target.closest("button, select, [role=tab]") && ["Enter", " "].includes(event.key)) return;
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

/* Links: #v3 a value, #s2 a step, #k1 a kernel, #l0.12 a line. */

function follow(hash) {
  const found = hash.match(/^#([vskl])(\d+)(?:\.(\d+))?$/);
  if (!found) return;
  const [, kind, n, line] = found, number = Number(n);
  if (kind === "v" && values[number]) reveal(number);
  else if (kind === "s" && data.steps[number]) choose(data.steps[number].nodes, "s" + n, null);
  else if (kind === "k" && data.kernels[number]) choose(kernelNodes[number], "k" + n, null);
  else if (kind === "l") choose(atLine.get(lineKey(number, Number(line))) || [], `l${n}.${line}`, null);
}

/* The start. */

function addChips() {
  for (const c of columns) {
    c.chip = element("button", { class: c.kind || "", "aria-pressed": String(c.shown),
                                 onclick: () => setShown(c, !c.shown) }, c.title);
    c.root.hidden = !c.shown;
    document.getElementById("stages").append(c.chip);
    document.getElementById("columns").append(c.root);
  }
}

function addTabs() {
  for (const name of Object.keys(tabs))
    document.getElementById("tabs").append(element("button", {
      role: "tab", "data-tab": name, "aria-selected": "false", onclick: () => openTab(name),
    }, tabTitles[name]));
}

function start() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
  document.title = `@${data.function} - Cotrace explorer`;
  document.getElementById("title").replaceChildren("@" + data.function,
                                                   element("small", {}, data.pipeline));
  const error = document.getElementById("error");
  error.textContent = data.error;
  error.hidden = !data.error;
  addChips();
  addTabs();
  for (const c of columns) if (c.shown) c.fill();
  drawDetails();
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") nextMatch(event.shiftKey ? -1 : 1);
  });
  document.getElementById("theme").addEventListener("click", () => setTheme(otherTheme()));
  document.getElementById("help").addEventListener("click", openHelp);
  document.getElementById("close").addEventListener("click",
    () => document.getElementById("keys").close());
  addEventListener("keydown", onKey);
  addEventListener("resize", () => { drawAll(); drawDrawer(); });
  addEventListener("hashchange", () => follow(location.hash));
  follow(location.hash);
}

start();

/* For tests and the console. */
window.explorer = { data, state, columns, choose, reveal, follow, setShown, openTab, find };
