package bench

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/table"
	"github.com/txmc/txmc/isolation"
)

// The histories of a program by brute force: all orders in which its
// transactions can take place, every read from every transaction that has written
// the key, and of those what the level allows by definition. It shares nothing
// with the engine, not even how client code is run: a transaction is run from its
// first operation for every choice of what its reads return.

// ref names a transaction: its session and its position, {-1, 0} for the initial.
type ref struct{ session, index int }

var initial = ref{-1, 0}

// log is what a transaction did.
type log struct {
	reads  []refRead
	writes map[string]any // none when it aborted
}

// refRead is an external read.
type refRead struct {
	key  string
	from ref
}

// brute enumerates the histories of a program at a level.
type brute struct {
	p       *client.Program
	level   isolation.Level
	rows    *table.Memory
	logs    [][]log
	seen    map[string]bool
	full    int
	steps   int
	budget  int // of steps, so that a test ends
	exceeds bool
}

// bruteCount returns the number of histories, and false when it gives up.
func bruteCount(p *client.Program, level isolation.Level, budget int) (int, bool) {
	b := &brute{p: p, level: level, rows: table.NewMemory(), seen: map[string]bool{}, budget: budget}
	table.Load(b.rows, p.App.Schema, p.Rows)
	b.logs = make([][]log, len(p.Sessions))
	b.extend()
	return b.full, !b.exceeds
}

// extend adds a next transaction of some session in every way. A history that was
// reached before, by another order of its transactions, is not extended again.
func (b *brute) extend() {
	key := b.key()
	if b.seen[key] || b.exceeds {
		return
	}
	b.seen[key] = true
	complete := true
	for s, calls := range b.p.Sessions {
		if n := len(b.logs[s]); n < len(calls) {
			complete = false
			b.behaviours(s, calls[n].Body, nil)
			b.logs[s] = b.logs[s][:n]
		}
	}
	if complete {
		b.full++
	}
}

// behaviours runs a transaction on the given choices of what its external reads
// read from, and goes on with every further choice. As all levels are closed under
// prefixes, a choice that the level forbids is not followed.
func (b *brute) behaviours(s int, body client.Body, from []ref) {
	if b.steps++; b.steps > b.budget {
		b.exceeds = true
	}
	if b.exceeds {
		return
	}
	m := &machine{b: b, from: from, own: map[string]any{}}
	ended := m.run(body)
	n := len(b.logs[s])
	b.logs[s] = append(b.logs[s], m.log)
	allowed := b.allowed()
	switch {
	case !allowed, m.dropped:
	case ended:
		b.extend()
	default:
		b.logs[s] = b.logs[s][:n]
		for _, w := range b.writers(m.asks) {
			b.behaviours(s, body, append(slices.Clip(from), w))
		}
	}
	b.logs[s] = b.logs[s][:n]
}

// writers lists the transactions that have written key.
func (b *brute) writers(key string) []ref {
	list := []ref{initial}
	for s, logs := range b.logs {
		for i, l := range logs {
			if _, ok := l.writes[key]; ok {
				list = append(list, ref{s, i})
			}
		}
	}
	return list
}

func (b *brute) value(key string, from ref) any {
	if from == initial {
		return b.rows.Read(key)
	}
	return b.logs[from.session][from.index].writes[key]
}

// key is the history as text.
func (b *brute) key() string {
	var k strings.Builder
	for _, logs := range b.logs {
		k.WriteString("|")
		for _, l := range logs {
			k.WriteString(";")
			for _, r := range l.reads {
				fmt.Fprintf(&k, "%d.%d ", r.from.session, r.from.index)
			}
		}
	}
	return k.String()
}

// machine is the transaction that runs a body on given choices.
type machine struct {
	b    *brute
	from []ref
	own  map[string]any
	log  log
	asks string

	dropped bool // an assumption does not hold
}

// stopped leaves a body that asks for a read beyond the choices, or assumes what
// does not hold.
type stopped struct{}

// run reports whether the body ended.
func (m *machine) run(body client.Body) (ended bool) {
	defer func() {
		if r := recover(); r != nil && r != (stopped{}) {
			panic(r)
		}
	}()
	if err := body(m); err == nil {
		m.log.writes = m.own
	}
	return true
}

func (m *machine) Read(key string) any {
	if v, ok := m.own[key]; ok {
		return v
	}
	if len(m.log.reads) == len(m.from) {
		m.asks = key
		panic(stopped{})
	}
	from := m.from[len(m.log.reads)]
	m.log.reads = append(m.log.reads, refRead{key, from})
	return m.b.value(key, from)
}

func (m *machine) Assume(cond bool) {
	if !cond {
		m.dropped = true
		panic(stopped{})
	}
}

func (m *machine) Write(key string, v any) { m.own[key] = v }

var bruteSteps = flag.Int("brute", 0, "steps of brute force for each client and level, instead of a few")

// TestBruteForce: the engine's counts of the own clients are those of brute force,
// where that ends soon.
func TestBruteForce(t *testing.T) {
	programs, err := Load(Own(), Apps())
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{Sessions, Transactions} {
		more, err := scaled(kind, Apps())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range more {
			programs = append(programs, cut(p, 3, 2), cut(p, 2, 3))
		}
	}
	budget := 800
	switch {
	case *bruteSteps > 0:
		budget = *bruteSteps
	case testing.Short():
		budget = 300
	}
	confirmed := map[isolation.Level]int{}
	for _, p := range programs {
		for _, level := range []isolation.Level{isolation.RA, isolation.CC, isolation.SI, isolation.SER} {
			n, ok := bruteCount(p, level, budget)
			if !ok {
				continue
			}
			confirmed[level]++
			if got := explored(t, p, optionsAt(level)); got.Histories != int64(n) || !got.Complete {
				t.Errorf("%s/%s at %v: %d histories, %d by brute force", p.App.Name, p.Name, level, got.Histories, n)
			}
		}
	}
	t.Logf("of %d clients confirmed: %v", len(programs), confirmed)
}
