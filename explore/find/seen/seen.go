// Package seen makes transactions of what calls have sent when they ran.
//
// Statements that libraries make at run time are in no source. A call is run by itself, with
// different arguments and rows, and what it sends is put together: statements at the same line
// that do the same are one. A parameter is taken for an argument of the call when it has
// followed that argument's value through runs in which the value differed. It is taken for a
// constant when it was the same in all runs, whatever else changed. Nothing is known of other
// parameters, nor of the conditions under which a statement is sent.
package seen

import (
	"slices"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/program/rows"
)

// Run is what a call has sent, and its arguments by their paths, as texts.
type Run struct {
	Given map[string]string
	Sent  []rows.Sent
}

// Analyse says what a statement does.
type Analyse func(sql string) (*access.Effect, error)

// Call is a call with its runs.
type Call struct {
	*source.Call
	static  []*source.Transaction // what the source tells
	of      map[*source.Transaction][]*source.Statement
	runs    []Run
	Effects map[*source.Statement]*access.Effect // of the statements that were seen
	Unknown []source.Problem                     // statements that were seen and are not understood, of each line the first
	Sent    map[string]bool                      // lines of what was seen and is understood
}

// New is a call of which nothing was seen yet.
func New(c *source.Call) *Call {
	s := &Call{Call: c, static: slices.Clone(c.Transactions), of: map[*source.Transaction][]*source.Statement{}}
	for _, t := range c.Transactions {
		s.of[t] = slices.Clone(t.Statements)
	}
	return s
}

// Add adds runs, and makes the call's transactions anew. It reports whether there are statements
// that were not there before.
func (c *Call) Add(runs []Run, analyse Analyse) (more bool) {
	before := c.count()
	c.runs = append(c.runs, runs...)
	c.Effects, c.Unknown, c.Sent = map[*source.Statement]*access.Effect{}, nil, map[string]bool{}
	m := &merger{Call: c, analyse: analyse}
	for _, t := range c.static {
		m.list = append(m.list, m.known(t))
	}
	for n, r := range c.runs {
		m.run(n, r)
	}
	c.Transactions = nil
	for _, t := range m.list {
		if len(t.statements) > 0 {
			c.Transactions = append(c.Transactions, t.made(c))
		}
	}
	return c.count() > before
}

func (c *Call) count() (n int) {
	for _, t := range c.Transactions {
		n += len(t.Statements)
	}
	return n
}

// merger puts runs together.
type merger struct {
	*Call
	analyse Analyse
	list    []*transaction
}

// transaction is one that was seen, or is known from the source.
type transaction struct {
	*source.Transaction
	statements []*statement
}

// statement is one that was seen, or is known from the source.
type statement struct {
	*source.Statement
	effect *access.Effect // of the first that was seen
	key    string
	seen   []seen
	same   map[int]int // parameters by the slots that are theirs
}

// seen is a statement of a run.
type seen struct {
	run, instance int // of the transaction
	args          []string
	slots         []string // what columns are bound to, and set to
	given         map[string]string
}

// known is a transaction of the source.
func (m *merger) known(t *source.Transaction) *transaction {
	k := &transaction{Transaction: t}
	for _, s := range m.of[t] {
		k.statements = append(k.statements, &statement{Statement: s})
	}
	return k
}

// run adds a run.
func (m *merger) run(number int, r Run) {
	w := &walk{merger: m, run: r, number: number}
	for _, s := range r.Sent {
		w.sent(s)
	}
}
