// The diagram: sessions are lanes, time goes down, transactions are boxes.

const ROW = 24, CHAR = 7.3, PAD = 12, MOST = 44, MOST_TOLD = 80, SMALLEST = 0.7;

const svgNS = "http://www.w3.org/2000/svg";

function svg(name, attrs, ...children) {
  const el = document.createElementNS(svgNS, name);
  for (const k in attrs) if (attrs[k] !== undefined) el.setAttribute(k, attrs[k]);
  el.append(...children);
  return el;
}

const cutText = (s, most = MOST) => (s.length > most ? s.slice(0, most - 1) + "…" : s);

// mostOf is how long a row's text may be: what a database did is told in sentences.
const mostOf = (m) => (m.v.schedule ? MOST_TOLD : MOST);

// middle leaves out the middle of s: a key's end tells as much as its beginning.
function middle(s, most) {
  if (s.length <= most) return s;
  const head = Math.ceil((most - 1) / 2);
  return s.slice(0, head) + "…" + s.slice(s.length - (most - 1 - head));
}

// assigned is a variable with its value; a long key leaves room for the value.
function assigned(e) {
  const value = shown(e), room = MOST - "write ".length - " = ".length;
  return `${middle(e.key, Math.max(room / 2, room - value.length))} = ${value}`;
}

// extent is how many characters wide s is: those of East Asia and emoji count twice.
const extent = (s) => [...s].reduce((n, c) => n + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(c) ? 2 : 1), 0);

// rowText is what stands in a box.
function rowText(m, r) {
  const t = m.byID[r.txn];
  if (r.told && r.kind === "begin") return r.name || "begin";
  if (r.told) return (inner(r) ? "  " : "") + r.text;
  switch (r.kind) {
    case "begin": return m.names[t.id] === t.id ? `${t.id} ${t.name}` : t.name || "begin";
    case "commit": return "commit";
    case "abort": return t.error ? "abort: " + t.error : "abort";
    case "observe": return `observe ${r.o.name} = ${shown(r.o)}`;
    case "write": return `write ${assigned(r.e)}`;
  }
  return `read  ${assigned(r.e)}`;
}

// inner reports whether a row belongs to the statement above it.
const inner = (r) => r.told && r.txn && ["read", "write", "delete", "undo", "row"].includes(r.kind);

// origin is where a read reads from.
function origin(m, r) {
  if (r.told) return toldOrigin(m, r);
  if (r.kind !== "read") return "";
  return " ← " + (r.e.from === OWN ? "own write" : m.names[r.e.from]);
}

// layout gives every row a place. Rows of hidden transactions have none.
function layout(m, visible) {
  const L = { lane: {}, place: new Map(), boxes: new Map(), rows: [] };
  L.rows = m.rows.filter((r) => (r.txn ? visible.has(r.txn) : !m.reduced));
  const lanes = m.sessions.filter((s) => L.rows.some((r) => r.session === s));
  // Between the lanes there is room for what stands on the cycle's edges.
  L.gap = Math.min(170, Math.max(46, ...m.cycles.flat().map((d) => 28 + 6.8 * edgeLabel(d).length)));
  let x = 46;
  for (const s of lanes) {
    const longest = Math.max(extent(s) + 4, 14, ...L.rows.filter((r) => r.session === s).map((r) => extent(cutText(rowText(m, r), mostOf(m)) + origin(m, r))));
    const width = longest * CHAR + 2 * PAD;
    L.lane[s] = { x, width };
    x += width + L.gap;
  }
  L.width = Math.max(x - L.gap + 46, 300);
  const init = m.byID[INIT];
  L.init = init && init.events.length ? { x: 46, y: 10, width: L.width - 2 * 46, height: 30 } : null;
  let y = L.init ? 66 : 16;
  let line = false;
  for (const r of L.rows) {
    if (!line && m.leaves >= 0 && r.step > m.leaves) { L.leaves = y + 4; y += 26; line = true; }
    if (r.kind === "begin") y += 4;
    L.place.set(r, y);
    y += ROW;
    if (r.kind === "commit" || r.kind === "abort") y += 6;
  }
  L.height = y + 20;
  for (const r of L.rows) {
    if (!r.txn) continue;
    const top = L.place.get(r), b = L.boxes.get(r.txn) || { top, ...L.lane[r.session], row: {}, begin: r.step };
    b.bottom = top + ROW;
    b.end = r.step;
    b.row[r.kind === "begin" ? "begin" : r.event || r.kind] = r;
    L.boxes.set(r.txn, b);
  }
  return L;
}

