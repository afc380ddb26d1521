package replay

import (
	"errors"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/semantics"
)

// The scans of a program in SQL read the rows that are known, in the order in which
// they became known. An exploration may have known other rows than the replay does:
// those that it met at other levels, or on other ways. A row that is not there in
// the history at all may be read or not. What is read in one scan has no order.

// maxRounds bounds how often a replay begins again as rows become known.
const maxRounds = 1_000

// replayed replays a violation, from the beginning again as long as rows become
// known.
func replayed(client *program.Client, saved *report.Violation) (*replayer, *dpor.Found, error) {
	for round := 0; ; round++ {
		if client.Again() != nil {
			if err := client.Renew(); err != nil {
				return nil, nil, err
			}
		}
		p := newReplayer(client, saved)
		found, err := p.run()
		again := errors.Is(err, program.ErrAgain) || client.Again() != nil
		switch {
		case !again:
			return p, found, err
		case round == maxRounds:
			return nil, nil, client.Endless(round)
		}
	}
}

// scan makes the read of a key the next recorded event. A read that comes later among
// the reads is put first. A read of a row that was not read, and is not there, is
// added.
func (s *script) scan(n *behaviour.Node) {
	c, at := s.p.client, s.done-1
	if !c.UsesBackend() || at < 0 || at > len(s.txn.Events) {
		return
	}
	key := c.Key(n.Var)
	for i, e := range s.txn.Events[at:] {
		if e.Op != semantics.Read.String() || e.From == "own" {
			break
		}
		if e.Key == key {
			copy(s.txn.Events[at+1:at+i+1], s.txn.Events[at:at+i])
			s.txn.Events[at] = e
			return
		}
	}
	if c.Value(c.Initial(n.Var)) == nil {
		s.txn.Events = slices.Insert(s.txn.Events, at, report.Event{Op: semantics.Read.String(), Key: key, From: "init", Lock: n.Lock})
	}
}

// pass passes over recorded reads of rows that are not there.
func (s *script) pass() {
	if !s.p.client.UsesBackend() {
		return
	}
	for e := s.next(); e != nil && e.From == "init" && e.Value == nil && e.Text == ""; e = s.next() {
		s.txn.Events = slices.Delete(s.txn.Events, s.done-1, s.done)
	}
}
