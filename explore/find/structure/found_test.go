package structure

import (
	"go/token"
	"slices"
	"testing"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/pg"
)

// cycle is that of two transactions, by the texts of its statements: out of the first, into the second,
// out of the second, into the first. The first dependency is rw; the other one has a kind.
func cycle(t *testing.T, x, y *Transaction, out, to, from, in string, back Kind) *Structure {
	t.Helper()
	step := func(tx *Transaction, sql string) *Step {
		return tx.Steps[slices.IndexFunc(tx.Steps, func(s *Step) bool { return s.SQL == sql })]
	}
	find := func(s, t *Step, kind Kind) *Dependency {
		list := between(s, t)
		if i := slices.IndexFunc(list, func(d *Dependency) bool { return d.Kind == kind }); i >= 0 {
			return list[i]
		}
		return nil
	}
	s := &Structure{
		Nodes:        []Node{{step(x, in), step(x, out)}, {step(y, to), step(y, from)}},
		Dependencies: []*Dependency{find(step(x, out), step(y, to), RW), find(step(y, from), step(x, in), back)},
	}
	if s.Dependencies[0] == nil || s.Dependencies[1] == nil {
		t.Fatalf("%s; %s: no such cycle", out, from)
	}
	return s
}

// guarded says of a step that it is made where another step has the error that there is no row,
// or where that step has no error.
func guarded(s *Step, by *Step, without bool) {
	failed := &source.Value{Op: source.Failed, Statement: by.Statement}
	g := source.Guard{If: &source.Value{Op: source.Binary, Token: token.NEQ, Args: []*source.Value{failed, {Op: source.Nil}}}}
	if without {
		g = source.Guard{If: &source.Value{Op: source.Apply, Path: "errors.Is", Args: []*source.Value{failed, {Op: source.Global, Path: "sql.ErrNoRows"}}}, Then: true}
	}
	s.Guards = append(s.Guards, g)
}