// anchor is where an edge touches a transaction: y, and the step that shows it.
function anchor(m, L, edge, id, isFrom) {
  if (id === INIT) return L.init && { init: true, y: L.init.y + L.init.height, step: 0 };
  const b = L.boxes.get(id);
  if (!b) return null;
  let event = 0;
  if (edge.kind !== "so") {
    const reads = edge.reader === id && edge.event && (edge.kind === "wr" ? !isFrom : edge.kind === "rw" && isFrom);
    event = reads ? edge.event : lastWrite(m.byID[id], edge.key);
  }
  const r = b.row[event] || b.row[isFrom ? (b.row.commit ? "commit" : "abort") : "begin"] || b.row.begin;
  return { box: b, y: L.place.get(r) + ROW / 2 + (isFrom ? 4 : -3), step: r.step };
}

const edgeLabel = (d) => d.kind + (d.key ? " " + middle(d.key, 18) : "");

// path is the curve of an edge and where its label goes: into the gap beside its beginning.
function path(L, a, b) {
  if (a.init) {
    const x = b.box.x + 10 + ((b.y * 7) % Math.max(20, b.box.width - 20));
    const left = b.box.x - 5;
    return { d: `M${x} ${a.y} C${x} ${a.y + 30} ${left - 26} ${b.y - 24} ${left} ${b.y}`, mx: left - 12, my: b.y - 10 };
  }
  const right = b.box.x > a.box.x, same = a.box.x === b.box.x;
  const x1 = right || same ? a.box.x + a.box.width : a.box.x;
  const x2 = right ? b.box.x - 5 : b.box.x + b.box.width + 5;
  const bend = same ? 34 : Math.max(26, Math.min(110, Math.abs(x2 - x1) / 2));
  const c1 = x1 + (right || same ? bend : -bend), c2 = x2 + (right ? -bend : bend);
  const along = (t, p, q, r, s) => (1 - t) ** 3 * p + 3 * t * (1 - t) ** 2 * q + 3 * t * t * (1 - t) * r + t ** 3 * s;
  const middle = x1 + (right || same ? L.gap : -L.gap) / 2;
  let t = 0;
  while (t < (same ? 0.5 : 1) && Math.abs(along(t, x1, c1, c2, x2) - x1) < L.gap / 2) t += 0.02;
  return { d: `M${x1} ${a.y} C${c1} ${a.y} ${c2} ${b.y} ${x2} ${b.y}`, mx: middle, my: along(t, a.y, a.y, b.y, b.y) };
}

function markers() {
  return svg("defs", {}, ...["so", "wr", "ww", "rw"].map((k) =>
    svg("marker", { id: "arrow-" + k, viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 10, markerHeight: 10, orient: "auto", markerUnits: "userSpaceOnUse", class: k },
      svg("path", { d: "M0 0.5 L7.5 4 L0 7.5 z" }))));
}

