package application

import (
	"strings"
	"testing"
)

// TestComments: sqlcommenter's comments are taken away and say where a statement comes from; others stay.
func TestComments(t *testing.T) {
	t.Parallel()
	const id = "5bd66ef5095369c7b0d1f8f4bd33716a"
	for _, test := range []struct {
		sql, bare string
		from      origin
	}{
		{"SELECT 1", "SELECT 1", origin{}},
		{"SELECT 1 /*traceparent='00-" + id + "-c532cb4098ac3dd2-01'*/", "SELECT 1", origin{trace: id}},
		{"SELECT 1 /* controller='a%2Fb', traceparent='00-" + id + "-c532cb4098ac3dd2-01',x='it\\'s' */ ;", "SELECT 1 ;", origin{trace: id}},
		{"/*file='%2Fapp%2Fa.js',line='12',traceparent='00-" + id + "-c532cb4098ac3dd2-01'*/ SELECT 1", "SELECT 1", origin{trace: id, file: "/app/a.js", line: 12}},
		{"SELECT 1 /*txmc='background'*/", "SELECT 1", origin{background: true}},
		{"SELECT 1 /*line='12'*/", "SELECT 1", origin{}},
		{"SELECT 1 /*file='a.js',line='x'*/", "SELECT 1", origin{}},
		{"SELECT 1 /*route='%zz',traceparent='none'*/", "SELECT 1", origin{}},
		{"SELECT 1 /*+ SeqScan(t) */", "SELECT 1 /*+ SeqScan(t) */", origin{}},
		{"SELECT '/*a=''b''*/'", "SELECT '/*a=''b''*/'", origin{}},
		{"SELECT /*a='b'*/ 1", "SELECT /*a='b'*/ 1", origin{}},
		{"INSERT INTO t VALUES ('x /*a=', 'b*/')", "INSERT INTO t VALUES ('x /*a=', 'b*/')", origin{}},
	} {
		bare, from := uncommented(test.sql)
		if bare != test.bare || from != test.from {
			t.Errorf("%q: %q, %+v", test.sql, bare, from)
		}
		b := batch{messages: []message{query(test.sql)}, sync: true}
		b.uncommented()
		if texts := b.texts(nil); strings.Join(texts, "") != test.bare || b.from != test.from {
			t.Errorf("%q: %q, %+v", test.sql, texts, b.from)
		}
	}
	if trace := newTrace(); len(trace) != 55 || traced.FindString(trace) == "" || newTrace() == trace {
		t.Error(trace)
	}
}
