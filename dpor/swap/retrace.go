package swap

import (
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Retrace is the inverse of [Found.Trace], for the same program.
func Retrace(prog *program.Client, trace [][]int) (*work.Found, error) {
	m := &Moves{Prog: prog, Base: isolation.True}
	s, err := m.retrace(trace, false)
	if err != nil {
		return nil, err
	}
	for i := range s.H.Sessions() {
		if s.H.Node(i).Kind != behaviour.End {
			return nil, work.Misfit("a history that does not end")
		}
	}
	failures, err := new(Outlet).judge(prog, &s.H)
	if err != nil {
		return nil, err
	}
	return found(&s.H, failures), nil
}

// retrace follows a history, transaction by transaction in <. The last transaction
// stays pending when open.
func (m *Moves) retrace(txns [][]int, open bool) (*State, error) {
	s, err := m.Initial()
	if err != nil {
		return nil, err
	}
	for i, row := range txns {
		if err := m.follow(s, row, open && i == len(txns)-1); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// follow extends s by a transaction: its session, and the positions from which it
// reads.
func (m *Moves) follow(s *State, row []int, open bool) error {
	h := &s.H
	if len(row) == 0 || row[0] < 0 || row[0] >= h.Sessions() || h.Node(row[0]).Kind == behaviour.End {
		return work.Misfit("a transaction of a session that has none")
	}
	h.Begin(row[0])
	for _, from := range row[1:] {
		node := h.Last().Node
		if node.Kind != behaviour.Read || from < 0 || from >= h.Len()-1 || !h.Writers(node.Var).Has(from) {
			return work.Misfit("a read from where nothing was written")
		}
		if _, allowed := s.read(node.Var, from); !allowed {
			return work.Misfit("a history that the base does not allow")
		}
		if err := m.Answer(s, node, from); err != nil {
			return err
		}
	}
	switch h.Last().Node.Kind {
	case behaviour.Commit, behaviour.Abort:
		if !open {
			m.End(s)
		}
	default:
		if !open {
			return work.Misfit("a transaction that does not end where it did")
		}
	}
	return nil
}
