package program_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

func unstorable() map[string]any {
	selfSlice := []any{nil, nil}
	selfSlice[0], selfSlice[1] = selfSlice, selfSlice
	selfMap := map[string]any{}
	selfMap["self"] = selfMap
	type namedTime time.Time
	return map[string]any{
		"a chan (chan int)":                   make(chan int),
		"a func (func())":                     func() {},
		"a unsafe.Pointer":                    unsafe.Pointer(nil),
		"does it contain itself":              selfSlice,
		"nested more than":                    selfMap,
		"field List: it is nested more than":  struct{ List *chain }{longChain(1000)},
		"the running clock":                   time.Now(),
		"field a: a time.Time of the running": inner{a: time.Now()},
		"map key: a pointer":                  map[any]int{new(int): 1},
		"a time.Time of the running clock":    namedTime(time.Now()),
		"more than 1048576 bytes":             make([]byte, 2<<20),
		"several places counts":               shared(40),
		"field L: it takes more than":         wide(40),
		"map key: it is nested":               map[any]int{deepKey(200): 1},
		"Text does not accept":                lossy{1},
		"field B: a func":                     []any{map[string]any{"k": [1]any{inner{B: func() {}}}}},
	}
}

// chain is a linked list.
type chain struct{ Next *chain }

func longChain(n int) (l *chain) {
	for range n {
		l = &chain{l}
	}
	return l
}

// shared is a value with 2^n paths through shared parts.
func shared(n int) any {
	var v any = []int{1}
	for range n {
		v = []any{v, v}
	}
	return v
}

// fork is a value with two parts.
type fork struct{ L, R *fork }

// wide is a fork with 2^n paths.
func wide(n int) *fork {
	f := &fork{}
	for range n {
		f = &fork{f, f}
	}
	return f
}

// deepKey is a comparable value with n levels.
func deepKey(n int) any {
	var v any = 1
	for range n {
		v = [1]any{v}
	}
	return v
}

// lossy cannot read what it writes.
// inner has a field that is not exported.
type inner struct{ a, B any }

type lossy struct{ n int }

func (l lossy) MarshalText() ([]byte, error)  { return []byte("lost"), nil }
func (l *lossy) UnmarshalText(b []byte) error { return errors.New("unreadable") }

func TestUnstorableValues(t *testing.T) {
	for want, v := range unstorable() {
		err := program.InternError(v)
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 150 {
			t.Errorf("%T: want %q in the error %v", v, want, err)
		}
	}
}

// A value that cannot be stored is an error that names the key and the line.
func TestUnstorableWhere(t *testing.T) {
	for _, v := range unstorable() {
		wants(t, broken(t, func(p *program.Program) {
			p.Session("s", func(s *program.Session) {
				s.Txn("t", func(tx *program.Tx) error {
					tx.Write("some key", v) //@write
					return nil
				})
			})
		}, program.Options{}), behaviour.Misuse, `session "s"`, `"some key"`, at(t, "write"))
		wants(t, broken(t, func(p *program.Program) {
			program.NewVar(p, "some variable", v) //@initial
		}, program.Options{}), behaviour.Misuse, `"some variable"`, at(t, "initial"))
		wants(t, broken(t, func(p *program.Program) {
			p.Session("s", func(s *program.Session) {
				s.Observe("seen", v) //@observe
			})
		}, program.Options{}), behaviour.Misuse, `"seen"`, at(t, "observe"))
		wants(t, broken(t, func(p *program.Program) {
			x := program.NewVar(p, "x", any(0))
			p.Setup(func(tx *program.Tx) error {
				x.Set(tx, v) //@setup
				return nil
			})
			p.Session("s", func(s *program.Session) {})
		}, program.Options{}), behaviour.Misuse, `"x"`, at(t, "setup"))
	}
}

// A key that is not text is shown quoted.
func TestShownKey(t *testing.T) {
	c := newClient(t, one(func(_ *program.Session, tx *program.Tx) { tx.Write("a\xff", 1) }))
	if _, err := c.Root(0); err != nil {
		t.Fatal(err)
	}
	if got := c.Key(c.Variable("a\xff")); got != `"a\xff"` {
		t.Errorf("the key is shown as %s", got)
	}
}
