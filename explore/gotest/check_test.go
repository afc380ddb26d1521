package gotest

import (
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// exploreCounter loses an update below snapshot isolation.
func exploreCounter(p *program.Program) {
	x := program.NewVar(p, "x", 0)
	for _, name := range []string{"a", "b"} {
		p.Session(name, func(s *program.Session) {
			s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
		})
	}
	p.Final("count", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) == 2, "an update is lost") })
}

func TestRun(t *testing.T) { Run(t, exploreCounter, Levels(isolation.SI, isolation.SER), Workers(1)) }

func TestDefaultLevel(t *testing.T) { Run(t, exploreCounter) }

func TestAllowIncomplete(t *testing.T) {
	Run(t, exploreCounter, MaxHistories(1), AllowIncomplete(), Base("rc"), Timeout(time.Minute), MaxOps(5))
}

func TestOutcomes(t *testing.T) {
	for _, test := range []struct {
		iso  isolation.Level
		opts []Option
		want verdict
		text string
	}{
		{isolation.SER, nil, holds, "ok    exploreCounter  iso=ser  2 histories"},
		{isolation.PC, nil, broken, "an update is lost"},
		{isolation.SI, []Option{MaxHistories(1)}, incomplete, "1 history: no violation so far, not a proof\nstopped by the limit of 1"},
		{isolation.SI, []Option{MaxOps(1)}, failed, `transaction "inc" has more than 1 operations`},
	} {
		c, err := configure(append(test.opts, Levels(test.iso)))
		if err != nil {
			t.Fatal(err)
		}
		client, err := program.NewClient("exploreCounter", exploreCounter, c.Program())
		if err != nil {
			t.Fatal(err)
		}
		o := (&level{config: *c, pkg: "p", client: client, iso: test.iso}).explore(t.Context())
		if o.verdict != test.want || !strings.Contains(o.text, test.text) {
			t.Errorf("%v: verdict %d, want %d with %q:\n%s", test.iso, o.verdict, test.want, test.text, o.text)
		}
		if (o.violation != nil) != (test.want == broken) {
			t.Errorf("%v: violation %v", test.iso, o.violation)
		}
	}
}

// The advice to take another engine names the option of a test.
func TestAdvice(t *testing.T) {
	contended := func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		for _, name := range []string{"a", "b", "c"} {
			p.Session(name, func(s *program.Session) {
				for range 3 {
					s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
				}
			})
		}
	}
	c, err := configure([]Option{Levels(isolation.SER), Engine("swap"), MaxHistories(50), Workers(1)})
	if err != nil {
		t.Fatal(err)
	}
	client, err := program.NewClient("exploreContended", contended, c.Program())
	if err != nil {
		t.Fatal(err)
	}
	o := (&level{config: *c, pkg: "p", client: client, iso: isolation.SER}).explore(t.Context())
	if want := `; txmc.Engine("auto") explores ser alone`; !strings.Contains(o.text, want) {
		t.Errorf("want %q in\n%s", want, o.text)
	}
}

// The levels of a database are checked on its model.
func TestRunOnDatabase(t *testing.T) {
	Run(t, func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		for _, who := range []string{"a", "b"} {
			p.Session(who, func(s *program.Session) {
				s.Txn("add", func(tx *program.Tx) error {
					x.Update(tx, func(old int) (int, bool) { return old + 1, true })
					return nil
				})
			})
		}
		p.Final("sum", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) == 2, "x is %d", x.Get(tx)) })
	}, Levels(isolation.PgRC))
	c, err := configure([]Option{Levels(isolation.PgRC)})
	if err != nil {
		t.Fatal(err)
	}
	client, err := program.NewClient("ExploreCounter", exploreCounter, c.Program())
	if err != nil {
		t.Fatal(err)
	}
	if client, err = client.Database(); err != nil {
		t.Fatal(err)
	}
	o := (&level{config: *c, pkg: "p", client: client, iso: isolation.PgRC}).explore(t.Context())
	if o.verdict != broken || !strings.Contains(o.text, "PostgreSQL READ COMMITTED") {
		t.Errorf("verdict %v\n%s", o.verdict, o.text)
	}
}

// A level that holds within a bound passes, and says so.
func TestInterruptions(t *testing.T) {
	two := func(p *program.Program) {
		x, y := program.NewVar(p, "x", 0), program.NewVar(p, "y", 0)
		for _, who := range []string{"a", "b"} {
			p.Session(who, func(s *program.Session) {
				s.Txn("add", func(tx *program.Tx) error {
					x.Update(tx, func(old int) (int, bool) { return old + 1, true })
					y.Set(tx, 1)
					return nil
				})
			})
		}
		p.Final("sum", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) == 2, "x is %d", x.Get(tx)) })
	}
	for most, text := range map[int]string{0: "ok with at most 0 interruptions  ExploreTwo  iso=pg-rc", 50: "ok    ExploreTwo"} {
		c, err := configure([]Option{Levels(isolation.PgRC), Interruptions(most)})
		if err != nil {
			t.Fatal(err)
		}
		client, err := program.NewClient("ExploreTwo", two, c.Program())
		if err != nil {
			t.Fatal(err)
		}
		if client, err = client.Database(); err != nil {
			t.Fatal(err)
		}
		o := (&level{config: *c, pkg: "p", client: client, iso: isolation.PgRC}).explore(t.Context())
		if o.verdict != holds || !strings.Contains(o.text, text) {
			t.Errorf("at most %d: verdict %v\n%s", most, o.verdict, o.text)
		}
	}
	if _, err := configure([]Option{Levels(isolation.PgRC), Interruptions(-1)}); err == nil {
		t.Error("a negative bound is no error")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for text, opts := range map[string][]Option{
		"not a level that can be checked":   {Levels(isolation.True)},
		"base cc is stronger than level rc": {Levels(isolation.RC), Base("cc")},
		"txmc.Base: unknown base":           {Base("nonsense")},
		"unknown engine":                    {Engine("nonsense")},
		`txmc.Engine("serial") explores pc, si and ser, not cc: use txmc.Engine("auto")`: {Levels(isolation.CC), Engine("serial")},
		"must not be negative":                           {MaxHistories(-1)},
		"MaxHistories, Timeout, Workers and MaxOps must": {Timeout(-1)},
	} {
		if _, err := configure(opts); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q", err, text)
		}
	}
	c, err := configure([]Option{Levels(isolation.RC), Levels(isolation.RC, isolation.SER)})
	if err != nil || len(c.Levels) != 2 {
		t.Errorf("levels %v, %v", c.Levels, err)
	}
}

func TestStopped(t *testing.T) {
	for _, test := range []struct {
		level  level
		reason string
		want   string
	}{
		{level{config: config{Options: explore.Options{MaxHistories: 5}}, short: true}, "max-histories", "stopped by the limit of 5 under -short"},
		{level{config: config{Options: explore.Options{Timeout: time.Second}}}, "timeout", "stopped after 1s"},
		{level{config: config{Options: explore.Options{Timeout: time.Second}}, deadline: true}, "timeout", "stopped after 1s, before the deadline of go test -timeout"},
		{level{}, "interrupt", "stopped by an interrupt"},
	} {
		if got := test.level.stopped(test.reason); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestLimits(t *testing.T) {
	if least[int64](0, 3) != 3 || least[int64](2, 0) != 2 || least[int64](2, 3) != 2 {
		t.Error("least")
	}
}

func TestNames(t *testing.T) {
	pkg, name := names(exploreCounter)
	if pkg != "github.com/txmc/txmc/explore/gotest" || name != "exploreCounter" {
		t.Errorf("%s, %s", pkg, name)
	}
}
