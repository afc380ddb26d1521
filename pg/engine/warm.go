// Warming the server's caches.

package engine

import (
	"encoding/binary"
	"errors"
)

// Warmed is the snapshot after the server has planned statements. The server's memory then has
// what it knows of their tables, indexes, types and operators. So these statements take less time
// from there on. Nothing is executed, and answers are as from s. It also gives an instance in
// that state. Statements that cannot be planned are passed over.
func (s *Snapshot) Warmed(statements []string) (*Snapshot, *Instance, error) {
	x, err := s.engine.InstanceFrom(s)
	if err != nil {
		return nil, nil, err
	}
	w, err := x.plan(statements)
	if err != nil {
		return nil, nil, errors.Join(err, x.Close())
	}
	w.clock = s.clock
	w.state.Since(s.state)
	if err := x.Reset(w); err != nil {
		return nil, nil, errors.Join(err, x.Close(), w.Close())
	}
	return w, x, nil
}

// plan lets the server plan statements in transactions that write nothing, and keeps the state.
func (x *Instance) plan(statements []string) (*Snapshot, error) {
	for _, sql := range statements {
		if _, err := x.execute("BEGIN READ ONLY"); err != nil {
			return nil, err
		}
		if _, err := x.unwatched(explain(sql)); err != nil {
			return nil, err
		}
		if _, err := x.execute("ROLLBACK"); err != nil {
			return nil, err
		}
	}
	return x.Snapshot()
}

// explain are the messages that let a statement be planned. Several statements at a time are refused by Parse.
func explain(sql string) []byte {
	var b []byte
	message := func(kind byte, body string) {
		b = append(binary.BigEndian.AppendUint32(append(b, kind), uint32(len(body)+4)), body...)
	}
	message('P', "\x00EXPLAIN (GENERIC_PLAN) "+sql+"\x00\x00\x00")
	message('B', "\x00\x00\x00\x00\x00\x00\x00\x00")
	message('E', "\x00\x00\x00\x00\x00")
	message('C', "S\x00")
	message('S', "")
	return b
}
