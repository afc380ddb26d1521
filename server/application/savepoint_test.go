package application

import "testing"

// Savepoints that are named after a thread have the same names in each transaction; others keep theirs.
func TestSavepoints(t *testing.T) {
	s := newSocket(&mux{}, nil)
	for _, c := range [][2]string{
		{`SAVEPOINT "s139714555179712_x1"`, `SAVEPOINT savepoint_1`},
		{`SAVEPOINT "s139714555179712_x2"`, `SAVEPOINT savepoint_2`},
		{`ROLLBACK TO SAVEPOINT "s139714555179712_x2"`, `ROLLBACK TO SAVEPOINT savepoint_2`},
		{`release savepoint "s139714555179712_x1";`, `release savepoint savepoint_1;`},
		{`SAVEPOINT active_record_1`, `SAVEPOINT active_record_1`},
		{`SELECT 'SAVEPOINT s139714555179712'`, `SELECT 'SAVEPOINT s139714555179712'`},
	} {
		b := batch{messages: []message{query(c[0])}}
		s.status = 'T'
		s.renames(&b)
		if got := b.texts(s.text); got[0] != c[1] {
			t.Errorf("%s: %s, not %s", c[0], got[0], c[1])
		}
	}
	b := batch{messages: []message{query(`SAVEPOINT "s139714555179712_x3"`)}}
	s.status = 'I'
	if s.renames(&b); b.texts(s.text)[0] != "SAVEPOINT savepoint_1" {
		t.Errorf("in the next transaction: %s", b.texts(s.text)[0])
	}
}