// draw fills the diagram and returns what stepping needs: pairs of an element
// and the step from which on it shows.
function draw(m, visible) {
  const L = layout(m, visible), parts = [], root = document.getElementById("diagram");
  root.replaceChildren(markers());
  // What is a little too wide is drawn a little smaller; what is much too wide scrolls.
  const room = document.getElementById("view").clientWidth, scale = L.width > room && room >= SMALLEST * L.width ? room / L.width : 1;
  root.setAttribute("viewBox", `0 0 ${L.width} ${L.height}`);
  root.setAttribute("width", L.width * scale);
  root.setAttribute("height", L.height * scale);
  const lanes = document.getElementById("lanes");
  lanes.style.width = L.width * scale + "px";
  lanes.replaceChildren(...Object.entries(L.lane).map(([s, at]) => {
    const d = document.createElement("div");
    d.textContent = s === FINAL ? "final, after all" : s;
    d.style.cssText = `left:${at.x * scale}px;width:${at.width * scale}px`;
    return d;
  }));
  for (const at of Object.values(L.lane)) root.append(svg("rect", { class: "lane", x: at.x - 8, y: 0, width: at.width + 16, height: L.height, rx: 6 }));
  if (L.init) drawInit(root, m, L);
  for (const [id, b] of L.boxes) {
    const t = m.byID[id];
    const box = svg("rect", { class: "txn " + t.status + (m.cyclic.has(id) ? " cyclic" : ""), x: b.x, y: b.top, width: b.width, height: b.bottom - b.top, rx: 6, "data-txn": id });
    root.append(box);
    parts.push({ el: box, step: b.begin });
  }
  if (L.leaves) {
    root.append(svg("g", { class: "leaves" }, svg("line", { x1: 8, x2: L.width - 8, y1: L.leaves + 10, y2: L.leaves + 10 }),
      svg("text", { x: 56, y: L.leaves + 6 }, "no serial order explains what follows")));
  }
  for (const r of L.rows) parts.push(drawRow(root, m, L, r));
  const layer = svg("g", { id: "edges" });
  root.append(layer);
  const order = [...m.edges].sort((a, b) => a.cycle - b.cycle); // the cycle on top
  for (const e of order) {
    const p = drawEdge(layer, m, L, e);
    if (p) parts.push(p);
  }
  return { lanes: Object.keys(L.lane).length, parts, scrolls: L.width * scale > room + 1 };
}

function drawInit(root, m, L) {
  const all = initialEvents(m).map((e) => `${e.key} = ${shown(e)}`).join("   ");
  const most = Math.floor((L.init.width - 70) / CHAR);
  const g = svg("g", { class: "initial" }, svg("rect", { ...L.init, rx: 6 }),
    svg("text", { x: L.init.x + PAD, y: L.init.y + 20, class: "name" }, "init"),
    svg("text", { x: L.init.x + PAD + 44, y: L.init.y + 20 }, all.length > most ? all.slice(0, Math.max(0, most - 1)) + "…" : all));
  tip(g, () => ["initial values", ...initialEvents(m).map((e) => `${e.key} = ${shown(e)}`)]);
  root.append(g);
}

function drawRow(root, m, L, r) {
  const y = L.place.get(r), at = L.lane[r.session];
  const g = svg("g", { class: "row " + r.kind + (r.misses ? " misses" : "") + (r.step - 1 === m.leaves ? " breaks" : ""), "data-step": r.step },
    svg("rect", { class: "back", x: at.x + 2, y: y + 1, width: at.width - 4, height: ROW - 2, rx: 4 }),
    svg("text", { x: at.x + PAD, y: y + 16 }, cutText(rowText(m, r), mostOf(m)), svg("tspan", { class: "origin" }, origin(m, r))));
  tip(g, () => [told(m, r), r.at || ""]);
  root.append(g);
  return { el: g, step: r.step, row: r };
}

function drawEdge(layer, m, L, e) {
  const a = anchor(m, L, e, e.from, true), b = anchor(m, L, e, e.to, false);
  if (!a || !b || b.init) return null;
  const p = path(L, a, b), classes = ["edge", e.kind, e.cycle ? "cycle" : "", a.init ? "from-init" : ""].filter(Boolean).join(" ");
  const label = edgeLabel(e);
  const g = svg("g", { class: classes, "data-kind": e.kind, "data-from": e.from, "data-to": e.to, "data-key": e.key || "" },
    svg("path", { class: "hit", d: p.d }), svg("path", { class: "line", d: p.d, "marker-end": `url(#arrow-${e.kind})` }),
    svg("text", { x: p.mx, y: p.my - 4, "text-anchor": "middle" }, label));
  tip(g, () => [`${e.kind}${e.key ? " " + e.key : ""}: ${m.names[e.from]} → ${m.names[e.to]}`, meaning(m, e), ...(e.reason ? ["by rule: " + e.reason.rule] : [])]);
  layer.append(g);
  return { el: g, step: Math.max(a.step, b.step), edge: e };
}
