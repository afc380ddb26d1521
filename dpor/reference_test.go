package dpor_test

import (
	"fmt"
	"slices"
	"strings"
)

// The reference enumerates the histories of a test program by brute force: all
// serial orders of the transactions that keep session order, every external read
// reading from any earlier committed writer. These are all histories whose so ∪ wr
// is acyclic (PLDI 2023, section 2): each has a topological order, and each serial
// order gives one. It shares no code with the engine.

// txnID names a transaction: its session, and its position among those of the
// session that took place.
type txnID struct{ session, index int }

// initID is the initial transaction, which writes 0 to every variable.
var initID = txnID{-1, 0}

// txnLog is what a transaction did.
type txnLog struct {
	status status
	steps  []step
}

// written returns the value of v that the transaction makes visible.
func (l *txnLog) written(v int) (int, bool) {
	val, ok := 0, false
	for _, s := range l.steps {
		if s.write && s.v == v && l.status == committed {
			val, ok = s.val, true
		}
	}
	return val, ok
}

// refHistory is a history: the logs of each session in session order. The session
// final, when not -1, comes after all others in session order.
type refHistory struct {
	sessions [][]txnLog
	final    int
}

// String is the canonical form: equal for equal histories, different for
// different ones.
func (h *refHistory) String() string { return h.renamed(func(s int) int { return s }) }

// renamed is the canonical form of the history whose session s is called name(s).
func (h *refHistory) renamed(name func(int) int) string {
	sessions := make([]string, len(h.sessions))
	for i, logs := range h.sessions {
		var b strings.Builder
		for _, l := range logs {
			b.WriteString(string(l.status[0]))
			for _, s := range l.steps {
				switch {
				case s.write:
					fmt.Fprintf(&b, " w%c%d", variables[s.v], s.val)
				case s.own:
					fmt.Fprintf(&b, " r%c%d", variables[s.v], s.val)
				case s.from == initID:
					fmt.Fprintf(&b, " r%c%d<init", variables[s.v], s.val)
				default:
					fmt.Fprintf(&b, " r%c%d<%d.%d", variables[s.v], s.val, name(s.from.session), s.from.index)
				}
			}
			b.WriteString("; ")
		}
		sessions[name(i)] = b.String()
	}
	return strings.Join(sessions, "| ")
}

// writers returns the committed transactions that write v, with their values.
func (h *refHistory) writers(v int) (ids []txnID, vals []int) {
	ids, vals = []txnID{initID}, []int{0}
	for s, logs := range h.sessions {
		for i := range logs {
			if val, ok := logs[i].written(v); ok {
				ids, vals = append(ids, txnID{s, i}), append(vals, val)
			}
		}
	}
	return ids, vals
}

// configuration is a history of whole transactions and how far its sessions have
// come in the program.
type configuration struct {
	refHistory
	next []int // by session: index in the program of the next transaction
	regs []registers
}

func start(p *prog) *configuration {
	n := len(p.all())
	c := &configuration{refHistory{make([][]txnLog, n), -1}, make([]int, n), make([]registers, n)}
	if len(p.final) > 0 {
		c.final = n - 1
	}
	for s := range n {
		c.skip(p, s)
	}
	return c
}

// skip passes over the transactions of session s that do not take place.
func (c *configuration) skip(p *prog, s int) {
	txns := p.all()[s]
	for c.next[s] < len(txns) && txns[c.next[s]].when != nil && !txns[c.next[s]].when.holds(c.regs[s].last) {
		c.next[s]++
	}
}

// startable returns the sessions whose next transaction may start.
func (c *configuration) startable(p *prog) []int {
	var list []int
	for s, txns := range p.all() {
		if c.next[s] < len(txns) && (s != c.final || len(list) == 0) {
			list = append(list, s)
		}
	}
	return list
}

// extend returns c with the next transaction of session s run in all ways.
func (c *configuration) extend(p *prog, s int) []*configuration {
	var all []*configuration
	c.run(p, s, func(m *machine, from []txnID) {
		if m.status == pending {
			return
		}
		d := &configuration{refHistory{slices.Clone(c.sessions), c.final}, slices.Clone(c.next), slices.Clone(c.regs)}
		d.sessions[s] = append(d.sessions[s][:len(d.sessions[s]):len(d.sessions[s])], m.log(from))
		d.regs[s] = m.regs
		d.next[s]++
		d.skip(p, s)
		all = append(all, d)
	})
	return all
}

// run runs the next transaction of session s and calls visit at each external read
// and at the end, with the sources of the external reads so far.
func (c *configuration) run(p *prog, s int, visit func(m *machine, from []txnID)) {
	var rec func(from []txnID, answers []int)
	rec = func(from []txnID, answers []int) {
		m := interpret(p.all()[s][c.next[s]].body, c.regs[s], answers)
		visit(m, from)
		if m.status != pending {
			return
		}
		ids, vals := c.writers(m.asks)
		for i := range ids {
			rec(append(from[:len(from):len(from)], ids[i]), append(answers[:len(answers):len(answers)], vals[i]))
		}
	}
	rec(nil, nil)
}

// log is the machine's transaction log.
func (m *machine) log(from []txnID) txnLog {
	l := txnLog{m.status, slices.Clone(m.steps)}
	for i := range l.steps {
		if s := &l.steps[i]; !s.write && !s.own {
			s.from, from = from[0], from[1:]
		}
	}
	return l
}

// histories returns the complete histories of p by canonical form. Serial orders
// that have led to the same history go on in the same ways, so that the search
// keeps one of them at each length. It gives up, returning nil, when one length
// has more than limit histories; 0 means no limit.
func histories(p *prog, limit int) map[string]*refHistory {
	complete := map[string]*refHistory{}
	level := map[string]*configuration{"": start(p)}
	for len(level) > 0 {
		longer := map[string]*configuration{}
		for _, c := range level {
			sessions := c.startable(p)
			if len(sessions) == 0 {
				complete[c.String()] = &c.refHistory
			}
			for _, s := range sessions {
				for _, d := range c.extend(p, s) {
					longer[d.String()] = d
				}
				if limit > 0 && len(longer) > limit {
					return nil
				}
			}
		}
		level = longer
	}
	return complete
}

// historiesLiteral is histories without keeping one of equals.
func historiesLiteral(p *prog) map[string]*refHistory {
	complete := map[string]*refHistory{}
	var rec func(c *configuration)
	rec = func(c *configuration) {
		sessions := c.startable(p)
		if len(sessions) == 0 {
			complete[c.String()] = &c.refHistory
		}
		for _, s := range sessions {
			for _, d := range c.extend(p, s) {
				rec(d)
			}
		}
	}
	rec(start(p))
	return complete
}