// A transaction that goes on where there is no row cannot have read a row that is deleted then. A
// transaction that goes on with a row cannot have read one that is inserted then.
func TestContradictsFound(t *testing.T) {
	t.Parallel()
	a, err := access.New(t.Context(), pg.Schema(`CREATE TABLE seat (id int PRIMARY KEY, flight int, nr int); CREATE TABLE flight (id int PRIMARY KEY, booked int);`))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	const (
		taken   = "SELECT id FROM seat WHERE flight = $1 AND nr = $2"
		second  = "SELECT id FROM seat WHERE flight = $1 AND nr = $2 OFFSET 1"
		one     = "SELECT flight FROM seat WHERE id = $1"
		count   = "SELECT count(*) FROM seat WHERE id = $1"
		book    = "INSERT INTO seat VALUES ($1, $2, $3)"
		free    = "DELETE FROM seat WHERE flight = $1 AND nr = $2"
		move    = "UPDATE seat SET nr = $1 WHERE id = $2"
		booked  = "UPDATE flight SET booked = 1 WHERE id = $1"
		booking = "UPDATE flight SET booked = 2 WHERE id = $1"
	)
	for _, test := range []struct {
		name      string
		read      string
		args      []any
		write     []any
		without   bool // the reader goes on where it has found none
		unguarded bool
		query     bool // that there is no row is no error
		deletes   bool // the writer deletes too
		found     bool // the error is another one than that of no row
		none      bool
	}{
		{name: "none, and one is deleted", read: taken, args: []any{"p", "q"}, write: []any{free, "p", "q"}, without: true, none: true},
		{name: "one, and it is deleted", read: taken, args: []any{"p", "q"}, write: []any{free, "p", "q"}},
		{name: "not none, and one is deleted", read: taken, args: []any{"p", "q"}, write: []any{free, "p", "q"}, without: true, found: true},
		{name: "nothing is asked", read: taken, args: []any{"p", "q"}, write: []any{free, "p", "q"}, without: true, unguarded: true},
		{name: "none behind the first", read: second, args: []any{"p", "q"}, write: []any{free, "p", "q"}, without: true},
		{name: "none, and one moves there", read: taken, args: []any{"p", "q"}, write: []any{move, "q", "r"}, without: true},
		{name: "none, and one is inserted", read: one, args: []any{"p"}, write: []any{book, "p", "q", "r"}, without: true},
		{name: "one, and it is inserted", read: one, args: []any{"p"}, write: []any{book, "p", "q", "r"}, none: true},
		{name: "a list, and one is inserted", read: one, args: []any{"p"}, write: []any{book, "p", "q", "r"}, query: true},
		{name: "a count, and one is inserted", read: count, args: []any{"p"}, write: []any{book, "p", "q", "r"}},
		{name: "one that is deleted and inserted", read: one, args: []any{"p"}, write: []any{book, "p", "q", "r"}, deletes: true},
		{name: "by no key, and one is inserted", read: taken, args: []any{"p", "q"}, write: []any{book, "r", "p", "q"}},
	} {
		x := made(t, a, append([]any{test.read}, test.args...), []any{booked, "p"})
		statements := [][]any{test.write, {booking, "p"}}
		if test.deletes {
			statements = [][]any{{free, "q", "r"}, test.write, {booking, "p"}}
		}
		y := made(t, a, statements...)
		x.Steps[0].One = !test.query
		if !test.unguarded {
			guarded(x.Steps[1], x.Steps[0], test.without)
		}
		if test.found {
			x.Steps[1].Guards[0].Then = false
		}
		s := cycle(t, x, y, test.read, test.write[0].(string), booking, booked, WW)
		if got := ReadCommitted.contradicts(s); got != test.none {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// Who has read what points to rows cannot find one by it that is inserted later, with a number of a
// sequence.
func TestUnforeseen(t *testing.T) {
	t.Parallel()
	a, err := access.New(t.Context(), pg.Schema(`CREATE TABLE page (id int PRIMARY KEY, latest int, text int); CREATE TABLE text (id serial PRIMARY KEY, body text);
		CREATE TABLE revision (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text int);`))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	const (
		latest   = "SELECT latest FROM page WHERE id = $1"
		next     = "SELECT max(latest) + 1 FROM page WHERE id = $1"
		revision = "SELECT text FROM revision WHERE id = $1"
		body     = "SELECT body FROM text WHERE id = $1"
		write    = "INSERT INTO text (body) VALUES ($1) RETURNING id"
		given    = "INSERT INTO text VALUES ($2, $1) RETURNING id"
		revise   = "INSERT INTO revision (text) VALUES ($1) RETURNING id"
		change   = "UPDATE revision SET text = $1"
		turn     = "UPDATE page SET latest = $1 WHERE id = $2"
	)
	chain := [][]any{{latest, "p"}, {revision, 0}, {body, 1}}
	for _, test := range []struct {
		name          string
		reader        [][]any
		writer        [][]any
		from, in, out string
		none          bool
	}{
		{"by what was read before", chain, [][]any{{write, "w"}, {revise, 0}, {turn, 1, "p"}}, revise, revision, latest, true},
		{"by a row that was there before", chain, [][]any{{write, "w"}, {revise, 0}, {turn, 1, "p"}}, write, body, latest, true},
		{"by a row that the writer changes", chain, [][]any{{write, "w"}, {change, 0}, {turn, 0, "p"}}, write, body, latest, false},
		{"by a number that the call was given", [][]any{{latest, "p"}, {body, "q"}}, [][]any{{write, "w"}, {turn, 0, "p"}}, write, body, latest, false},
		{"by a number that the writer was given", [][]any{{latest, "p"}, {body, 0}}, [][]any{{given, "w", "v"}, {turn, 0, "p"}}, given, body, latest, false},
		{"by what is computed", [][]any{{next, "p"}, {body, 0}}, [][]any{{write, "w"}, {turn, 0, "p"}}, write, body, next, false},
	} {
		x, y := made(t, a, test.reader...), made(t, a, test.writer...)
		if got := ReadCommitted.contradicts(cycle(t, x, y, test.out, turn, test.from, test.in, WR)); got != test.none {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
