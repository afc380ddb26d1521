package replay

import (
	"fmt"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/semantics"
)

// Run replays a violation in the client and judges it at a level. An error is
// one of the client program, or says that the violation is no history.
func Run(client *program.Client, pkg string, saved *report.Violation, level isolation.Level) (*report.Replay, error) {
	defer client.Park()
	if saved.Unasserted() {
		client.CheckSerial()
	}
	out := &report.Replay{
		Type: report.TypeReplay, Schema: report.Schema, Package: pkg, Program: client.Name, Iso: level.String(),
	}
	if level.Database() != isolation.NoDatabase {
		return executes(client, saved, report.Source{Package: pkg, Program: client.Name, Level: level, Names: client}, out)
	}
	p, found, err := replayed(client, saved)
	if err != nil {
		return nil, err
	}
	if out.Steps = p.steps; p.difference != nil {
		out.Verdict, out.Difference = report.Differs, p.difference
		return out, nil
	}
	src := report.Source{Package: pkg, Program: client.Name, Level: level, Names: client}
	now := src.Violation(report.Case(*found))
	if d := observed(saved, now); d != nil {
		out.Verdict, out.Difference = report.Differs, d
		return out, nil
	}
	out.Violation = now
	switch {
	case !isolation.Satisfies(found.History, level):
		out.Verdict = report.Forbidden
	case len(found.Failures) == 0:
		out.Verdict = report.AssertionHolds
	default:
		out.Verdict, out.Other = report.Reproduced, !Again(saved.Failures, out.Violation.Failures)
	}
	return out, nil
}

// Again reports whether one of the assertions that failed then fails now.
func Again(then, now []report.Failure) bool {
	for _, f := range then {
		for _, g := range now {
			if f.Kind == g.Kind && f.Name == g.Name && f.Session == g.Session && f.Transaction == g.Transaction {
				return true
			}
		}
	}
	return len(then) == 0
}

// replayer drives the client.
type replayer struct {
	client   *program.Client
	saved    *report.Violation
	h        *semantics.Ordered
	txns     map[string]*report.Transaction // by ID
	at       map[string]int                 // by ID: position in h
	sessions map[string]int                 // by name

	steps      int
	difference *report.Difference // where the replay stopped
}

func newReplayer(client *program.Client, saved *report.Violation) *replayer {
	return &replayer{
		client: client, saved: saved, h: &semantics.Ordered{},
		txns: map[string]*report.Transaction{}, at: map[string]int{"init": 0}, sessions: map[string]int{},
	}
}

// run runs the transactions in the recorded order.
func (p *replayer) run() (*dpor.Found, error) {
	roots := make([]*behaviour.Node, p.client.Sessions())
	for i := range roots {
		root, err := p.client.Root(i)
		if err != nil {
			return nil, err
		}
		roots[i] = root
		p.sessions[p.client.SessionName(i)] = i
	}
	p.h.Reset(len(roots), p.client.Final(), roots)
	for i := range p.saved.History.Transactions {
		t := &p.saved.History.Transactions[i]
		p.txns[t.ID] = t
	}
	for _, id := range p.saved.Order {
		if id == "init" {
			continue
		}
		if err := p.transaction(id); err != nil || p.difference != nil {
			return nil, err
		}
	}
	if len(p.at) != len(p.txns) {
		return nil, fmt.Errorf("the file is damaged: its order lists %d of %d transactions", len(p.at), len(p.txns))
	}
	if p.rest(); p.difference != nil {
		return nil, nil
	}
	return swap.Judged(p.client, p.h)
}

// rest looks whether every session has ended where it had.
func (p *replayer) rest() {
	for i := range p.h.Sessions() {
		n := p.h.Node(i)
		if n.Dropped {
			p.difference = &report.Difference{
				Session: p.client.SessionName(i), Recorded: "end of the session",
				Now: "an assumption does not hold, so that the history does not count",
			}
			return
		}
		if n.Kind != behaviour.End {
			op := begins(n)
			p.difference = &report.Difference{
				Session: p.client.SessionName(i), Recorded: "end of the session",
				Now: "begin " + op.Text, NowAt: p.client.Location(op.Loc).String(),
			}
			return
		}
	}
}

// begins is the event that begins a transaction at n.
func begins(n *behaviour.Node) behaviour.Event {
	for _, e := range n.Events {
		if e.Kind == behaviour.BeginEvent {
			return e
		}
	}
	return behaviour.Event{}
}
