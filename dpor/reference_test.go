package dpor_test

import (
	"strings"

	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// behaviourOf returns what a test program does, for the reference to enumerate its
// histories.
func behaviourOf(p *prog) *reference.Program {
	all := p.all()
	b := &reference.Program{Sessions: len(all), Final: -1, Initial: func(int) int { return 0 }}
	if len(p.final) > 0 {
		b.Final = len(all) - 1
	}
	b.Run = func(s int, before []reference.Log, answers []int) reference.Run {
		t, regs := nextTxn(all[s], before)
		if t == nil {
			return reference.Run{None: true}
		}
		m := interpret(t.body, regs, answers)
		return reference.Run{Log: reference.Log{Status: m.status, Steps: m.steps}, Asks: m.asks}
	}
	return b
}

// nextTxn returns the transaction that takes place after the logs of a session, or
// nil, and the session's state then.
func nextTxn(txns []txn, before []reference.Log) (*txn, registers) {
	var regs registers
	for i := range txns {
		if when := txns[i].when; when != nil && !when.holds(regs.last) {
			continue
		}
		if len(before) == 0 {
			return &txns[i], regs
		}
		regs.replay(before[0])
		before = before[1:]
	}
	return nil, regs
}

// replay follows a transaction that has taken place.
func (r *registers) replay(l reference.Log) {
	for _, s := range l.Steps {
		if !s.Write {
			r.last = s.Val
			r.sum += s.Val
		}
	}
}

// histories returns the complete histories of p, or nil when there are more than
// limit at some length.
func histories(p *prog, limit int) map[string]*reference.History {
	return behaviourOf(p).Histories(limit, nil)
}

// toReference reads a history of the engine as one of the reference.
func toReference(h *semantics.History, client *program.Client) (*reference.History, error) {
	return reference.Of(h, func(x behaviour.VarID) int { return strings.Index(variables, client.Key(x)) },
		func(v behaviour.ValueID) int { return client.Value(v).(int) })
}
