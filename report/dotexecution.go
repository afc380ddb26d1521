package report

import (
	"fmt"
	"strings"
)

// execution is a violation under a database's model as a graph. A session is a cluster. Its
// operations are nodes, one below the other, in the order in which they ran. Edges lead from
// what ends a wait to the operation that goes on.
func (d *DOT) execution(v *Violation) string {
	g := &graph{v: v}
	lines := []string{v.Program + " at " + title(v.Iso)}
	for _, f := range v.Failures {
		lines = append(lines, oneLine(f.Message))
	}
	if s := v.prevented(); s != "" {
		lines = append(lines, s)
	}
	g.begin(d.count, strings.Join(lines, "\n"))
	var sessions []string
	rows := map[string][]int{}
	for i := range v.Schedule {
		s := v.Schedule[i].Session
		if len(rows[s]) == 0 {
			sessions = append(sessions, s)
		}
		rows[s] = append(rows[s], i)
	}
	for c, s := range sessions {
		g.lane(c, s, rows[s])
	}
	g.order()
	g.b.WriteString("}\n")
	return g.b.String()
}

// lane writes the operations of a session.
func (g *graph) lane(number int, session string, rows []int) {
	fmt.Fprintf(&g.b, "\tsubgraph cluster_%d {\n\t\tgraph [style=rounded, color=gray, label=%s];\n", number, quote(session))
	for _, i := range rows {
		s := &g.v.Schedule[i]
		style := ""
		switch {
		case s.Error != "":
			style = `, color="crimson", fontcolor="crimson"`
		case s.What == StepWaits:
			style = `, style="rounded,filled,dashed"`
		}
		fmt.Fprintf(&g.b, "\t\to%d [label=%s%s];\n", i, quote(strings.Join(append([]string{fmt.Sprintf("%d  %s", s.Step, oneLine(s.Text()))}, s.Rows...), "\n")), style)
	}
	g.b.WriteString("\t}\n")
}

// order writes the edges: time, which is not drawn, a session's order, and the ends of
// waits.
func (g *graph) order() {
	last, ran := map[string]int{}, -1
	for i := range g.v.Schedule {
		s := &g.v.Schedule[i]
		if i > 0 {
			fmt.Fprintf(&g.b, "\to%d -> o%d [style=\"invis\"];\n", i-1, i)
		}
		if before, begun := last[s.Session]; begun {
			fmt.Fprintf(&g.b, "\to%d -> o%d [label=\"\", %s];\n", before, i, style("so", false))
		}
		if s.What == StepGoesOn && s.After != "" && ran >= 0 {
			fmt.Fprintf(&g.b, "\to%d -> o%d [label=\"ends the wait\", %s];\n", ran, i, style("wr", false))
		}
		if last[s.Session] = i; s.What == StepRan {
			ran = i
		}
	}
}
