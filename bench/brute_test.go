package bench

import (
	"flag"
	"fmt"
	"testing"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/table"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/semantics"
)

// The histories of a program by brute force (isolation/reference). It shares
// nothing with the engine, not even how client code is run: a transaction is run
// from its first operation for every choice of what its reads return.

// bruteCount returns the number of histories, and false when it gives up after
// budget transactions, or beginnings of them.
func bruteCount(p *client.Program, level isolation.Level, budget int) (int, bool) {
	n := &numbering{ids: map[string]int{}}
	rows := table.NewMemory()
	table.Load(rows, p.App.Schema, p.Rows)
	b := &reference.Program{
		Sessions: len(p.Sessions), Final: -1,
		Initial: func(x int) int { return n.id(rows.Read(n.of[x].(string))) },
		Run: func(s int, before []reference.Log, answers []int) reference.Run {
			if len(before) == len(p.Sessions[s]) {
				return reference.Run{None: true}
			}
			m := &machine{numbering: n, answers: answers, own: map[string]any{}}
			m.run(p.Sessions[s][len(before)].Body)
			return m.Run
		},
	}
	steps := 0
	all := b.Histories(0, func(h *reference.History) bool {
		steps++
		return steps <= budget && h.Satisfies(level)
	})
	return len(all), steps <= budget
}

// numbering numbers keys and values by what they print as.
type numbering struct {
	ids map[string]int
	of  []any
}

func (n *numbering) id(v any) int {
	text := fmt.Sprintf("%T %#v", v, v)
	id, ok := n.ids[text]
	if !ok {
		id = len(n.of)
		n.ids[text], n.of = id, append(n.of, v)
	}
	return id
}

// machine is the transaction that runs a body on given answers to its external
// reads.
type machine struct {
	*numbering
	answers []int
	own     map[string]any
	reference.Run
}

// stopped leaves a body that asks for a read beyond the answers, or assumes what
// does not hold.
type stopped struct{}

func (m *machine) run(body client.Body) {
	defer func() {
		if r := recover(); r != nil && r != (stopped{}) {
			panic(r)
		}
	}()
	m.Status = semantics.Aborted
	if err := body(m); err == nil {
		m.Status = semantics.Committed
	}
}

func (m *machine) Read(key string) any {
	if v, ok := m.own[key]; ok {
		m.Steps = append(m.Steps, reference.Step{Var: m.id(key), Val: m.id(v), Own: true})
		return v
	}
	if len(m.answers) == 0 {
		m.Status, m.Asks = semantics.Pending, m.id(key)
		panic(stopped{})
	}
	val := m.answers[0]
	m.answers = m.answers[1:]
	m.Steps = append(m.Steps, reference.Step{Var: m.id(key), Val: val})
	return m.of[val]
}

func (m *machine) Assume(cond bool) {
	if !cond {
		m.Dropped = true
		panic(stopped{})
	}
}

func (m *machine) Write(key string, v any) {
	m.own[key] = v
	m.Steps = append(m.Steps, reference.Step{Write: true, Var: m.id(key), Val: m.id(v)})
}

var bruteSteps = flag.Int("brute", 0, "steps of brute force for each client and level, instead of a few")

// TestBruteForce: the engine's counts of the own clients are those of brute force,
// where that ends soon.
func TestBruteForce(t *testing.T) {
	t.Parallel()
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
	budget := 100
	switch {
	case *bruteSteps > 0:
		budget = *bruteSteps
	case *long:
		budget = 800
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
