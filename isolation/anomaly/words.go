package anomaly

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/semantics"
)

// Words puts the explanation of h into words.
func (e *Explanation) Words(h *semantics.History, n Namer) Words {
	w := Words{Levels: e.levels(), Title: e.Anomaly.Title()}
	if e.Proof != nil {
		w.Sentences = e.Proof.Sentences(h, n)
	}
	return w
}

// levels says which levels allow the history and which forbid it.
func (e *Explanation) levels() string {
	switch {
	case len(e.Forbidden) == 0:
		return "allowed at every level: isolation is not the cause, this history is serializable"
	case len(e.Allowed) == 0 && e.Proof.Given:
		return "forbidden at " + list(e.Forbidden)
	case len(e.Allowed) == 0:
		return "forbidden at every level"
	}
	return "allowed at " + list(e.Allowed) + "; forbidden at " + list(e.Forbidden)
}

func list(levels []isolation.Level) string {
	var names []string
	for _, l := range levels {
		names = append(names, l.String())
	}
	return strings.Join(names, ", ")
}

// Title is the name with the other names and Adya's class.
func (a Anomaly) Title() string {
	others := a.Aka
	if a.Class != "" && !strings.Contains(others, "G-") {
		others = strings.TrimPrefix(others+", "+a.Class, ", ")
	}
	if others == "" {
		return a.Name
	}
	return a.Name + " (" + others + ")"
}

// Sentences puts a proof into words: for a cycle its edges, then what follows.
func (p *Proof) Sentences(h *semantics.History, n Namer) []string {
	t := phrasing{h, n}
	switch {
	case p.Given:
		return t.versions(p)
	case p.BadRead != nil:
		return t.badRead(p.BadRead)
	case p.Exhausted:
		return []string{"No order of the transactions fits; there is no short argument, all orders were tried."}
	case p.Split != nil:
		return t.split(p)
	}
	sentences := t.cycle(p)
	if c := t.consequence(Name(h, p), p.Cycle); c != "" {
		sentences = append(sentences, c)
	}
	return append(sentences, t.conclusion(p))
}

// mostSentences bounds those about edges; longer cycles have several edges told
// in a sentence. It also bounds the edges told in a sentence.
const mostSentences = 3

func (t phrasing) cycle(p *Proof) []string {
	switch {
	case t.isLostUpdate(p.Cycle):
		return t.lostUpdate(p.Cycle)
	case p.Level.CausallyExtensible() && p.Cycle[0].Kind == RW:
		return t.oldRead(p.Cycle)
	}
	cycle := p.Cycle
	if len(cycle) > mostSentences { // a reader's two edges in one sentence
		cycle = slices.Concat(cycle[1:], cycle[:1])
	}
	per := (len(cycle) + mostSentences - 1) / mostSentences
	var sentences []string
	for edges := range slices.Chunk(cycle, per) {
		sentences = append(sentences, t.join(edges, t.edge)+".")
	}
	return sentences
}

// oldRead tells of a read of a value that the reader should know to be old.
func (t phrasing) oldRead(cycle []Edge) []string {
	old := cycle[0]
	first := fmt.Sprintf("%s and missed %s", t.read(old.Reader, old.Event), t.write(old.To, old.Var))
	return []string{first + t.later(old) + ".", "But " + t.join(cycle[1:], t.edge) + "."}
}

// join tells edges in one sentence, leaving out the middle of many.
func (t phrasing) join(edges []Edge, say func(Edge) string) string {
	var parts []string
	for i, e := range edges {
		if len(edges) > mostSentences && i >= mostSentences-1 && i < len(edges)-1 {
			if i == mostSentences-1 {
				parts = append(parts, "so on")
			}
			continue
		}
		parts = append(parts, say(e))
	}
	return strings.Join(parts, ", and ")
}

// consequence says what went wrong, where there is a plain way to say it.
func (t phrasing) consequence(a Anomaly, cycle []Edge) string {
	switch a {
	case withClass(fracturedRead, a):
		return fmt.Sprintf("So %s saw half of what %s wrote.", t.n.Txn(cycle[0].From), t.n.Txn(cycle[0].To))
	case withClass(ownWriteMissed, a):
		return fmt.Sprintf("So %s missed what its own session had written.", t.n.Txn(cycle[0].From))
	case withClass(nonMonotonicSession, a):
		return fmt.Sprintf("So session %s went back in time.", t.n.Session(t.h.Txns[cycle[0].From].Session))
	case withClass(causalityViolation, a), withClass(monotonicWrites, a), withClass(writesFollowReads, a):
		return fmt.Sprintf("So %s saw an effect of %s's write without the write itself.", t.n.Txn(cycle[0].From), t.n.Txn(cycle[0].To))
	case withClass(longFork, a):
		return "So the transactions saw the writes in different orders."
	case withClass(writeSkew, a):
		return "They wrote different variables, so snapshot isolation sees no conflict."
	}
	return ""
}

