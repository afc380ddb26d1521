package application

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func asked(r *Run, sql string) question {
	return question{&socket{}, batch{messages: []message{query(sql)}, sync: true}, nil, make(chan answered, 1)}
}

// TestTogether: a trial refuses statements that are sent at the same time. Both are given up.
func TestTogether(t *testing.T) {
	t.Parallel()
	trial := new(Application).Try("ann", nil)
	trial.together = time.Hour
	a, b := asked(trial.Run, "SELECT 1 FROM a"), asked(trial.Run, "SELECT 1 FROM b")
	go func() { trial.questions <- b }()
	if err := trial.alone(a); err == nil || !strings.Contains(err.Error(), `"SELECT 1 FROM a" and "SELECT 1 FROM b" are sent at the same time`) {
		t.Error(err)
	}
	for _, q := range []question{a, b} {
		if got := <-q.reply; got.err == nil {
			t.Error("answered")
		}
	}
	trial.together = 0
	if err := trial.alone(a); err != nil {
		t.Error(err)
	}
}

// TestDiffers: trials differ where a statement or a response does, but for fresh values and what libraries ask once.
func TestDiffers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		first, second []string
		differs       string
	}{
		{[]string{"SELECT 1 FROM a"}, []string{"SELECT 1 FROM a"}, ""},
		{[]string{"SELECT oid FROM pg_catalog.pg_type", "SELECT 1 FROM a"}, []string{"SELECT 1 FROM a"}, ""},
		{[]string{"INSERT INTO a VALUES (1764293304)"}, []string{"INSERT INTO a VALUES (1764293305)"}, ""},
		{[]string{"SELECT 1 FROM a", "SELECT 1 FROM b"}, []string{"SELECT 1 FROM a"}, `"SELECT 1 FROM b" the first time, and nothing when`},
		{[]string{"SELECT 1 FROM a"}, []string{"SELECT 2 FROM a"}, `"SELECT 1 FROM a" the first time, and "SELECT 2 FROM a" when`},
	} {
		var a Application
		one, two := a.Try("ann", nil), a.Try("ann", nil)
		for _, sql := range test.first {
			one.notes(asked(one.Run, sql))
		}
		for _, sql := range test.second {
			two.notes(asked(two.Run, sql))
		}
		if got := one.Differs(two); (got == "") != (test.differs == "") || !strings.Contains(got, test.differs) {
			t.Errorf("%q and %q: %q", test.first, test.second, got)
		}
	}
}

// What is left out the second time is kept in memory where it only reads, and the responses are the same.
func TestKeeps(t *testing.T) {
	t.Parallel()
	all := []string{"SELECT a FROM setting", "SELECT b FROM t WHERE id = 1", "UPDATE t SET b = 2 WHERE id = 1"}
	for name, c := range map[string]struct {
		first, second []string
		got           string
		want          []string
	}{
		"a query":         {all, all[1:], "200", all[:1]},
		"another answer":  {all, all[1:], "409", nil},
		"a write":         {all, all[:2], "200", nil},
		"a lock":          {[]string{"SELECT a FROM t FOR UPDATE", all[2]}, all[2:], "200", nil},
		"something else":  {all, []string{all[1], "UPDATE t SET b = 3 WHERE id = 1"}, "200", nil},
		"more":            {all[1:], all, "200", nil},
		"a catalog query": {append([]string{"SELECT oid FROM pg_type"}, all...), all[1:], "200", all[:1]},
	} {
		if kept := (&Trial{sent: c.first, got: []string{"200"}}).Keeps(&Trial{sent: c.second, got: []string{c.got}}); !slices.Equal(kept, c.want) {
			t.Errorf("%s: it keeps %q, not %q", name, kept, c.want)
		}
	}
}
