package report

import (
	"cmp"
	"fmt"
	"strings"
)

// DOT writes violations in the language of Graphviz, a graph each: transactions
// are nodes with their operations, sessions are clusters, and the cycle stands
// out. What it says besides is in comments.
type DOT struct {
	Text  Text // says the results
	count int
}

// Result is a result as a comment.
func (d *DOT) Result(r *Result) string { return "// " + d.Text.Result(r) }

// Violation is a violation as a graph.
func (d *DOT) Violation(v *Violation) string {
	d.count++
	if len(v.Schedule) > 0 {
		return d.execution(v)
	}
	g := &graph{v: v, names: v.History.shortNames(), nodes: map[string]string{}, seen: map[string]int{}}
	g.begin(d.count, g.title())
	g.sessions()
	g.edges()
	g.b.WriteString("}\n")
	return g.b.String()
}

// begin writes the head of a graph.
func (g *graph) begin(number int, title string) {
	fmt.Fprintf(&g.b, "digraph violation%d {\n", number)
	fmt.Fprintf(&g.b, "\tgraph [rankdir=TB, compound=true, newrank=true, fontname=\"Helvetica\", labelloc=t, label=%s];\n", quote(title))
	g.b.WriteString("\tnode [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Courier\", fontsize=10];\n")
	g.b.WriteString("\tedge [fontname=\"Courier\", fontsize=9];\n")
}

// graph is a graph as it is written.
type graph struct {
	v     *Violation
	names map[string]string
	b     strings.Builder
	nodes map[string]string // node by transaction
	list  []Dependency
	cycle []bool         // by index in list
	seen  map[string]int // index in list
}

func (g *graph) title() string {
	lines := []string{g.v.Program + " at " + g.v.Iso}
	for _, f := range g.v.Failures {
		lines = append(lines, oneLine(f.Message))
	}
	if e := g.v.Explanation; e != nil {
		if e.Words.Title != "" {
			lines = append(lines, e.Words.Title)
		}
		lines = append(lines, e.Words.Levels)
	}
	return strings.Join(lines, "\n")
}

// sessions writes the nodes, those of a session together.
func (g *graph) sessions() {
	inside := ""
	for i, t := range g.v.History.Transactions {
		g.nodes[t.ID] = fmt.Sprintf("t%d", i)
		if inside != "" && inside != t.Session {
			g.b.WriteString("\t}\n")
		}
		if t.Session != inside && t.ID != initial {
			fmt.Fprintf(&g.b, "\tsubgraph cluster_%d {\n\t\tgraph [style=rounded, color=gray, label=%s];\n", i, quote(t.Session))
			inside = t.Session
		}
		style := ""
		if t.Status == "aborted" {
			style = ", style=\"rounded,filled,dashed\""
		}
		fmt.Fprintf(&g.b, "\t\tt%d [label=%s%s];\n", i, g.node(&g.v.History.Transactions[i]), style)
	}
	if inside != "" {
		g.b.WriteString("\t}\n")
	}
}

// node is the label of a transaction, its lines on the left.
func (g *graph) node(t *Transaction) string {
	names := g.names
	lines := []string{strings.TrimSpace(names[t.ID] + " " + t.Name)}
	if t.ID == initial {
		lines[0] = initial
	}
	if len(t.Statements) > 0 {
		for _, r := range g.v.whole(t) {
			s := r.op
			if r.from != "" {
				s += " ← " + cmp.Or(names[r.from], "own write")
			}
			lines = append(lines, oneLine(s))
		}
	}
	for _, e := range t.Events {
		if len(t.Statements) > 0 || t.ID == initial && g.v.History.spoken() && e.plain() {
			continue
		}
		s := e.text()
		switch e.From {
		case "":
		case own:
			s += " ← own write"
		default:
			s += " ← " + names[e.From]
		}
		lines = append(lines, oneLine(s))
	}
	if t.ID != initial {
		lines = append(lines, oneLine(t.end()))
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(escaped(l) + `\l`) // the line stands on the left
	}
	return `"` + b.String() + `"`
}

// edges writes the dependencies: session order and write-read of the history,
// what they imply, and the cycle.
func (g *graph) edges() {
	if e := g.v.Explanation; e != nil {
		g.proof(e.Proof)
	}
	last, closing := map[string]string{}, ""
	for _, t := range g.v.History.Transactions {
		if before := last[t.Session]; before != "" {
			g.add(Dependency{Kind: "so", From: before, To: t.ID}, false)
		} else if t.Session == final {
			closing = t.ID
		}
		last[t.Session] = t.ID
	}
	for _, t := range g.v.History.Transactions {
		if closing != "" && t.ID != initial && t.Session != final && last[t.Session] == t.ID {
			g.add(Dependency{Kind: "so", From: t.ID, To: closing}, false)
		}
	}
	for _, e := range g.v.History.WR {
		g.add(Dependency{Kind: "wr", From: e.From, To: e.To, Key: e.Key}, false)
	}
	if e := g.v.Explanation; e != nil {
		for _, d := range e.Dependencies {
			g.add(d, false)
		}
	}
	for i, d := range g.list {
		fmt.Fprintf(&g.b, "\t%s -> %s [label=%s, %s];\n", g.nodes[d.From], g.nodes[d.To], quote(strings.TrimSpace(d.Kind+" "+d.Key)), style(d.Kind, g.cycle[i]))
	}
}

// proof adds the cycles of a proof.
func (g *graph) proof(p Proof) {
	for _, d := range p.Cycle {
		g.add(d, true)
	}
	if p.Split != nil {
		g.proof(p.Split.AFirst)
		g.proof(p.Split.BFirst)
	}
}

// add adds an edge once, as one of the cycle if it ever is.
func (g *graph) add(d Dependency, cycle bool) {
	id := strings.Join([]string{d.Kind, d.From, d.To, d.Key}, "\x00")
	if i, ok := g.seen[id]; ok {
		g.cycle[i] = g.cycle[i] || cycle
		return
	}
	g.seen[id] = len(g.list)
	g.list = append(g.list, d)
	g.cycle = append(g.cycle, cycle)
}

// style tells the kinds of edges apart, in print too.
func style(kind string, cycle bool) string {
	s := map[string]string{
		"so": `color="gray50", fontcolor="gray50", style="dotted"`,
		"wr": `color="dodgerblue3", fontcolor="dodgerblue3", style="solid"`,
		"ww": `color="darkorange3", fontcolor="darkorange3", style="solid"`,
		"rw": `color="crimson", fontcolor="crimson", style="dashed"`,
	}[kind]
	if cycle {
		return s + ", penwidth=3"
	}
	return s + ", constraint=" + fmt.Sprint(kind != "rw")
}

// quote makes a string of Graphviz; in labels a line break is \n.
func quote(s string) string { return `"` + escaped(s) + `"` }

func escaped(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "", "\n", `\n`).Replace(s)
}