func withClass(a, b Anomaly) Anomaly {
	a.Class = b.Class
	return a
}

func (t phrasing) isLostUpdate(cycle []Edge) bool {
	return len(cycle) == 2 && cycle[0].Kind == RW && cycle[1].Var == cycle[0].Var && cycle[1].Kind != WR && cycle[1].Kind != SO
}

// lostUpdate tells of two transactions that write a variable at least one of
// which has read it before.
func (t phrasing) lostUpdate(cycle []Edge) []string {
	a, b, x := cycle[0].From, cycle[0].To, cycle[0].Var
	first := fmt.Sprintf("%s, from before %s, and wrote %s", t.read(cycle[0].Reader, cycle[0].Event), t.write(b, x), t.value(a, x))
	if r, ok := t.reads(b, x, t.h.Txns[a].Events[cycle[0].Event].From); ok {
		second := fmt.Sprintf("%s read the same %s, and wrote %s", t.n.Txn(b), t.about(b, r), t.value(b, x))
		return []string{
			fmt.Sprintf("%s, and wrote %s.", t.read(cycle[0].Reader, cycle[0].Event), t.value(a, x)), second + ".",
			"Whoever wrote last overwrote the other's write without having seen it.",
		}
	}
	return []string{first + ".", fmt.Sprintf("So %s overwrites %s without having seen it, or the other way round.", t.n.Txn(a), t.write(b, x))}
}

// split tells of a case distinction.
func (t phrasing) split(p *Proof) []string {
	s := p.Split
	a, b, x := t.n.Txn(s.A), t.n.Txn(s.B), t.n.Var(s.Var)
	return []string{
		fmt.Sprintf("Either %s or %s was the first to write %s, and neither is possible.", a, b, x),
		fmt.Sprintf("If %s was: %s.", a, t.branch(s.AFirst)),
		fmt.Sprintf("If %s was: %s.", b, t.branch(s.BFirst)),
		t.conclusion(p),
	}
}

func (t phrasing) branch(p *Proof) string {
	if len(p.Cycle) == 0 {
		return "further cases, each of them impossible"
	}
	say := t.clause
	if len(p.Cycle) == 2 {
		say = t.edge
	}
	return t.join(p.Cycle, say)
}

func (t phrasing) badRead(b *BadRead) []string {
	e := t.h.Txns[b.Reader].Events[b.Event]
	if e.From < 0 || e.From >= len(t.h.Txns) {
		return []string{fmt.Sprintf("%s reads %s from nowhere.", t.n.Txn(b.Reader), t.n.Var(e.Var))}
	}
	return []string{fmt.Sprintf("%s, but %s has not committed a write of %s.", t.read(b.Reader, b.Event), t.n.Txn(e.From), t.n.Var(e.Var))}
}

// conclusion says what the level asks for.
func (t phrasing) conclusion(p *Proof) string {
	if len(p.Cycle) > 0 && basic(p.Cycle) {
		return "So each comes after itself, which no level allows."
	}
	switch p.Level {
	case isolation.RC:
		return "At read committed, who has read from a transaction no longer reads what that one has overwritten."
	case isolation.RA:
		return "At read atomic, a transaction sees all or nothing of another one, and all of those before it in its session."
	case isolation.CC:
		return "At causal consistency, who sees something also sees all that came before it."
	case isolation.PC:
		return "At prefix consistency, all transactions read prefixes of one order of commits."
	case isolation.SI:
		return "At snapshot isolation, of two transactions that write the same variable the later one sees the earlier one's write."
	}
	switch n := len(p.Cycle); {
	case n == 2:
		return "So each of the two must come before the other, and neither can come first."
	case n > 2:
		return fmt.Sprintf("So each of the %s must come before the next, in a circle, and none can come first.", number(n))
	}
	return "So no serial order is possible."
}

// basic reports whether all edges are so or wr.
func basic(edges []Edge) bool {
	return !slices.ContainsFunc(edges, func(e Edge) bool { return e.Reason != nil })
}

func number(n int) string {
	if words := [...]string{"two", "three", "four", "five", "six", "seven", "eight", "nine"}; n-2 < len(words) {
		return words[n-2]
	}
	return fmt.Sprint(n)
}
