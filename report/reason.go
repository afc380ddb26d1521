package report

import (
	"cmp"
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program/behaviour"
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
	named *History
}

// explanation gives names to the explanation of a history that has been given names.
func (s Source) explanation(c Case, why *anomaly.Explanation, named *History) *Explanation {
	x := explainer{s, c.History, named.shortNames(), named}
	words := why.Words(c.History, x)
	story := anomaly.Schedule(c.History, c.Order)
	e := &Explanation{
		Allowed: levelNames(why.Allowed), Forbidden: levelNames(why.Forbidden),
		Words:          Words{Title: words.Title, Levels: words.Levels, Sentences: words.Sentences},
		FirstNonSerial: story.FirstNonSerial, Steps: x.steps(story), After: x.after(),
		Dependencies: x.edges(anomaly.Dependencies(c.History, s.Names.Key), 0),
	}
	if p := why.Proof; p != nil {
		e.ForbiddenBy = p.Level.String()
		e.Proof = x.proof(p)
		a := Anomaly(why.Anomaly)
		e.Anomaly = &a
		if p.Given { // which is not what makes the reads leave serial behaviour
			e.FirstNonSerial = -1
		}
	}
	return e
}

func levelNames(levels []isolation.Level) []string {
	names := []string{}
	for _, l := range levels {
		names = append(names, l.String())
	}
	return names
}

// after gives names to the values that keys may have when all has ended, sorted by
// key.
func (x explainer) after() []Last {
	var list []Last
	for _, last := range anomaly.LastWriters(x.h, x.Level) {
		l := Last{Key: x.Names.Key(last.Var)}
		for _, w := range last.Writers {
			by := Written{By: x.id(x.h, w)}
			by.Value, by.Text = x.value(anomaly.Written(x.h, w, last.Var))
			l.Values = append(l.Values, by)
		}
		list = append(list, l)
	}
	slices.SortStableFunc(list, func(a, b Last) int { return cmp.Compare(a.Key, b.Key) })
	return list
}

func (x explainer) proof(p *anomaly.Proof) Proof {
	out := Proof{Cycle: x.edges(p.Cycle, 0), Search: p.Exhausted}
	if s := p.Split; s != nil {
		out.Split = &Split{
			A: x.id(x.h, s.A), B: x.id(x.h, s.B), Key: x.Names.Key(s.Var), AFirst: x.proof(s.AFirst), BFirst: x.proof(s.BFirst),
		}
	}
	return out
}

func (x explainer) edges(edges []anomaly.Edge, depth int) []Dependency {
	var list []Dependency
	for _, e := range edges {
		list = append(list, x.edge(e, depth))
	}
	return list
}

func (x explainer) edge(e anomaly.Edge, depth int) Dependency {
	d := Dependency{Kind: e.Kind.String(), From: x.id(x.h, e.From), To: x.id(x.h, e.To)}
	if e.Var != anomaly.NoVar {
		d.Key = x.Names.Key(e.Var)
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

func (x explainer) steps(story *anomaly.Story) []Step {
	steps := []Step{}
	for _, s := range story.Steps {
		txn := &x.h.Txns[s.Txn]
		out := Step{Transaction: x.id(x.h, s.Txn), Op: "begin"}
		switch s.Op {
		case anomaly.Access:
			out.Op, out.Event = txn.Events[s.Event].Kind.String(), s.Event+1
		case anomaly.End:
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

// Txn, Session, Var and Value make an explainer an anomaly.Namer.
func (x explainer) Txn(t int) string { return x.names[x.id(x.h, t)] }

// Session is a session's name.
func (x explainer) Session(s int) string { return x.Names.SessionName(s) }

// Var is a key.
func (x explainer) Var(v behaviour.VarID) string { return x.Names.Key(v) }

// Value is a value as reports show it.
func (x explainer) Value(before, v behaviour.ValueID) string {
	return x.named.shown(changes(shown(x.value(before)), shown(x.value(v)), longFields))
}

// shortNames calls a transaction by its session, when it is the only one there,
// and else by its ID.
func (h *History) shortNames() map[string]string {
	count := map[string]int{}
	for _, t := range h.Transactions {
		count[t.Session]++
	}
	names := map[string]string{}
	for _, t := range h.Transactions {
		names[t.ID] = oneLine(t.ID)
		if count[t.Session] == 1 {
			names[t.ID] = oneLine(t.Session)
		}
	}
	return names
}
