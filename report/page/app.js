// The page around the diagram.

const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);

function html(name, className, ...children) {
  const el = document.createElement(name);
  if (className) el.className = className;
  el.append(...children);
  return el;
}

// tip shows lines beside the pointer while it is over el.
function tip(el, lines) {
  el.addEventListener("pointerenter", () => {
    $("tip").replaceChildren(...lines().filter(Boolean).map((s) => html("div", "", s)));
    $("tip").hidden = false;
  });
  el.addEventListener("pointermove", (ev) => {
    const t = $("tip"), x = Math.min(ev.clientX + 14, innerWidth - t.offsetWidth - 8), y = ev.clientY + 18;
    t.style.left = Math.max(8, x) + "px";
    t.style.top = (y + t.offsetHeight > innerHeight ? ev.clientY - t.offsetHeight - 10 : y) + "px";
  });
  el.addEventListener("pointerleave", () => { $("tip").hidden = true; });
}

const toggles = [
  ["so", "so", "session order"], ["wr", "wr", "write-read: who reads what"], ["ww", "ww", "write-write: who overwrites whom"],
  ["rw", "rw", "read-write: who reads what another overwrites"], ["cycle", "cycle", "the cycle that no order of commits can have"],
  ["init", "from init", "edges from the initial transaction"], ["reduce", "only what matters", "hide what the assertion fails without"],
];
// where nobody has looked what the assertion fails without
const reduceToCycle = ["reduce", "only the cycle", "hide transactions that are neither in the cycle nor in a failure"];
const many = 30; // transactions, from which on only what matters is shown first
const state = { on: { so: true, wr: true, ww: true, rw: true, cycle: true, init: false, reduce: false }, step: 0, timer: 0, width: 0, model: null, parts: [] };

function makeToggles() {
  const all = toggles.map((t) => t[0] === "reduce" && !state.model.v.irrelevant ? reduceToCycle : t);
  $("toggles").replaceChildren(...all.map(([id, label, title]) => {
    const box = html("input");
    box.type = "checkbox";
    box.id = "toggle-" + id;
    box.checked = state.on[id];
    box.addEventListener("change", () => { state.on[id] = box.checked; id === "reduce" ? redraw() : show(); });
    const l = html("label", "toggle " + id, box, html("span", "", label));
    l.title = title;
    return l;
  }));
}

// matters are the transactions that are not said to be irrelevant. Where that is not
// known they are those of the cycle and the failures, and those that they read from;
// where a session fails, those of it that come before.
function matters(m) {
  if (!state.on.reduce) return new Set(m.txns.map((t) => t.id));
  const without = m.v.irrelevant;
  if (without) return new Set(m.txns.filter((t) => !without.some((p) => p.transaction ? p.transaction === t.id : p.session === t.session)).map((t) => t.id));
  const set = new Set(m.cyclic);
  for (const f of m.v.failures) {
    const at = m.byID[f.transaction];
    if (f.transaction) set.add(f.transaction);
    for (const t of m.txns) if (f.session && t.session === f.session && (!at || t.index <= at.index)) set.add(t.id);
  }
  for (const id of [...set]) for (const e of (m.byID[id] || { events: [] }).events) if (e.from && e.from !== OWN) set.add(e.from);
  return set.size > 1 ? set : new Set(m.txns.map((t) => t.id));
}

function open(i) {
  const v = data.violations[i];
  stop();
  state.model = makeModel(v, data.told[i]);
  state.on.reduce = state.model.txns.length > many;
  makeToggles();
  $("toggles").hidden = Boolean(v.schedule);
  document.title = `${v.program} at ${v.iso} – txmc`;
  $("title").textContent = `${v.program} at ${v.iso}`;
  $("slider").max = state.model.steps.length;
  state.step = state.model.steps.length;
  explainTo($("why"), state.model);
  redraw();
}

function redraw() {
  const m = state.model;
  m.reduced = state.on.reduce;
  state.width = innerWidth;
  const visible = matters(m), drawn = draw(m, visible);
  state.parts = drawn.parts;
  const all = m.txns.filter((t) => t.id !== INIT).length;
  const hidden = all - [...visible].filter((id) => id !== INIT).length;
  $("note").textContent = [hidden > 0 ? `${hidden} of ${all} transactions are hidden` : "",
    drawn.scrolls ? `${drawn.lanes} lanes: scroll sideways to see all` : "",
    data.left_out ? `${data.left_out} more violations are not in this file` : ""].filter(Boolean).join("; ");
  show();
}

