package replay_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore/replay"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random programs; 0 means one from the clock")

// plan is a random program: by session and transaction a list of operations.
type plan [][][]int

func randomPlan(r *rand.Rand) plan {
	p := make(plan, 2+r.IntN(2))
	for i := range p {
		p[i] = make([][]int, 1+r.IntN(2))
		for j := range p[i] {
			for range 1 + r.IntN(3) {
				p[i][j] = append(p[i][j], r.IntN(12))
			}
		}
	}
	return p
}

// explore runs the plan. What a transaction writes, whether it aborts, and
// whether a session goes on depends on what was read.
func (p plan) explore(pr *program.Program) {
	keys := []string{"x", "y/1"}
	for i, txns := range p {
		pr.Session(fmt.Sprint("s", i), func(s *program.Session) {
			seen := i + 1
			for j, ops := range txns {
				err := s.Txn(fmt.Sprint("t", j), func(tx *program.Tx) error {
					for _, op := range ops {
						key := keys[op%2]
						switch {
						case op < 5:
							if n, ok := tx.Read(key).(int); ok {
								seen += n
							}
						case op < 10:
							tx.Write(key, seen)
						case op == 10 && seen%3 == 0:
							return fmt.Errorf("no luck with %d", seen)
						default:
							tx.Write(key, []int{seen})
						}
					}
					return nil
				})
				s.Observe("seen", seen)
				if err != nil && seen%2 == 0 {
					return
				}
			}
		})
	}
	pr.Final("even", func(tx *program.Tx) error {
		n, _ := tx.Read("x").(int)
		return program.Assertf(n%2 == 0, "x is %d", n)
	})
	if len(p[0])%2 == 0 {
		pr.Serializable("serial")
	}
	pr.Invariant("quiet", func(o *program.Outcome) error {
		if len(o.Sessions[0].Observed("seen")) > 1 {
			return fmt.Errorf("it said more than once")
		}
		return nil
	})
}

