// The model of a diagram: rows, lanes and edges of a violation.

const OWN = "own", INIT = "init", FINAL = "final";

const shown = (e) => e.text || (e.value === null ? "nil" : JSON.stringify(e.value));

// shortNames calls a transaction by its session when it is alone there.
function shortNames(txns) {
  const count = {};
  for (const t of txns) count[t.session] = (count[t.session] || 0) + 1;
  return Object.fromEntries(txns.map((t) => [t.id, count[t.session] === 1 ? t.session : t.id]));
}

// stepsOf falls back to one transaction after another.
function stepsOf(v) {
  if (v.explanation) return v.explanation.steps;
  const byID = Object.fromEntries(v.history.transactions.map((t) => [t.id, t]));
  return v.order.filter((id) => id !== INIT).flatMap((id) => [
    { transaction: id, op: "begin" },
    ...byID[id].events.map((e, i) => ({ transaction: id, op: e.op, event: i + 1 })),
    { transaction: id, op: byID[id].status === "aborted" ? "abort" : "commit" },
  ]);
}

// proofCycles are the cycles of a proof, those of its cases among them.
function proofCycles(p) {
  if (!p) return [];
  if (p.cycle) return [p.cycle];
  return p.split ? [...proofCycles(p.split.a_first), ...proofCycles(p.split.b_first)] : [];
}

// transactionsOf are those of the history, or of an execution under a database's model.
function transactionsOf(v, told) {
  if (!v.schedule) return v.history.transactions;
  const all = new Map();
  for (const r of told.rows) {
    if (!all.has(r.transaction)) all.set(r.transaction, { id: r.transaction, session: r.session, name: r.name, status: "aborted", events: [] });
    if (r.kind === "commit") all.get(r.transaction).status = "committed";
  }
  return [...all.values()];
}

function makeModel(v, told) {
  const txns = transactionsOf(v, told);
  const m = {
    v, txns, told, e: v.explanation || null, steps: told ? Array(told.steps).fill(null) : stepsOf(v),
    byID: Object.fromEntries(txns.map((t) => [t.id, t])), names: shortNames(txns),
    cycles: proofCycles(v.explanation),
  };
  m.leaves = m.e ? m.e.leaves : -1;
  m.cyclic = new Set(m.cycles.flat().flatMap((d) => [d.from, d.to]));
  m.edges = makeEdges(m);
  m.rows = told ? toldRows(m) : makeRows(m);
  m.sessions = [];
  for (const t of txns) if (t.id !== INIT && t.session !== FINAL && !m.sessions.includes(t.session)) m.sessions.push(t.session);
  for (const r of m.rows) if (r.session !== FINAL && !m.sessions.includes(r.session)) m.sessions.push(r.session);
  if (txns.some((t) => t.session === FINAL)) m.sessions.push(FINAL);
  return m;
}

// toldRows are the rows that are in words already: of SQL, and under a database's model. A transaction that
// begins without a row of its own has one with its name.
function toldRows(m) {
  const rows = [], begun = new Set();
  for (const r of m.told.rows) {
    const row = { ...r, txn: r.transaction || "", e: null, told: true, misses: r.misses || "", event: r.event || 0, at: r.at || "" };
    if (row.txn && row.name && row.kind !== "begin" && !begun.has(row.txn)) rows.push({ ...row, kind: "named", text: row.name, at: "" });
    begun.add(row.txn);
    rows.push(row);
  }
  // Who waits does so until the session's next row.
  for (const [i, r] of rows.entries()) if (r.kind === "waits") r.until = rows.find((o, j) => j > i && o.session === r.session && o.step > r.step);
  return rows;
}

// isKey reports whether a variable says only whether a key is taken, as "acct/3 key" and
// "acct(owner)/ann" do.
const isKey = (name) => / key$/.test(name) && name.includes("/") || /^[^/]*\)\//.test(name);

// initialEvents are what a diagram shows of the initial transaction.
const initialEvents = (m) => m.byID[INIT].events.filter((e) => !m.told || !isKey(e.key) && (e.text || e.value !== null));

// makeRows lists the operations in the order of the steps, and what sessions
// observe and print among them. Row.step is the number of the step that shows it, from 1.
function makeRows(m) {
  const rows = [], begun = new Set(), left = new Set(m.v.history.observations || []), output = new Set(m.v.printed || []);
  const observe = (step, pick) => {
    for (const p of output) if (pick(p)) { output.delete(p); rows.push({ kind: "prints", session: p.session, text: p.text, step, txn: p.open ? p.after : "" }); }
    for (const o of left) if (pick(o)) { left.delete(o); rows.push({ kind: "observe", session: o.session, o, at: o.at, step, txn: o.open ? o.after : "" }); }
  };
  m.steps.forEach((s, i) => {
    const t = m.byID[s.transaction], n = i + 1, ends = s.op === "commit" || s.op === "abort";
    if (s.op === "begin" && !begun.has(t.session)) { begun.add(t.session); observe(n, (o) => o.session === t.session && !o.after); }
    const e = s.event ? t.events[s.event - 1] : null;
    rows.push({ kind: s.op, session: t.session, txn: t.id, event: s.event || 0, e, misses: s.misses || "", at: e ? e.at : s.op === "begin" ? t.at : "", step: n });
    observe(n, (o) => o.after === t.id && o.open && (ends || (o.events || 0) <= (s.event || 0)));
    if (ends) observe(n, (o) => o.after === t.id);
  });
  observe(m.steps.length, () => true);
  return rows;
}

