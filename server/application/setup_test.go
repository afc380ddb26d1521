package application

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// bound is a batch that prepares a statement and runs it.
func bound(sql string, parameters ...string) batch {
	d := pgproto3.Bind{}
	for _, p := range parameters {
		d.Parameters = append(d.Parameters, []byte(p))
	}
	return batch{messages: []message{encode(&pgproto3.Parse{Query: sql}), encode(&d), encode(&pgproto3.Execute{}), encode(&pgproto3.Sync{})}, sync: true}
}

// parameter is the first parameter of such a batch.
func parameter(t *testing.T, b batch) string {
	t.Helper()
	var d pgproto3.Bind
	if !b.messages[1].decode(&d) {
		t.Fatal("there is no Bind")
	}
	return string(d.Parameters[0])
}

const (
	idOne   = "3a9257ab-0035-4667-992a-6ad6ace3f41b"
	idTwo   = "9e1db47e-5bb2-44ac-8690-85b0e0d35794"
	idThree = "5f0c1b7e-3c1f-4d4e-8f55-0d6f0a8a1c11"
)

// Values that a start has made up are the same in each start but the first, and the application gets its own. What each start sends stays.
func TestSetup(t *testing.T) {
	t.Parallel()
	var u setup
	u.begins = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	none := func(string) string { return "" }
	start := func(id, at string) (sent, owner, when, fixed string) {
		sent = parameter(t, u.sends(bound("INSERT INTO account VALUES ($1)", id), none))
		owner = parameter(t, u.sends(bound("INSERT INTO owner VALUES ($1)", id), none))
		when = parameter(t, u.sends(bound("UPDATE account SET made = $1", at), none))
		fixed = parameter(t, u.sends(bound("INSERT INTO version VALUES ($1)", "20230721A-0123456789"), none))
		return sent, owner, when, fixed
	}
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	if err := u.learn(func() error { start(idOne, "2026-11-28T01:00:00.001Z"); return nil }); err != nil {
		t.Fatal(err)
	}
	u.begin()
	a, owner, when, fixed := start(idTwo, now)
	if a == idTwo || owner != a || fixed != "20230721A-0123456789" {
		t.Errorf("the statements have %s, %s and %s", a, owner, fixed)
	}
	if when != "2026-01-01T00:00:00.001Z" {
		t.Errorf("the time is %s", when)
	}
	got := &answers{messages: []message{encode(&pgproto3.DataRow{Values: [][]byte{[]byte(a)}})}}
	u.receives(got)
	var row pgproto3.DataRow
	if !got.messages[0].decode(&row) || string(row.Values[0]) != idTwo {
		t.Errorf("the application gets %s", row.Values[0])
	}
	if names, _ := u.known(); names[idOne] != a || names[idTwo] != a {
		t.Errorf("the values of both starts are %s and %s", names[idOne], names[idTwo])
	}
	u.begin()
	if b, _, _, _ := start(idThree, now); b != a {
		t.Errorf("a third start has %s, and the second one %s", b, a)
	}
}

// A statement is told from another one at its place: parameters of the one are not those of the other.
func TestOtherStatement(t *testing.T) {
	t.Parallel()
	var m memory
	none := map[string]string{}
	a, b := m.begin("ann", none, none), m.begin("ann", none, none)
	a.sends(bound("SELECT name FROM role WHERE id = $1", idOne))
	if got := parameter(t, b.sends(bound("SELECT name FROM account WHERE id = $1", idTwo))); got != idTwo {
		t.Errorf("the parameter is %s, that of another statement", got)
	}
}

// Whether two readings of the clock in one statement are equal is nobody's decision.
func TestReadings(t *testing.T) {
	t.Parallel()
	var m memory
	run := func(first, second string) string {
		p := m.begin("ann", map[string]string{}, map[string]string{})
		return string(p.sends(batch{messages: []message{query("SELECT '" + first + "' <= '" + second + "'")}, sync: true}).messages[0])
	}
	at := func(ms int) string {
		return time.Now().UTC().Truncate(time.Second).Add(time.Duration(ms) * time.Millisecond).Format("2006-01-02T15:04:05.000Z")
	}
	run(at(1), at(1))
	run(at(5), at(6))
	m.forget()
	a := run(at(7), at(7))
	m.forget()
	if b := run(at(8), at(9)); b != a {
		t.Errorf("%q is not %q", b, a)
	}
}

// A value that was sent as it is stays so in the run, also where another statement has shown that such values are fresh.
func TestStays(t *testing.T) {
	t.Parallel()
	var m memory
	run := func(kind, id string) (inserted, selected string) {
		p := m.begin("ann", map[string]string{}, map[string]string{})
		p.step(kind)
		inserted = parameter(t, p.sends(bound("INSERT INTO "+kind+" VALUES ($1)", id)))
		p.receives(&answers{})
		return inserted, parameter(t, p.sends(bound("SELECT id FROM orders WHERE id = $1", id)))
	}
	run("one", idOne)
	run("one", idTwo)
	if inserted, selected := run("two", idThree); inserted != selected {
		t.Errorf("%s is inserted, and %s is asked for", inserted, selected)
	}
}

// Times of one statement after another are later ones.
func TestLater(t *testing.T) {
	t.Parallel()
	m := memory{begins: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}
	p := m.begin("ann", map[string]string{}, map[string]string{})
	for i, want := range []string{"2026-01-01T00:00:00.001Z", "2026-01-01T00:00:00.002Z"} {
		at := time.Now().UTC().Truncate(time.Second).Add(time.Duration(i+3) * time.Millisecond).Format("2006-01-02T15:04:05.000Z")
		if got := parameter(t, p.sends(bound("INSERT INTO log VALUES ($1)", at))); got != want {
			t.Errorf("statement %d has %s, not %s", i, got, want)
		}
		p.receives(&answers{})
	}
}

// What the database has made stays what it is, also where such a value is fresh in other runs.
func TestGiven(t *testing.T) {
	t.Parallel()
	for name, value := range map[string][]byte{"text": []byte("1000000002"), "binary": {0x3b, 0x9a, 0xca, 0x02}} {
		var m memory
		run := func(answer []byte, sent string) string {
			p := m.begin("ann", map[string]string{}, map[string]string{})
			p.sends(bound("SELECT 1"))
			p.receives(&answers{messages: []message{encode(&pgproto3.DataRow{Values: [][]byte{answer}})}})
			return parameter(t, p.sends(bound("INSERT INTO log VALUES ($1)", sent)))
		}
		run([]byte("1"), idOne)
		run([]byte("1"), idTwo)
		if got := run(value, "1000000002"); got != "1000000002" {
			t.Errorf("%s: the number is sent as %s", name, got)
		}
	}
}