func client(t *testing.T, explore func(*program.Program)) *program.Client {
	t.Helper()
	c, err := program.NewClient("ExploreIt", explore, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// saved writes a violation to a file and reads it.
func saved(t *testing.T, v *report.Violation) *report.Violation {
	t.Helper()
	data, err := (&replay.File{Dir: "/src", MaxOps: 7, Violation: v}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := replay.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return f.Violation
}

func text(t *testing.T, v any) string {
	t.Helper()
	line, err := report.Line(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// Explore, save, replay: every history of a random program comes out as it was, with
// its former verdict. Stronger levels judge it as they explore.
func TestRoundTrip(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	r := rand.New(rand.NewPCG(seed, 0))
	violations := 0
	for range deadlinetest.Until(t, deadlinetest.Of(60, 10), func() bool { return violations > 0 }) {
		p := randomPlan(r)
		opts := dpor.Options{Level: isolation.RA, Base: isolation.RA, All: true, List: true, Scope: dpor.Scope{MaxHistories: 30}}
		c := client(t, p.explore)
		src := report.Source{Package: "p", Program: c.Name, Level: opts.Level, Names: c}
		for found, err := range dpor.Explore(t.Context(), c, opts).Histories() {
			if err != nil {
				t.Fatal(err)
			}
			v := src.Violation(report.Case(*found))
			got, err := replay.Run(client(t, p.explore), "p", saved(t, v), isolation.RA)
			if err != nil {
				t.Fatalf("seed %d, program %v: %v", seed, p, err)
			}
			want := report.AssertionHolds
			if len(found.Failures) > 0 {
				want, violations = report.Reproduced, violations+1
			}
			if got.Verdict != want || got.Other {
				t.Fatalf("seed %d, program %v: %s, want %s\n%s", seed, p, got.Verdict, want, text(t, got))
			}
			if diff := cmp.Diff(text(t, v), text(t, got.Violation)); diff != "" {
				t.Fatalf("seed %d, program %v: -explored +replayed\n%s", seed, p, diff)
			}
			ser, err := replay.Run(client(t, p.explore), "p", v, isolation.SER)
			if err != nil || isolation.Satisfies(found.History, isolation.SER) == (ser.Verdict == report.Forbidden) {
				t.Fatalf("seed %d, program %v: at ser %v, %v", seed, p, ser, err)
			}
		}
	}
}

// counter loses an update; change says what has been changed since.
func counter(change string) func(*program.Program) {
	return func(p *program.Program) {
		first := 0
		if change == "initial" {
			first = 7
		}
		x := program.NewVar(p, "x", first)
		for _, name := range []string{"a", "b"} {
			if name == "b" && change == "session" {
				name = "c"
			}
			p.Session(name, func(s *program.Session) {
				title := "inc"
				if change == "begin" {
					title = "add"
				}
				s.Txn(title, func(tx *program.Tx) error {
					n := x.Get(tx)
					switch {
					case change == "read":
						tx.Read("y")
					case change == "write":
						n++
					case change == "own":
						tx.Write("z", 1)
						tx.Read("z")
					}
					x.Set(tx, n+1)
					if change == "abort" {
						return fmt.Errorf("not today")
					}
					return nil
				})
				s.Assume(change != "assume")
				switch change {
				case "observe":
					s.Observe("done", "of course")
				case "silent":
				case "twice":
					s.Observe("done", true)
					s.Observe("done", true)
				case "aside":
					s.Observe("done", true)
					s.Observe("aside", 1)
				default:
					s.Observe("done", true)
				}
				if change == "more" {
					s.Txn("more", func(*program.Tx) error { return nil })
				}
			})
		}
		if change == "new session" {
			p.Session("d", func(s *program.Session) { s.Txn("new", func(*program.Tx) error { return nil }) })
		}
		p.Final("check", func(tx *program.Tx) error {
			n := x.Get(tx)
			return program.Assertf(n == 2 || change == "assertion" || change == "another", "x is %d", n)
		})
		if change == "another" {
			p.Invariant("of late", func(*program.Outcome) error { return fmt.Errorf("never asserted before") })
		}
	}
}

// Where the code has changed, the replay says where and how.
func TestDifferences(t *testing.T) {
	c := client(t, counter(""))
	opts := dpor.Options{Level: isolation.CC, Base: isolation.CC, Workers: 1}
	src := report.Source{Package: "p", Program: c.Name, Level: opts.Level, Names: c}
	var v *report.Violation
	for found, err := range dpor.Explore(t.Context(), c, opts).Histories() {
		if err != nil {
			t.Fatal(err)
		}
		v = src.Violation(report.Case(*found))
	}
	for change, want := range map[string]string{
		"":            "reproduced 11",
		"assertion":   "holds 11",
		"another":     "reproduced 11, but another assertion fails",
		"initial":     "differs 1: read x = 0 → read x = 7",
		"begin":       "differs 0: begin inc → begin add",
		"read":        "differs 2: write x = 1 → read y",
		"write":       "differs 2: write x = 1 → write x = 2",
		"own":         "differs 2: write x = 1 → write z = 1",
		"abort":       "differs 3: commit → abort: not today",
		"session":     "differs 4: begin inc → no session of that name",
		"more":        "differs 11: end of the session → begin more",
		"observe":     `differs 11: observe done = true → observe done = "of course"`,
		"silent":      "differs 11: observe done = true → no observation done",
		"twice":       "differs 11: no further observation done → observe done = true",
		"aside":       "reproduced 11",
		"assume":      "differs 11: end of the session → an assumption does not hold, so that the history does not count",
		"new session": "differs 11: end of the session → begin new",
	} {
		got, err := replay.Run(client(t, counter(change)), "p", v, isolation.CC)
		if err != nil {
			t.Errorf("%s: %v", change, err)
			continue
		}
		said := fmt.Sprintf("%s %d", got.Verdict, got.Steps)
		if got.Other {
			said += ", but another assertion fails"
		}
		if d := got.Difference; d != nil {
			said += fmt.Sprintf(": %s → %s", d.Recorded, d.Now)
			if !strings.Contains(d.NowAt, "replay_test.go:") && !strings.HasPrefix(d.Now, "no ") && change != "assume" {
				t.Errorf("%s: the difference has no line: %+v", change, d)
			}
		}
		if said != want {
			t.Errorf("%q: got %q, want %q", change, said, want)
		}
	}
	got, err := replay.Run(client(t, counter("")), "p", v, isolation.SI)
	if err != nil || got.Verdict != report.Forbidden {
		t.Errorf("at si %v, %v", got, err)
	}
}

// A file that is no history is an error, not a panic.
func TestDamage(t *testing.T) {
	for name, v := range map[string]*report.Violation{
		"empty":   {},
		"unknown": {Order: []string{"init", "a/1"}},
		"from": {Order: []string{"a/1"}, History: report.History{Transactions: []report.Transaction{
			{ID: "init"}, {ID: "a/1", Session: "a", Name: "inc", Events: []report.Event{{Op: "read", Key: "x", From: "b/1"}}}}}},
		"itself": {Order: []string{"a/1"}, History: report.History{Transactions: []report.Transaction{
			{ID: "init"}, {ID: "a/1", Session: "a", Name: "inc", Events: []report.Event{{Op: "read", Key: "x", From: "a/1"}}}}}},
	} {
		if got, err := replay.Run(client(t, counter("")), "p", v, isolation.SI); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"is not a violation":  "{}",
		"is not a violation ": "nonsense",
		"has version 9":       `{"type":"saved","version":9}`,
		"names no program":    `{"type":"saved","version":1}`,
		"unknown isolation":   `{"type":"saved","version":1,"violation":{"program":"p","iso":"best"}}`,
	} {
		file := filepath.Join(dir, "f")
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := replay.Read(file); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("%s: %v", content, err)
		}
	}
	if _, err := replay.Read(filepath.Join(dir, "none")); err == nil {
		t.Error("no error for a file that is not there")
	}
}
