// The diagram: sessions are lanes, time goes down, transactions are boxes.

const ROW = 24, LINE = 16, CHAR = 7.3, PAD = 12, MOST = 44, MOST_LINES = 8, SMALLEST = 0.7;
const NARROWEST = 170; // of a lane, in pixels
const STACKED = 520; // pixels of room below which lanes are not beside each other

const svgNS = "http://www.w3.org/2000/svg";

function svg(name, attrs, ...children) {
  const el = document.createElementNS(svgNS, name);
  for (const k in attrs) if (attrs[k] !== undefined) el.setAttribute(k, attrs[k]);
  el.append(...children);
  return el;
}

const cutText = (s, most = MOST) => (s.length > most ? s.slice(0, most - 1) + "…" : s);

// wrapped are the lines of a text of that many characters a line, those after the first indented.
function wrapped(text, most) {
  const lines = [], indent = " ".repeat(text.length - text.trimStart().length + 2);
  let line = "";
  for (let word of text.split(/(?<=\s)/)) {
    while (extent(line) + extent(word.trimEnd()) > most) {
      if (line.trim()) { lines.push(line.trimEnd()); line = indent; }
      if (extent(line) + extent(word.trimEnd()) <= most) break;
      const room = Math.max(8, most - line.length);
      lines.push(line + word.slice(0, room)); // a word that is wider than a line
      word = word.slice(room);
      line = indent;
    }
    line += word;
  }
  if (line.trim() || !lines.length) lines.push(line.trimEnd());
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES - 1), indent + "…"] : lines;
}

// shares divides room among lanes of these widths: who needs less than an equal part has what it needs.
function shares(widths, room) {
  const out = [...widths];
  let left = room, open = widths.map((_, i) => i);
  for (;;) {
    const part = left / open.length, small = open.filter((i) => widths[i] <= part);
    if (!small.length || small.length === open.length) { for (const i of open) out[i] = Math.min(widths[i], Math.max(NARROWEST, part)); return out; }
    for (const i of small) left -= widths[i];
    open = open.filter((i) => !small.includes(i));
  }
}

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
  if (r.kind === "who") return r.text;
  if (r.told && r.kind === "begin") return r.name || "begin";
  if (r.told) return (inner(r) ? "  " : "") + r.text;
  switch (r.kind) {
    case "begin": return m.names[t.id] === t.id ? `${t.id} ${t.name}` : t.name || "begin";
    case "commit": return "commit";
    case "abort": return t.error ? "abort: " + t.error : "abort";
    case "prints": return printed(r.text);
    case "observe": return `observe ${r.o.name} = ${shown(r.o)}`;
    case "write": return `write ${assigned(r.e)}`;
  }
  return `read  ${assigned(r.e)}`;
}

// printed is the first line of what is printed.
function printed(text) {
  const lines = text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, "").split("\n").map((l) => l.trim()).filter(Boolean);
  return `prints ${lines[0] || ""}` + (lines.length > 1 ? ` … ${lines.length - 1} more` : "");
}

// inner reports whether a row belongs to the statement above it.
const inner = (r) => r.told && r.txn && ["read", "write", "delete", "undo", "row"].includes(r.kind);

// origin is where a read reads from.
function origin(m, r) {
  if (r.told) return toldOrigin(m, r);
  if (r.kind !== "read") return "";
  return " ← " + (r.e.from === OWN ? "own write" : m.names[r.e.from]);
}

