package replay

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/semantics"
)

// transaction runs one transaction along its recorded operations.
func (p *replayer) transaction(id string) error {
	t := p.txns[id]
	if t == nil || p.at[id] != 0 {
		return fmt.Errorf("the file is damaged: its order lists %q, which is no transaction or was there before", id)
	}
	own := *t
	own.Events = slices.Clone(t.Events)
	want := &script{p: p, txn: &own}
	session, ok := p.sessions[t.Session]
	if !ok {
		p.difference = want.difference("no session of that name", 0)
		return nil
	}
	n := p.h.Node(session)
	if n.Kind == behaviour.End {
		p.difference = want.difference("end of the session", n.Loc)
		return nil
	}
	p.at[id] = p.h.Len()
	p.h.Begin(session)
	for {
		if !want.events(n) {
			return nil
		}
		switch n.Kind {
		case behaviour.Commit:
			if want.end("committed", n) {
				p.h.Commit(n.Writes)
			}
			return nil
		case behaviour.Abort:
			if want.end("aborted", n) {
				p.h.Abort()
			}
			return nil
		}
		child, err := want.read(n)
		if err != nil || child == nil {
			return err
		}
		n = child
		p.h.Answer(n)
	}
}

// script is what a recorded transaction does: its begin, its events, its end.
type script struct {
	p    *replayer
	txn  *report.Transaction
	done int // steps taken
}

// next is the recorded event that comes next; nil when that is the begin or the
// end.
func (s *script) next() *report.Event {
	if i := s.done - 1; i >= 0 && i < len(s.txn.Events) {
		return &s.txn.Events[i]
	}
	return nil
}

// step counts an operation that is as recorded, or notes the difference.
func (s *script) step(same bool, now string, loc behaviour.Loc) bool {
	if !same {
		s.p.difference = s.difference(now, loc)
		return false
	}
	s.done++
	s.p.steps++
	return true
}

// events compares what leads to n with the recording.
func (s *script) events(n *behaviour.Node) bool {
	c := s.p.client
	for _, e := range n.Events {
		if e.Kind == behaviour.WriteEvent || e.Kind == behaviour.OwnReadEvent {
			s.pass()
		}
		want := s.next()
		same, now := false, ""
		switch e.Kind {
		case behaviour.BeginEvent:
			same, now = s.done == 0 && e.Text == s.txn.Name, "begin "+e.Text
		case behaviour.WriteEvent:
			now = fmt.Sprintf("write %s = %s", c.Key(e.Var), c.Format(e.Val))
			same = want != nil && want.From == "" && now == operation(want)
		case behaviour.OwnReadEvent:
			now = fmt.Sprintf("read %s = %s", c.Key(e.Var), c.Format(e.Val))
			same = want != nil && want.From == "own" && now == operation(want)
		default: // observations and failures are no operations
			continue
		}
		if !s.step(same, now, e.Loc) {
			return false
		}
	}
	return true
}

// read answers the read n as recorded. It returns nil when that is not the
// recorded operation.
func (s *script) read(n *behaviour.Node) (*behaviour.Node, error) {
	s.scan(n)
	p, want, key := s.p, s.next(), s.p.client.Key(n.Var)
	if want == nil || want.Op != semantics.Read.String() || want.From == "own" || want.Key != key {
		s.step(false, "read "+key, n.Loc)
		return nil, nil
	}
	from, ok := p.at[want.From]
	val := p.client.Initial(n.Var)
	if ok && from > 0 {
		log := &p.h.Txns[from]
		ok = log.Status == semantics.Committed
		if ok {
			val, ok = log.Node.Written(n.Var)
		}
	}
	if !ok {
		return nil, fmt.Errorf("the file is damaged: %s reads %s from %q, which has not committed a write of it by then", s.txn.ID, key, want.From)
	}
	now := fmt.Sprintf("read %s = %s", key, p.client.Format(val))
	if !s.step(now == operation(want), now, n.Loc) {
		return nil, nil
	}
	p.h.Read(n.Var, from)
	return p.client.Child(n, val)
}

// end compares the end of the transaction with the recording.
func (s *script) end(status string, n *behaviour.Node) bool {
	s.pass()
	now := map[string]string{"committed": "commit", "aborted": "abort"}[status]
	if n.Text != "" {
		now += ": " + n.Text
	}
	same := s.txn.Status == status || status == "committed" && s.failed()
	return s.step(s.done == len(s.txn.Events)+1 && same, now, n.Loc)
}

// failed reports whether it is the transaction whose assertion failed. If it
// commits now the assertion holds, and that is not another operation.
func (s *script) failed() bool {
	return slices.ContainsFunc(s.p.saved.Failures, func(f report.Failure) bool { return f.Transaction == s.txn.ID })
}

// operation is a recorded event in words.
func operation(e *report.Event) string { return fmt.Sprintf("%s %s = %s", e.Op, e.Key, e.Shown()) }

// difference says what the transaction did next, and does now.
func (s *script) difference(now string, loc behaviour.Loc) *report.Difference {
	d := &report.Difference{
		Session: s.txn.Session, Transaction: s.txn.ID, Recorded: "begin " + s.txn.Name, RecordedAt: s.txn.At,
		Now: now, NowAt: s.p.client.Location(loc).String(),
	}
	if e := s.next(); e != nil {
		d.Recorded, d.RecordedAt = operation(e), e.At
	} else if s.done > 0 {
		d.Recorded, d.RecordedAt = "commit", ""
		if s.txn.Status == semantics.Aborted.String() {
			d.Recorded = "abort: " + s.txn.Error
		}
	}
	return d
}
