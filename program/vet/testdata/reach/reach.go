// Package reach reaches code in many ways.
package reach

import (
	"time"

	"github.com/txmc/txmc"
)

func ExploreReach(p *txmc.Program) {
	var shop service = &store{}
	p.Session("a", func(s *txmc.Session) {
		shop.buy()
		generic(3)
		table["x"]()
		f := (&store{}).sell
		f()
		defer later()
	})
	p.Session("b", run)
	p.Session("c", store{}.session)
}

type service interface{ buy() }

type store struct{}

func (*store) buy() { _ = time.Now() } // want `time.Now`

func (*store) sell() { _ = time.Now() } // want `time.Now`

func (store) session(s *txmc.Session) { _ = time.Now() } // want `time.Now`

func (*store) unused() { _ = time.Now() }

func generic[T any](t T) { _ = time.Now() } // want `time.Now`

// What a variable holds may be called.
var table = map[string]func(){
	"x": func() { _ = time.Now() }, // want `time.Now`
	"y": named,
	"z": made(),
	"m": (&store{}).made(),
}

var unusedTable = []func(){func() { _ = time.Now() }}

func named() { _ = time.Now() } // want `time.Now`

// It runs once, before all.
func made() func() {
	_ = time.Now()
	return nil
}

func (*store) made() func() {
	_ = time.Now()
	return nil
}

var steps = []struct {
	name string
	body func(*txmc.Session)
}{
	{"a", func(s *txmc.Session) { _ = time.Now() }}, // want `time.Now`
}

func ExploreSteps(p *txmc.Program) {
	for _, s := range steps {
		p.Session(s.name, s.body)
	}
}

func later() { _ = time.Now() } // want `time.Now`

func run(s *txmc.Session) { deep() }

func deep() { _ = time.Now() } // want `time.Now`

// Not Explore functions.
func Explored(p *txmc.Program)         { _ = time.Now() }
func ExploreTwo(p, q *txmc.Program)    { _ = time.Now() }
func (*store) Explore(p *txmc.Program) { _ = time.Now() }