// layout gives every row a place in that much room. Rows of hidden transactions have none.
function layout(m, visible, room) {
  const L = { lane: {}, place: new Map(), lines: new Map(), boxes: new Map(), rows: [] };
  L.rows = m.rows.filter((r) => (r.txn ? visible.has(r.txn) : !m.reduced));
  const lanes = m.sessions.filter((s) => L.rows.some((r) => r.session === s));
  L.stacked = lanes.length > 1 && room < STACKED;
  if (L.stacked) L.rows = withNames(L.rows);
  const init = m.byID[INIT], drawn = !L.stacked && m.edges.length > 0, margin = drawn ? 46 : 16;
  // Between the lanes there is room for what stands on the cycle's edges.
  L.gap = drawn ? Math.min(170, Math.max(46, ...m.cycles.flat().map((d) => 28 + 6.8 * edgeLabel(d).length))) : 24;
  const whole = (r) => (r.told ? rowText(m, r) : cutText(rowText(m, r))) + origin(m, r);
  const widths = lanes.map((s) => Math.max(extent(s) + 4, 14, ...L.rows.filter((r) => r.session === s).map((r) => extent(whole(r)))) * CHAR + 2 * PAD);
  const given = L.stacked ? lanes.map(() => room - 2 * margin) : shares(widths, room - 2 * margin - L.gap * (lanes.length - 1));
  let x = margin;
  lanes.forEach((s, i) => {
    L.lane[s] = { x, width: given[i] };
    if (!L.stacked) x += given[i] + L.gap;
  });
  L.width = L.stacked ? room : Math.max(x - L.gap + margin, 300);
  L.init = init && init.events.length ? { x: margin, y: 10, width: L.width - 2 * margin, height: 30 } : null;
  let y = L.init ? 66 : 16, line = false, before = "", group = 0;
  for (const r of L.rows) {
    if (!line && m.leaves >= 0 && r.step > m.leaves) { L.leaves = y + 4; y += 26; line = true; }
    if (r.kind === "begin" || r.kind === "named" || r.kind === "who") y += 4;
    const lines = wrapped(whole(r), Math.floor((L.lane[r.session].width - 2 * PAD) / CHAR + 0.01)), tall = ROW + (lines.length - 1) * LINE;
    L.place.set(r, y);
    L.lines.set(r, lines);
    if (r.txn && r.kind !== "who") {
      if (L.stacked && r.txn !== before) group++;
      const id = L.stacked ? group : r.txn, b = L.boxes.get(id) || { txn: r.txn, top: y, ...L.lane[r.session], row: {}, begin: r.step };
      b.bottom = y + tall;
      b.end = r.step;
      b.row[r.kind === "begin" ? "begin" : r.event || r.kind] = r;
      L.boxes.set(id, b);
    }
    before = r.txn;
    y += tall;
    if (r.kind === "commit" || r.kind === "abort") y += 6;
  }
  L.height = y + 20;
  return L;
}

// withNames are rows with the session's name wherever another goes on.
function withNames(rows) {
  const out = [];
  rows.forEach((r, i) => {
    if (i === 0 || rows[i - 1].session !== r.session) out.push({ kind: "who", session: r.session, step: r.step, txn: "", told: true, text: r.session === FINAL ? "final" : r.session, misses: "", at: "" });
    out.push(r);
  });
  return out;
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
  // What is a little too wide is drawn a little smaller; what is much too wide scrolls.
  const room = document.getElementById("view").clientWidth, parts = [], root = document.getElementById("diagram");
  let L = layout(m, visible, room);
  if (L.width > room) L = layout(m, visible, room / SMALLEST);
  const scale = L.width > room && room >= SMALLEST * L.width - 1 ? room / L.width : 1;
  root.replaceChildren(markers());
  root.setAttribute("viewBox", `0 0 ${L.width} ${L.height}`);
  root.setAttribute("width", L.width * scale);
  root.setAttribute("height", L.height * scale);
  const lanes = document.getElementById("lanes");
  lanes.style.width = L.width * scale + "px";
  lanes.hidden = L.stacked;
  lanes.replaceChildren(...Object.entries(L.lane).map(([s, at]) => {
    const d = document.createElement("div");
    d.textContent = s === FINAL ? "final, after all" : s;
    d.style.cssText = `left:${at.x * scale}px;width:${at.width * scale}px`;
    return d;
  }));
  for (const at of L.stacked ? [] : Object.values(L.lane)) root.append(svg("rect", { class: "lane", x: at.x - 8, y: 0, width: at.width + 16, height: L.height, rx: 6 }));
  if (L.init) drawInit(root, m, L);
  for (const b of L.boxes.values()) {
    const box = svg("rect", { class: "txn " + m.byID[b.txn].status + (m.cyclic.has(b.txn) ? " cyclic" : ""), x: b.x, y: b.top, width: b.width, height: b.bottom - b.top, rx: 6, "data-txn": b.txn });
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
  const order = L.stacked ? [] : [...m.edges].sort((a, b) => a.cycle - b.cycle); // the cycle on top
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
  const y = L.place.get(r), at = L.lane[r.session], lines = L.lines.get(r), from = origin(m, r), last = lines.length - 1;
  const g = svg("g", { class: "row " + r.kind + (r.misses ? " misses" : "") + (r.step - 1 === m.leaves ? " breaks" : ""), "data-step": r.step },
    svg("rect", { class: "back", x: at.x + 2, y: y + 1, width: at.width - 4, height: ROW - 2 + last * LINE, rx: 4 }),
    svg("text", { y: y + 16 }, ...lines.map((text, i) => {
      const ends = from && i === last && text.endsWith(from.trim());
      return svg("tspan", { x: at.x + PAD, dy: i ? LINE : undefined }, ends ? text.slice(0, -from.trim().length) : text, ...(ends ? [svg("tspan", { class: "origin" }, from.trim())] : []));
    })));
  if (r.until && L.place.has(r.until)) g.append(svg("line", { class: "wait", x1: at.x, x2: at.x, y1: y + 4, y2: L.place.get(r.until) + ROW - 6 }));
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