// lastWrite is the position of a transaction's last write of a key, from 1; 0
// when there is none.
function lastWrite(t, key) {
  for (let i = t.events.length; i > 0; i--) if (t.events[i - 1].op === "write" && t.events[i - 1].key === key) return i;
  return 0;
}

// makeEdges lists all dependencies that are known, each once.
function makeEdges(m) {
  if (m.v.schedule) return [];
  const edges = new Map();
  const add = (d, cycle) => {
    const id = [d.kind, d.from, d.to, d.key || ""].join("\u0000");
    let e = edges.get(id);
    if (!e) edges.set(id, (e = { ...d, id, cycle: false }));
    if (!e.event && d.event) { e.event = d.event; e.reader = d.reader; }
    if (d.reason && !(e.reason && e.reason.premise)) e.reason = d.reason;
    e.cycle = e.cycle || cycle;
  };
  const deep = (d, cycle) => { add(d, cycle); for (const p of (d.reason && d.reason.premise) || []) deep(p, false); };
  for (const c of m.cycles) for (const d of c) deep(d, true);
  const last = {}, closing = m.txns.find((t) => t.session === FINAL);
  for (const t of m.txns) {
    if (t.id === INIT) continue;
    if (last[t.session]) add({ kind: "so", from: last[t.session], to: t.id }, false);
    last[t.session] = t.id;
    t.events.forEach((e, i) => {
      if (e.op === "read" && e.from && e.from !== OWN) add({ kind: "wr", from: e.from, to: t.id, key: e.key, reader: t.id, event: i + 1 }, false);
    });
  }
  for (const s in last) if (closing && s !== FINAL) add({ kind: "so", from: last[s], to: closing.id }, false);
  for (const d of (m.e && m.e.dependencies) || []) add(d, false);
  return [...edges.values()];
}

// told puts a row into words.
function told(m, r) {
  const who = r.txn ? m.names[r.txn] : r.session, t = m.byID[r.txn];
  if (r.told) return `${who}: ${r.full && (r.kind === "statement" || r.kind === "prints") ? r.full : r.text}${toldOrigin(m, r)}`;
  switch (r.kind) {
    case "begin": return `${who} begins${t.name ? " " + t.name : ""}`;
    case "commit": return `${who} commits`;
    case "abort": return `${who} aborts${t.error ? ": " + t.error : ""}`;
    case "prints": return `${who} prints ${r.text}`;
    case "observe": return `${who} observes ${r.o.name} = ${shown(r.o)}`;
    case "write": return `${who} writes ${r.e.key} = ${shown(r.e)}`;
  }
  const from = r.e.from === OWN ? "its own write" : r.e.from === INIT ? "the initial value" : "written by " + m.names[r.e.from];
  return `${who} reads ${r.e.key} = ${shown(r.e)}, ${from}${r.misses ? `, and misses the newer write of ${m.names[r.misses]}` : ""}`;
}

// toldOrigin is where a read reads from.
function toldOrigin(m, r) {
  if (!r.from) return "";
  return " ← " + (r.from === OWN ? "own write" : m.names[r.from] || r.from) + (r.misses ? `, not ${r.misses}` : "");
}

// meaning tells a dependency.
function meaning(m, d) {
  const a = m.names[d.from], b = m.names[d.to];
  switch (d.kind) {
    case "so": return d.from === INIT ? `${b} comes after the initial state` : `${b} comes after ${a} in session order`;
    case "wr": return `${b} reads ${d.key} from ${a}`;
    case "ww": return `${b} overwrites ${a}'s write of ${d.key}`;
  }
  return `${a} reads ${d.key} before ${b} overwrites it`;
}

// store is what is committed after some steps: by key the value and its writer.
function store(m, count) {
  const values = new Map();
  const put = (t) => { for (const e of t.id === INIT ? initialEvents(m) : t.events) if (e.op === "write" && !(m.told && isKey(e.key))) values.set(e.key, { text: shown(e), by: t.id }); };
  if (m.byID[INIT]) put(m.byID[INIT]);
  if (m.told) for (const r of m.rows) { if (r.step <= count && r.kind === "commit") put(m.byID[r.txn]); }
  else for (const s of m.steps.slice(0, count)) if (s.op === "commit") put(m.byID[s.transaction]);
  return values;
}
