package structure

import (
	"testing"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/pg"
)

// Two transactions that first lock one row do not overtake each other behind it.
func TestExcludes(t *testing.T) {
	t.Parallel()
	a, err := access.New(t.Context(), pg.Schema(`CREATE TABLE shop (id int PRIMARY KEY, total int, open bool); CREATE TABLE area (shop int NOT NULL REFERENCES shop, id int, PRIMARY KEY (shop, id));
		CREATE TABLE buyer (shop int, area int, id int, owes int, FOREIGN KEY (shop, area) REFERENCES area, PRIMARY KEY (shop, area, id));
		CREATE TABLE guest (shop int, area int, id int, owes int, PRIMARY KEY (shop, area, id));`))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	const (
		add       = "UPDATE shop SET total = total + $1 WHERE id = $2"
		where     = "UPDATE shop SET total = total + $1 WHERE id = $2 AND open"
		all       = "UPDATE shop SET total = total + $1"
		new       = "INSERT INTO shop VALUES ($1, $2, true)"
		owes      = "SELECT owes FROM buyer WHERE shop = $1 AND area = $2 AND id = $3"
		set       = "UPDATE buyer SET owes = $1 WHERE shop = $2 AND area = $3 AND id = $4"
		guest     = "SELECT owes FROM guest WHERE shop = $1 AND area = $2 AND id = $3"
		setGuest  = "UPDATE guest SET owes = $1 WHERE shop = $2 AND area = $3 AND id = $4"
		anywhere  = "SELECT owes FROM buyer WHERE id = $1"
		setAnyone = "UPDATE buyer SET owes = $1 WHERE id = $2"
	)
	pay := func(first ...any) [][]any {
		return [][]any{first, {owes, "s", "a", "b"}, {set, "x", "s", "a", "b"}}
	}
	known := pay(add, "x", "s")
	for _, test := range []struct {
		name           string
		reader, writer [][]any
		out, to        string
		both           bool // the writer reads before the reader's write too
		none           bool
	}{
		{"a shop", known, known, owes, set, false, true},
		{"a shop, and both read", known, known, owes, set, true, true},
		{"of a row that does not refer to it", [][]any{{add, "x", "s"}, {guest, "s", "a", "b"}, {setGuest, "x", "s", "a", "b"}}, [][]any{{add, "x", "s"}, {guest, "s", "a", "b"}, {setGuest, "x", "s", "a", "b"}}, guest, setGuest, false, false},
		{"shops that differ", pay(add, "x", "t"), pay(add, "x", "u"), owes, set, false, false},
		{"of the reader's shop and another one", known, pay(add, "x", "u"), owes, set, false, false},
		{"one that is open", pay(where, "x", "s"), known, owes, set, false, false},
		{"all", pay(all, "x"), known, owes, set, false, false},
		{"after the read", [][]any{{owes, "s", "a", "b"}, {add, "x", "s"}, {set, "x", "s", "a", "b"}}, known, owes, set, false, false},
		{"after the writer's read", known, [][]any{{owes, "s", "a", "b"}, {set, "x", "s", "a", "b"}, {add, "x", "s"}}, owes, set, true, false},
		{"after the writer's write", known, [][]any{{owes, "s", "a", "b"}, {set, "x", "s", "a", "b"}, {add, "x", "s"}}, owes, set, false, true},
		{"a new shop", append([][]any{{new, "s", "x"}}, known...), known, owes, set, false, false},
		{"of any buyer", [][]any{{add, "x", "s"}, {anywhere, "b"}, {setAnyone, "x", "b"}}, [][]any{{add, "x", "s"}, {anywhere, "b"}, {setAnyone, "x", "b"}}, anywhere, setAnyone, false, false},
	} {
		x, y := made(t, a, test.reader...), made(t, a, test.writer...)
		from, back := test.to, WW
		if test.both {
			from, back = test.out, RW
		}
		if got := ReadCommitted.contradicts(cycle(t, x, y, test.out, test.to, from, test.to, back)); got != test.none {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	x, y := made(t, a, append([][]any{{anywhere, "b"}}, known...)...), made(t, a, known...)
	for level, none := range map[Level]bool{Gaps: false, ReadCommitted: true} { // a view from before the lock
		if got := level.contradicts(cycle(t, x, y, owes, set, set, set, WW)); got != none {
			t.Errorf("a read before, at level %d: %v", level, got)
		}
	}
}

// Of two that insert a row with one number the second does nothing after it, whoever it is.
func TestRefusedEither(t *testing.T) {
	t.Parallel()
	a, err := access.New(t.Context(), pg.Schema(`CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL); CREATE TABLE job (shop int, id int, PRIMARY KEY (shop, id)); CREATE TABLE stock (id int PRIMARY KEY, left_ int);`))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	const (
		next   = "SELECT n FROM counter WHERE id = $1"
		count  = "UPDATE counter SET n = $1 WHERE id = $2"
		insert = "INSERT INTO job VALUES ($1, $2)"
		stock  = "SELECT left_ FROM stock WHERE id = $1"
		take   = "UPDATE stock SET left_ = $1 WHERE id = $2"
	)
	order := [][]any{{next, "p"}, {count, "x", "p"}, {insert, "p", 0}, {stock, "i"}, {take, "x", "i"}}
	early := [][]any{{next, "p"}, {stock, "i"}, {count, "x", "p"}, {insert, "p", 0}, {take, "x", "i"}}
	for _, test := range []struct {
		name           string
		reader, writer [][]any
		none           bool
	}{
		{"after the insertion", order, order, true},
		{"the writer's read is before it", order, early, false},
	} {
		x, y := made(t, a, test.reader...), made(t, a, test.writer...)
		if got := ReadCommitted.contradicts(cycle(t, x, y, next, count, stock, take, RW)); got != test.none {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