// show brings the diagram to the present step and switches.
function show() {
  const { step, on, model: m } = state;
  for (const p of state.parts) {
    p.el.classList.toggle("later", p.step > step);
    if (p.row) p.el.classList.toggle("now", p.step === step && step < m.steps.length);
    if (p.edge) p.el.classList.toggle("off", !((p.edge.cycle && on.cycle) || (on[p.edge.kind] && (on.init || p.edge.from !== INIT))));
    if (p.edge) p.el.classList.toggle("plain", !on.cycle);
  }
  $("slider").value = step;
  const row = m.rows.find((r) => r.step === step && r.kind !== "observe" && r.kind !== "named" && r.kind !== "prints") || m.rows.findLast((r) => r.step <= step);
  $("told").textContent = step === 0 || !row ? `The beginning of ${m.steps.length} steps: → goes on, space plays.` :
    `Step ${step} of ${m.steps.length}: ${told(m, row)}${row.at ? ` (${row.at})` : ""}.` + (m.leaves >= 0 && step - 1 === m.leaves ? " From here on no serial order explains it." : "");
  showStore(m, step);
}

function showStore(m, step) {
  const body = $("store");
  if (!body) return;
  body.replaceChildren(...[...store(m, step)].map(([key, w]) => {
    const tr = html("tr", w.by === INIT ? "" : "written", html("td", "", key), html("td", "value", w.text), html("td", "", m.names[w.by]));
    tr.title = `${key} = ${w.text}`;
    return tr;
  }));
}

