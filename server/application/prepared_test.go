package application

import (
	"bytes"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// messagesOf encodes messages of a client.
func messagesOf(list ...interface{ Encode([]byte) ([]byte, error) }) (out []message) {
	for _, m := range list {
		out = append(out, encode(m))
	}
	return out
}

// TestPrepare: a statement that is prepared now, was prepared before, or has no name is the same for the database.
func TestPrepare(t *testing.T) {
	t.Parallel()
	const text = "SELECT n FROM t WHERE id = $1"
	bind := func(name string) []message {
		return messagesOf(&pgproto3.Bind{PreparedStatement: name, Parameters: [][]byte{[]byte("1")}}, &pgproto3.Execute{}, &pgproto3.Sync{})
	}
	want := append(messagesOf(&pgproto3.Parse{Query: text}, &pgproto3.Describe{ObjectType: 'S'}), bind("")...)
	for _, test := range []struct {
		name, prepares string
		parsed         bool // in the batch
		hidden         int  // answers that are for nobody
	}{{"unnamed", "", true, 2}, {"named now", "s1", true, 2}, {"named before", "s1", false, 3}} {
		s := newSocket(&mux{}, nil)
		parse := encode(&pgproto3.Parse{Name: test.prepares, Query: text})
		b := batch{messages: bind(test.prepares), sync: true, answers: 2}
		if test.parsed {
			b.messages, b.answers = append([]message{parse}, b.messages...), 3
		} else {
			s.statements[test.prepares] = parse
		}
		if b.prepares() {
			t.Errorf("%s: it runs nothing", test.name)
		}
		all, own := s.prepare(b)
		if !slices.EqualFunc(all.messages, want, func(a, b message) bool { return bytes.Equal(a, b) }) || all.answers != 4 {
			t.Errorf("%s: %q, %d answers", test.name, all.messages, all.answers)
		}
		a := &answers{messages: messagesOf(&pgproto3.ParseComplete{}, &pgproto3.ParameterDescription{ParameterOIDs: []uint32{23}}, &pgproto3.RowDescription{},
			&pgproto3.BindComplete{}, &pgproto3.DataRow{}, &pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}, &pgproto3.ReadyForQuery{TxStatus: 'I'})}
		own.omit(a)
		if got := 7 - len(a.messages); got != test.hidden || a.messages[len(a.messages)-1][0] != 'Z' {
			t.Errorf("%s: %d answers are for nobody, not %d", test.name, got, test.hidden)
		}
	}
}

// TestDescribes: what a client asks for itself it is told.
func TestDescribes(t *testing.T) {
	t.Parallel()
	s := newSocket(&mux{}, nil)
	b := batch{messages: messagesOf(&pgproto3.Parse{Name: "s1", Query: "SELECT 1"}, &pgproto3.Describe{ObjectType: 'S', Name: "s1"}, &pgproto3.Sync{}), sync: true}
	if !b.prepares() {
		t.Error("it runs something")
	}
	_, own := s.prepare(b)
	a := &answers{messages: messagesOf(&pgproto3.ParseComplete{}, &pgproto3.ParameterDescription{}, &pgproto3.RowDescription{},
		&pgproto3.ParameterDescription{}, &pgproto3.RowDescription{}, &pgproto3.ReadyForQuery{TxStatus: 'I'})}
	own.omit(a)
	var kinds []byte
	for _, m := range a.messages {
		kinds = append(kinds, m[0])
	}
	if string(kinds) != "1tTZ" {
		t.Errorf("it is told %q", kinds)
	}
}

// TestDeallocates: a statement is forgotten by the name that the client has given it.
func TestDeallocates(t *testing.T) {
	t.Parallel()
	for sql, is := range map[string]bool{"DEALLOCATE pdo_stmt_00000001": true, "deallocate prepare PDO_stmt_00000001": true, `DEALLOCATE "pdo_stmt_00000001"`: true,
		"DEALLOCATE ALL": false, "DEALLOCATE other": false, `DEALLOCATE "PDO_stmt_00000001"`: false} {
		s := newSocket(&mux{}, nil)
		s.statements["pdo_stmt_00000001"] = encode(&pgproto3.Parse{Name: "pdo_stmt_00000001", Query: "SELECT 1"})
		if s.deallocates(sql) != is || len(s.statements) == 0 != is {
			t.Errorf("%s: %v left", sql, len(s.statements))
		}
	}
}
