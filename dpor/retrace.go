package dpor

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// Trace is the history as data that another process understands, in f.Order. Each
// transaction is its session and, for its reads, the positions of the writers in the
// order.
func (f *Found) Trace() [][]int {
	position := make([]int, len(f.Order))
	for i, t := range f.Order {
		position[t] = i
	}
	var rows [][]int
	for _, t := range f.Order[1:] {
		row := []int{f.History.Txns[t].Session}
		for _, e := range f.History.Txns[t].Events {
			if e.Kind == semantics.Read && e.From != semantics.Own {
				row = append(row, position[e.From])
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// Retrace is the inverse of [Found.Trace], for the same program.
func Retrace(prog *program.Client, trace [][]int) (*Found, error) {
	m := &moves{prog: prog, base: isolation.True}
	s, err := m.retrace(trace, false)
	if err != nil {
		return nil, err
	}
	for i := range s.h.Sessions() {
		if s.h.Node(i).Kind != program.End {
			return nil, misfit("a history that does not end")
		}
	}
	failures, err := new(verdicts).judge(prog, &s.h)
	if err != nil {
		return nil, err
	}
	return found(&s.h, failures), nil
}

// retrace follows a history, transaction by transaction in <. The last transaction
// stays pending when open.
func (m *moves) retrace(txns [][]int, open bool) (*state, error) {
	s, err := m.initial()
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
func (m *moves) follow(s *state, row []int, open bool) error {
	h := &s.h
	if len(row) == 0 || row[0] < 0 || row[0] >= h.Sessions() || h.Node(row[0]).Kind == program.End {
		return misfit("a transaction of a session that has none")
	}
	h.Begin(row[0])
	for _, from := range row[1:] {
		node := h.Last().Node
		if node.Kind != program.Read || from < 0 || from >= h.Len()-1 || !h.Writers(node.Var).Has(from) {
			return misfit("a read from where nothing was written")
		}
		if _, allowed := s.read(node.Var, from); !allowed {
			return misfit("a history that the base does not allow")
		}
		if err := m.answer(s, node, from); err != nil {
			return err
		}
	}
	switch h.Last().Node.Kind {
	case program.Commit, program.Abort:
		if !open {
			m.end(s)
		}
	default:
		if !open {
			return misfit("a transaction that does not end where it did")
		}
	}
	return nil
}