function go(step) {
  const m = state.model;
  state.step = Math.max(0, Math.min(m.steps.length, step));
  show();
  const now = document.querySelector("#diagram .row.now") || state.parts.findLast?.((p) => p.row && p.step <= state.step)?.el;
  if (now) now.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// beside is the step before or after the present one, of those that are not
// hidden.
function beside(by) {
  const steps = state.parts.filter((p) => p.row).map((p) => p.step);
  return by > 0 ? Math.min(state.model.steps.length, ...steps.filter((s) => s > state.step)) : Math.max(0, ...steps.filter((s) => s < state.step));
}

function stop() {
  clearInterval(state.timer);
  state.timer = 0;
  $("play").textContent = "▶ play";
}

function play() {
  if (state.timer) return stop();
  if (state.step >= state.model.steps.length) go(0);
  $("play").textContent = "❚❚ stop";
  state.timer = setInterval(() => { go(beside(1)); if (state.step >= state.model.steps.length) stop(); }, 700);
}

const move = (by) => { stop(); go(beside(by)); };

function explainTo(aside, m) {
  const v = m.v, e = m.e, name = Object.fromEntries(m.txns.map((t) => [t.id, t.name]));
  const card = (title, className, ...children) => html("section", "card " + className, html("h2", "", ...[title].flat()), ...children);
  const cards = v.failures.map((f) => card(
    f.kind === "final" || f.kind === "invariant" ? `${f.kind} “${f.name}” fails` : !f.session ? `${f.kind} in invariant “${f.name}”` : `${f.kind} in session ${f.session}` + (f.transaction && name[f.transaction] ? `, “${name[f.transaction]}”` : ""),
    "failure", html("p", "message", f.message), ...(f.at ? [html("p", "at", f.at)] : []), ...(f.stack ? [html("pre", "", f.stack.join("\n"))] : [])));
  if (e) cards.push(anomalyCard(m, card), levelsCard(m, card));
  if (v.confirmation) cards.push(card("On a server", "", html("p", "", confirmed(v.confirmation))));
  const again = [["Replay", v.replay], ["Replay on a server", v.replay_on_server]].filter(([, command]) => command)
    .map(([title, command]) => card(title, "", html("p", "", html("code", "", command))));
  if (v.schedule) return aside.replaceChildren(...cards, ...executedCards(m, card), ...again);
  cards.push(...again);
  const table = html("table", "store", html("tbody"));
  table.tBodies[0].id = "store";
  cards.push(card("Committed at this step", "", table));
  if (e && e.after) cards.push(card("In the end", "", html("table", "store", html("tbody", "", ...e.after.map((l) =>
    html("tr", "", html("td", "", l.key), html("td", "value", l.values.map((w) => `${shown(w)} (${m.names[w.by]})`).join(" or "))))))));
  if (v.irrelevant) cards.push(card("Irrelevant", "", html("p", "", irrelevant(m))));
  aside.replaceChildren(...cards);
}

// confirmed says what has become of the violation on a real server.
function confirmed(c) {
  const words = { confirmed: "The assertion fails on", differs: "Something else happens on", unconfirmed: "No assertion fails on", unsaid: "It was not tried on" };
  return `${words[c.verdict]} ${c.server}${c.level ? " at " + c.level : ""}.${c.message ? " " + c.message : ""}`;
}

// executedCards are those of an execution under a database's model.
function executedCards(m, card) {
  const cards = [];
  if (m.told.why) cards.push(card(m.told.title, "anomaly", html("p", "", m.told.why[0].toUpperCase() + m.told.why.slice(1) + ".")));
  cards.push(card("In the end", "", html("table", "store", html("tbody", "", ...(m.v.left || []).map((l) =>
    html("tr", "", html("td", "", l.key), html("td", "value", l.value)))))));
  return cards;
}

// irrelevant says what can be left out.
function irrelevant(m) {
  const parts = m.v.irrelevant;
  if (m.txns.every((t) => t.id === INIT || t.session === FINAL || parts.some((p) => !p.transaction && p.session === t.session))) return "The assertion fails even when no session runs.";
  return `The assertion fails without ${parts.map((p) => p.transaction || "session " + p.session).join(", ")} as well.`;
}

// glossed is a text in which words of papers say what they mean.
function glossed(text) {
  return text.split(/([A-Za-z][\w-]*)/).filter((s) => s).map((word) => {
    if (!Object.hasOwn(data.glossary || {}, word)) return word;
    const abbr = html("abbr", "", word);
    abbr.title = data.glossary[word];
    return abbr;
  });
}

function anomalyCard(m, card) {
  const e = m.e;
  if (!e.anomaly) return card("Isolation is not the cause", "anomaly", html("p", "", "Every level allows this history: a serial execution breaks the assertion too."));
  const items = m.cycles.flat().map((d) => {
    const li = html("li", "step " + d.kind, html("span", "kind", d.kind), ` ${m.names[d.from]} → ${m.names[d.to]}`, html("span", "key", d.key || ""));
    const pick = (on) => () => { for (const p of state.parts) if (p.edge && p.edge.id === [d.kind, d.from, d.to, d.key || ""].join("\u0000")) p.el.classList.toggle("picked", on); };
    li.addEventListener("pointerenter", pick(true));
    li.addEventListener("pointerleave", pick(false));
    li.title = meaning(m, d);
    return li;
  });
  return card(glossed(e.words.title), "anomaly", ...(e.anomaly.definition ? [html("p", "definition", e.anomaly.definition + (e.anomaly.source ? ` (${e.anomaly.source})` : ""))] : []),
    ...(e.words.sentences || []).map((s) => html("p", "", s)), html("ul", "cycle", ...items));
}

const titles = { rc: "read committed", ra: "read atomic", cc: "causal consistency", pc: "prefix consistency", si: "snapshot isolation", ser: "serializability" };

function levelsCard(m, card) {
  const cell = (l, ok) => html("tr", (ok ? "allowed" : "forbidden") + (l === m.v.iso ? " here" : ""),
    html("td", "", l), html("td", "", titles[l] || ""), html("td", "", ok ? "✓ allows it" : "✗ forbids it"));
  return card("Levels", "levels", html("table", "", html("tbody", "", ...m.e.allowed.map((l) => cell(l, true)), ...m.e.forbidden.map((l) => cell(l, false)))),
    ...(m.v.at_ser ? [html("p", "at-ser", "At ser the assertion " + (m.v.at_ser === "holds" ? "holds in every history." : "fails too, in another history: isolation is not the cause."))] : []));
}

function start() {
  const list = $("violations");
  list.hidden = data.violations.length < 2;
  data.violations.forEach((v, i) => list.append(new Option(`${i + 1}: ${v.program} at ${v.iso}${v.explanation && v.explanation.anomaly ? ", " + v.explanation.anomaly.name : ""}`, i)));
  list.addEventListener("change", () => open(+list.value));
  if (!data.violations.length) return nothing();
  for (const [id, f] of Object.entries({ first: () => go(0), back: () => move(-1), play, next: () => move(1), last: () => go(Infinity) })) $(id).addEventListener("click", () => { if (id !== "play") stop(); f(); });
  $("slider").addEventListener("input", () => { stop(); go(+$("slider").value); });
  addEventListener("keydown", (ev) => {
    if (ev.ctrlKey || ev.metaKey || ev.altKey || ev.target.closest?.("select")) return;
    const f = { ArrowLeft: () => move(-1), ArrowRight: () => move(1), " ": play, Home: () => { stop(); go(0); }, End: () => { stop(); go(Infinity); } }[ev.key];
    if (!f) return;
    ev.preventDefault();
    if (ev.key === " ") document.activeElement.blur?.();
    f();
  });
  // A telephone changes its height while it scrolls.
  addEventListener("resize", () => { if (state.width !== innerWidth) redraw(); });
  open(0);
}

// nothing is for a page without violations.
function nothing() {
  $("title").textContent = data.left_out ? `${data.left_out} violations are too large for this page: see them with --format=text or json` : "no violation";
  $("stage").replaceChildren(html("table", "results", html("tbody", "", ...data.results.map((r) =>
    html("tr", "", html("td", "", r.program), html("td", "", r.iso), html("td", "", `${r.histories} histories`), html("td", "", r.complete ? "complete" : `stopped (${r.stopped}): not a proof`))))));
  $("why").remove();
}

start();
