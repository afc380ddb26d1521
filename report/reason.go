package report

import (
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report/explain"
	"github.com/txmc/txmc/semantics"
)

// mostNested bounds the depth to which reasons of reasons are written out, as a
// proof shares them and a tree does not.
const mostNested = 3

// explainer gives names to the explanation of a history.
type explainer struct {
	Source
	h     *semantics.History
	names map[string]string // short names by ID
}

// explanation explains a history that has been given names.
func (s Source) explanation(f *dpor.Found, named *History) (e *Explanation, cause string) {
	x := explainer{s, f.History, named.shortNames()}
	found := explain.Explain(f.History)
	words := found.Words(f.History, x)
	story := explain.Tell(f.History, f.Order)
	e = &Explanation{
		Allowed: []string{}, Forbidden: []string{},
		Words:  Words{Title: words.Title, Levels: words.Levels, Sentences: words.Sentences},
		Leaves: story.Leaves, Steps: x.steps(story), Dependencies: x.dependencies(), After: x.after(),
	}
	for _, l := range found.Allowed {
		e.Allowed = append(e.Allowed, l.String())
	}
	for _, l := range found.Forbidden {
		e.Forbidden = append(e.Forbidden, l.String())
	}
	if found.Proof != nil {
		e.ForbiddenBy = found.Proof.Level.String()
		e.Proof = x.proof(found.Proof)
		a := Anomaly(found.Anomaly)
		e.Anomaly = &a
	}
	return e, s.cause(f, found)
}

func (x explainer) proof(p *explain.Proof) Proof {
	out := Proof{Cycle: x.edges(p.Cycle, 0), Search: p.Exhausted}
	if s := p.Split; s != nil {
		out.Split = &Split{
			A: x.id(x.h, s.A), B: x.id(x.h, s.B), Key: x.namer().Key(s.Var), AFirst: x.proof(s.AFirst), BFirst: x.proof(s.BFirst),
		}
	}
	return out
}

func (x explainer) edges(edges []explain.Edge, depth int) []Dependency {
	var list []Dependency
	for _, e := range edges {
		list = append(list, x.edge(e, depth))
	}
	return list
}

func (x explainer) edge(e explain.Edge, depth int) Dependency {
	d := Dependency{Kind: e.Kind.String(), From: x.id(x.h, e.From), To: x.id(x.h, e.To)}
	if e.Var != explain.NoVar {
		d.Key = x.namer().Key(e.Var)
	}
	if e.Reader >= 0 {
		d.Reader, d.Event = x.id(x.h, e.Reader), e.Event+1
	}
	if r := e.Reason; r != nil && depth < mostNested {
		d.Reason = &Reason{Rule: r.Rule.String(), Premise: x.edges(r.Premise, depth+1)}
		if r.Source >= 0 {
			d.Reason.Source = x.id(x.h, r.Source)
		}
	}
	return d
}

func (x explainer) steps(story *explain.Story) []Step {
	steps := []Step{}
	for _, s := range story.Steps {
		txn := &x.h.Txns[s.Txn]
		out := Step{Transaction: x.id(x.h, s.Txn), Op: "begin"}
		switch s.Op {
		case explain.Access:
			out.Op, out.Event = txn.Events[s.Event].Kind.String(), s.Event+1
		case explain.End:
			out.Op = "commit"
			if txn.Status == semantics.Aborted {
				out.Op = "abort"
			}
		}
		if s.Misses >= 0 {
			out.Misses = x.id(x.h, s.Misses)
		}
		steps = append(steps, out)
	}
	return steps
}

// Txn, Session, Var and Value make an explainer an explain.Namer.
func (x explainer) Txn(t int) string { return x.names[x.id(x.h, t)] }

// Session is a session's name.
func (x explainer) Session(s int) string { return x.namer().SessionName(s) }

// Var is a key.
func (x explainer) Var(v program.VarID) string { return x.namer().Key(v) }

// Value is a value as reports show it.
func (x explainer) Value(v program.ValueID) string { return shown(x.value(v)) }

// shortNames calls a transaction by its session, when it is the only one there,
// and else by its ID.
func (h *History) shortNames() map[string]string {
	count := map[string]int{}
	for _, t := range h.Transactions {
		count[t.Session]++
	}
	names := map[string]string{}
	for _, t := range h.Transactions {
		names[t.ID] = t.ID
		if count[t.Session] == 1 {
			names[t.ID] = t.Session
		}
	}
	return names
}

// visible returns by variable the committed transactions that write it.
func (x explainer) visible() map[program.VarID][]int {
	writers := map[program.VarID][]int{}
	for t := 1; t < len(x.h.Txns); t++ {
		if x.h.Txns[t].Status != semantics.Committed {
			continue
		}
		for _, w := range semantics.LastWrites(&x.h.Txns[t]) {
			writers[w.Var] = append(writers[w.Var], t)
		}
	}
	return writers
}

// causes is the transitive closure of session order and write-read: whether
// a comes before b.
func (x explainer) causes() [][]bool {
	n := len(x.h.Txns)
	before := make([][]bool, n)
	for a := range before {
		before[a] = make([]bool, n)
		for b := 1; b < n; b++ {
			s, t := &x.h.Txns[a], &x.h.Txns[b]
			before[a][b] = a == 0 || a != b && (s.Session == t.Session && s.Index < t.Index || t.Session == x.h.Final && s.Session != t.Session)
		}
	}
	for b := 1; b < n; b++ {
		for _, e := range x.h.Txns[b].Events {
			if e.Kind == semantics.Read && e.From > 0 {
				before[e.From][b] = true
			}
		}
	}
	for k := range n {
		for a := range n {
			if before[a][k] {
				for b := range n {
					before[a][b] = before[a][b] || before[k][b]
				}
			}
		}
	}
	return before
}

// sortByKey orders things that name a key.
func sortByKey[T any](list []T, key func(T) string) {
	slices.SortStableFunc(list, func(a, b T) int {
		switch {
		case key(a) < key(b):
			return -1
		case key(a) > key(b):
			return 1
		}
		return 0
	})
}
