package spec

import (
	"fmt"
	"strings"
	"testing"
)

const small = `# a comment
setup { CREATE TABLE t (a int); }
setup
{
  INSERT INTO t VALUES (1);
}
teardown { DROP TABLE t; }

session "s one"
setup { BEGIN; }
step a { SELECT 1;   }
step "b ""c""" {
	UPDATE t SET a = '{'; -- # no comment
  }
session s2
step permutations { SELECT 2; }
teardown { ROLLBACK; }

permutation a(*) permutations ( a , "b ""c""" notices 3 ) "b ""c""" # the end
permutation a
`

// The format: src/test/isolation/README, "Test specification".
func TestParse(t *testing.T) {
	t.Parallel()
	s, warnings, err := Parse("small.spec", small)
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) > 0 || s.Name() != "small" || len(s.Setup) != 2 || s.Setup[1].SQL != "\n  INSERT INTO t VALUES (1);\n" || s.Setup[1].Line != 4 || s.Teardown.SQL != "DROP TABLE t;" {
		t.Errorf("%q: %q, teardown %q", warnings, s.Setup, s.Teardown)
	}
	one, two := s.Sessions[0], s.Sessions[1]
	if one.Name != "s one" || one.Setup.SQL != "BEGIN;" || one.Steps[0].SQL != "SELECT 1;" || one.Steps[1].Name != `b "c"` || one.Steps[1].SQL != "\n\tUPDATE t SET a = '{'; -- # no comment\n" {
		t.Errorf("%+v, %+v, %+v", one, one.Steps[0], one.Steps[1])
	}
	if two.Steps[0].Name != "permutations" || two.Steps[0].Session != 1 || two.Teardown.SQL != "ROLLBACK;" || two.Line != 15 {
		t.Errorf("%+v, %+v", two, two.Steps[0])
	}
	p := s.Permutations[0]
	m := p.Entries[1].Markers
	if p.String() != `a permutations b "c"` || p.Entries[0].Markers[0].Kind != Once || m[0].Kind != OtherStep || m[0].Step != one.Steps[0] || m[1].Kind != ForNotices || m[1].Notices != 3 || m[1].Step != one.Steps[1] {
		t.Errorf("%v: %+v", p, m)
	}
}

// Mistakes name their line and say what is wrong.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	const session = "session a step a1 { SELECT 1; } session b step b1 { SELECT 2; }\n"
	for _, test := range []struct{ text, want string }{
		{"", `1: the end of the file where setup, teardown or session is expected`},
		{"session a", `1: the end of the file where a step of session a is expected`},
		{"session step", `1: "step" where the name of the session is expected`},
		{"setup { SELECT 1;\n", `1: the block of SQL is not closed by }`},
		{"setup\nteardown { }", `2: "teardown" where the SQL of setup in { } is expected`},
		{"session a step x { } step x { }", `1: there are two steps x, the other one in line 1: names of steps are unique in the file`},
		{"session a\nstep \"x\n{ }", `2: the name has no " before the end of the line`},
		{session + "permutation a1 c1", `2: the permutation has a step c1 that no session has`},
		{session + "permutation", `2: the end of the file where the name of a step is expected`},
		{session + "permutation a1(b1)", `2: step a1 waits for a step b1 that the permutation does not have`},
		{session + "permutation a1(a1) b1", `2: step a1 waits for a step of its own session, a1`},
		{session + "permutation a1(b1 notices) b1", `2: ")" where a number of notices is expected`},
		{session + "permutation a1(* b1", `2: "b1" where , or ) is expected`},
		{session + "permutation a1 ;", `2: unexpected character ';'`},
		{session + "setup { }", `2: "setup" where session or permutation is expected`},
	} {
		if _, _, err := Parse("f.spec", test.text); err == nil || err.Error() != "f.spec:"+test.want {
			t.Errorf("%q:\n%v, want\nf.spec:%s", test.text, err, test.want)
		}
	}
}

// Steps that no permutation has are told.
func TestUnused(t *testing.T) {
	t.Parallel()
	_, warnings, err := Parse("f.spec", "session a step a1 { } step a2 { } permutation a1")
	if err != nil || fmt.Sprint(warnings) != "[unused step name: a2]" {
		t.Errorf("%q, %v", warnings, err)
	}
}

// Without permutations there are all orders, those in which the first session goes first before others.
func TestOrders(t *testing.T) {
	t.Parallel()
	s, _, err := Parse("f.spec", "session a step a1 { } step a2 { } session b step b1 { } step b2 { }")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range s.Orders() {
		got = append(got, p.String())
	}
	want := "a1 a2 b1 b2|a1 b1 a2 b2|a1 b1 b2 a2|b1 a1 a2 b2|b1 a1 b2 a2|b1 b2 a1 a2"
	if strings.Join(got, "|") != want {
		t.Errorf("%q, want %s", got, want)
	}
}

// No text makes the reader panic or hang.
func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Add(`session a step b {}permutation b("b"notices 1,*)`)
	f.Fuzz(func(t *testing.T, text string) {
		if s, _, err := Parse("f.spec", text); err == nil && len(s.Sessions) == 0 {
			t.Error("no sessions")
		}
	})
}
