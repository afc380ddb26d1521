package dpor_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/bench"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

var ablations = map[string]func(dpor.Options) dpor.Options{
	"all":          func(o dpor.Options) dpor.Options { return o },
	"by-rows":      func(o dpor.Options) dpor.Options { return dpor.Ablate(o, dpor.ByRows) },
	"no-order":     func(o dpor.Options) dpor.Options { return dpor.Ablate(o, dpor.NoOrder) },
	"no-forcing":   func(o dpor.Options) dpor.Options { return dpor.Ablate(o, dpor.NoForcing) },
	"no-lookahead": func(o dpor.Options) dpor.Options { return dpor.Ablate(o, dpor.NoLookahead) },
	"no-sleep":     func(o dpor.Options) dpor.Options { return dpor.Ablate(o, dpor.NoSleep) },
}

// What the serial engine does against dead ends changes no history.
func TestAblation(t *testing.T) {
	t.Parallel()
	dead := map[string]int64{}
	for p := range randomPrograms("ablation", countFlag.N()/8, rich) {
		ablate(t, p, dead)
	}
	t.Logf("dead ends: %v", dead)
}

// Without it there are more dead ends, on programs that have some: what is forced matters
// to the random ones, the lookahead to the last. Sleep saves time and no calls
// (docs/serial.md).
func TestAblationDeadEnds(t *testing.T) {
	t.Parallel()
	dead := map[string]int64{}
	for _, text := range []string{
		"w x ; w x ; r x r x | r x w x r x",
		"inc x ; r x r x | r x w x 2 inc x r x | w x r x r x r x",
		"r x r x w x r x | w x r x r x | r x ; r x | inc x r x r x r x",
		turns("w", "r", 1, 3, 2, 2),
	} {
		ablate(t, parse(text), dead)
	}
	t.Logf("dead ends: %v", dead)
	if dead["all"] >= dead["no-forcing"] || dead["no-forcing"] >= dead["no-lookahead"] || dead["no-lookahead"] > dead["no-sleep"] {
		t.Errorf("dead ends: %v", dead)
	}
}

// ablate compares the histories of a program with and without what the serial engine
// does, and adds its dead ends to dead.
func ablate(t *testing.T, p *prog, dead map[string]int64) {
	t.Helper()
	client, err := newClient(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range serialLevels {
		all, err := list(client, at(l))
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for key := range all.histories {
			want[key] = true
		}
		stats := map[string]dpor.Stats{}
		for name, without := range ablations {
			found, err := list(client, without(serially(l)))
			if err == nil {
				err = found.equals(want)
			}
			if err == nil {
				err = found.once()
			}
			if err != nil {
				t.Fatalf("%s at %v: %v: %v (-seed=%d)", name, l, p, err, seed())
			}
			stats[name] = found.stats
			dead[name] += found.stats.Blocked
		}
		if words, rows := stats["all"], stats["by-rows"]; words.Explored != rows.Explored || words.Blocked != rows.Blocked {
			t.Fatalf("%v at %v: %d calls and %d dead ends, with sets as rows %d and %d (-seed=%d)", p, l, words.Explored, words.Blocked,
				rows.Explored, rows.Blocked, seed())
		}
	}
}

// BenchmarkAblation measures the gain of each thing that the serial engine does against
// dead ends. The programs are the 25 clients of the benchmarks, programs of single
// accesses, and random ones. It reports calls by history, and two shares of the calls:
// those that are dead ends, and those in vain, which lead to no history.
func BenchmarkAblation(b *testing.B) {
	for _, l := range []isolation.Level{isolation.SI, isolation.SER} {
		for _, set := range ablationSets(b) {
			for _, name := range []string{"no-sleep", "no-lookahead", "no-forcing", "no-order", "all"} {
				b.Run(fmt.Sprintf("%v/%s/%s", l, set.name, name), func(b *testing.B) {
					var n, calls, dead, useful int64
					for _, c := range set.clients {
						s, u := usefulCalls(b, c, ablations[name](serially(l)))
						n, calls, dead, useful = n+s.Histories, calls+s.Explored, dead+s.Blocked, useful+u
					}
					for b.Loop() {
						for _, c := range set.clients {
							if _, err := drain(c, ablations[name](serially(l))); err != nil {
								b.Fatal(err)
							}
						}
					}
					b.ReportMetric(float64(n), "histories")
					b.ReportMetric(float64(calls)/float64(n), "calls/history")
					b.ReportMetric(100*float64(dead)/float64(calls), "%dead")
					b.ReportMetric(100*float64(calls-useful)/float64(calls), "%vain")
				})
			}
		}
	}
}

// usefulCalls counts the calls of serial that lead to a history: as many as the
// histories have beginnings.
func usefulCalls(b *testing.B, c *program.Client, opts dpor.Options) (dpor.Stats, int64) {
	opts.List, opts.All = true, true
	x := dpor.Explore(context.Background(), c, opts)
	beginnings := map[string]bool{"": true}
	for f, err := range x.Histories() {
		if err != nil {
			b.Fatal(err)
		}
		var key strings.Builder
		for _, t := range f.Order[1:] {
			txn := &f.History.Txns[t]
			fmt.Fprintf(&key, "%d:", txn.Session)
			for _, e := range txn.Events {
				if e.Kind == semantics.Read && e.From != semantics.Own {
					w := &f.History.Txns[e.From]
					fmt.Fprintf(&key, "%d.%d,", w.Session, w.Index)
				}
			}
			beginnings[key.String()] = true
		}
	}
	return x.Stats(), int64(len(beginnings))
}

type ablationSet struct {
	name    string
	clients []*program.Client
}

func ablationSets(b *testing.B) []ablationSet {
	programs, err := bench.Load(bench.Own(), bench.Apps())
	if err != nil {
		b.Fatal(err)
	}
	clients := ablationSet{name: "clients"}
	for _, p := range programs {
		c, err := program.NewClient(p.Name, p.Explore, program.Options{})
		if err != nil {
			b.Fatal(err)
		}
		clients.clients = append(clients.clients, c)
	}
	sets := []ablationSet{clients}
	add := func(name string, p *prog) {
		c, err := newClient(p)
		if err != nil {
			b.Fatal(err)
		}
		if last := &sets[len(sets)-1]; last.name == name {
			last.clients = append(last.clients, c)
			return
		}
		sets = append(sets, ablationSet{name: name, clients: []*program.Client{c}})
	}
	add("fai42", parse(fai(4, 2)))
	add("wr422", parse(turns("w", "r", 1, 4, 2, 2)))
	add("rw332", parse(turns("r", "w", 0, 3, 3, 2)))
	for p := range randomPrograms("ablation", portion(300), rich) {
		add("random", p)
	}
	return sets
}
