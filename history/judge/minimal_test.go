package judge_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/semantics"
)

// What is shown of every violation of the published histories is minimal: the level is
// violated by those transactions, by the definitions of package isolation, and by no
// fewer of them. The cycle is of nothing else.
func TestPublishedMinimal(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	data := archives(t)
	archives, err := filepath.Glob(filepath.Join(data, "*.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	shown, other, seen := 0, 0, 0
	for _, archive := range archives {
		dir := unpack(t, archive)
		paths, err := judge.Find([]string{dir}, nil, func(_ string, err error) { t.Error(err) }, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if seen++; seen%deadlinetest.Of(4, 12) > 0 && !*judge.Long {
				continue
			}
			f, err := judge.Load(t.Context(), path, nil, false)
			if err != nil {
				continue // refused
			}
			name, _ := filepath.Rel(dir, path)
			var last *check.Violation
			if err := f.Judge(t.Context(), isolation.Levels(), judge.Options{By: judge.ByReads}, func(v *judge.Verdict) error {
				switch {
				case v.Outcome != check.Violated || v.Violation == last:
				case v.Violation == nil:
					if len(v.Faults) == 0 {
						t.Errorf("%s at %v: violated, and nothing shows it", name, v.Level)
					}
				case isolation.Satisfies(v.Violation.History, v.Level):
					other++ // by an order of versions that the history tells
				default:
					shown++
					last = v.Violation
					minimal(t, name, v.Violation.History, v.Level)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
		}
	}
	t.Logf("%d violations by reads, %d by orders of versions", shown, other)
	if least := map[bool]int{true: 120, false: deadlinetest.Of(25, 8)}[*judge.Long]; shown < least {
		t.Errorf("%d violations", shown)
	}
}

func minimal(t *testing.T, name string, h *semantics.History, l isolation.Level) {
	t.Helper()
	for i := 1; i < len(h.Txns); i++ {
		if !isolation.Satisfies(without(h, i), l) {
			t.Errorf("%s at %v: it is violated without transaction %d of %d", name, l, i, len(h.Txns)-1)
		}
	}
	e := anomaly.Explain(h)
	if e.Proof == nil {
		t.Errorf("%s at %v: no proof", name, l)
	}
}

// without is h without transaction i and the reads from it.
func without(h *semantics.History, i int) *semantics.History {
	out := &semantics.History{Final: h.Final, Sessions: h.Sessions}
	seen := map[int]int{}
	for t, x := range h.Txns {
		if t == i {
			continue
		}
		if x.Session >= 0 {
			x.Index = seen[x.Session]
			seen[x.Session]++
		}
		x.Events = slices.DeleteFunc(slices.Clone(x.Events), func(e semantics.Event) bool { return e.Kind == semantics.Read && e.From == i })
		for k := range x.Events {
			if e := &x.Events[k]; e.Kind == semantics.Read && e.From > i {
				e.From--
			}
		}
		out.Txns = append(out.Txns, x)
	}
	return out
}
