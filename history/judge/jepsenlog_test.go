package judge_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation"
)

// A write without an answer may explain a read at any time after its call, and once. A cas that failed had
// no effect; one without an answer may have had one, if it found what it asked for.
func TestLogsOfRegistersAreLinearizableOrNot(t *testing.T) {
	t.Parallel()
	const begins = "INFO  jepsen.core - Worker 0 starting\n" +
		"INFO  jepsen.util - 0\t:invoke\t:write\t1\nINFO  jepsen.util - 0\t:ok\t:write\t1\n" +
		"INFO  jepsen.util - 1\t:invoke\t:write\t2\nINFO  jepsen.util - 1\t:info\t:write\t:timed-out\n" +
		"INFO  jepsen.util - 2\t:invoke\t:cas\t[1 3]\nINFO  jepsen.util - 2\t:fail\t:cas\t[1 3]\n" +
		"INFO  jepsen.util - 2\t:invoke\t:cas\t[2 4]\nINFO  jepsen.util - 2\t:info\t:cas\t:timed-out\n" +
		"INFO  jepsen.util - 5\t:invoke\t:read\tnil\nINFO  jepsen.util - 5\t:fail\t:read\t:timed-out\n" +
		"INFO  jepsen.util - :nemesis\t:info\t:start\tnil\n"
	read := func(value string) string {
		return "INFO  jepsen.util - 4\t:invoke\t:read\tnil\nINFO  jepsen.util - 4\t:ok\t:read\t" + value + "\n"
	}
	for _, c := range []struct {
		reads string
		want  check.Outcome
	}{
		{read("1") + read("1"), check.Satisfied},
		{read("1") + read("2") + read("4"), check.Satisfied},
		{read("4") + read("4"), check.Satisfied},
		{read("2") + read("1"), check.Violated},
		{read("4") + read("2"), check.Violated},
		{read("3"), check.Violated},
		{read("nil"), check.Violated},
	} {
		path := filepath.Join(t.TempDir(), "register.log")
		if err := os.WriteFile(path, []byte(begins+c.reads), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := judge.Load(t.Context(), path, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		err = f.Judge(t.Context(), []isolation.Level{isolation.LIN}, judge.Options{By: judge.ByReads}, func(v *judge.Verdict) error {
			if v.Outcome != c.want {
				t.Errorf("%s: %v, want %v", c.reads, v.Outcome, c.want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
