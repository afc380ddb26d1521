package judge_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/history/judge"
)

// Every history that comes with Elle and elle-cli: the strongest level that it
// satisfies, or how its refusal begins. Its folder or name says good or bad; where
// that is of something else than isolation the comment tells.
var elleHistories = map[string]string{
	// Transactions of lists and registers.
	"elle/huge-scc.edn":                   "ser", // made for speed, of appends
	"elle/si-without-g-single.edn":        "si",  // G2 without G-single
	"elle/paper-example.edn":              "pc",  // G-single by the order of a list
	"elle-cli/elle/list-append-gh-30.edn": "si",
	"elle-cli/elle/paper-example.edn":     "rc", // the same in one session, which does not see itself
	"elle-cli/elle/paper-example.json":    "rc",
	"elle-cli/elle/rw-register.edn":       "", // reads 3, which nobody wrote
	"elle-cli/elle/rw-register.json":      "",
	"elle-cli/jepsen/long-fork.edn":       "", // the fork's writes are not in the file
	// Sets, whose elements are all read in the end.
	"elle-cli/jepsen/set.edn":       "ser",
	"elle-cli/jepsen/set_full.edn":  "ser",
	"elle-cli/jepsen/set_full.json": "ser",
	// A single register. Bad means that no order of the operations fits both what was
	// read and the times. The levels promise nothing of times.
	"elle-cli/knossos/cas-register/bad/bad-analysis.edn":              "", // reads what nobody wrote
	"elle-cli/knossos/cas-register/bad/rethink-fail-minimal.edn":      "", // likewise
	"elle-cli/knossos/cas-register/bad/rethink-fail.edn":              "ser",
	"elle-cli/knossos/cas-register/bad/rethink-fail-smaller.edn":      "ser",
	"elle-cli/knossos/cas-register/bad/cas-failure.edn":               "ser",
	"elle-cli/knossos/cas-register/bad/mongodb-v0-ack-rollback-6.edn": "ser",
	"elle-cli/knossos/cas-register/good/memstress3-9.edn":             "ser", // five values, each written many times
	"elle-cli/knossos/cas-register/good/memstress3-9.json":            "ser",
}

// What is not of reads and writes is refused, at the first operation that is not.
var elleRefused = map[string]string{
	"elle-cli/jepsen/bank-neg.edn":                "the operation read ",
	"elle-cli/jepsen/bank-negative-balances.json": "the operation read ",
	"elle-cli/jepsen/bank-tidb.edn":               "the operation transfer ",
	"elle-cli/jepsen/bank.edn":                    "the operation read ",
	"elle-cli/jepsen/bank.json":                   "the operation read ",
	"elle-cli/jepsen/counter.edn":                 "the operation add adds 1 a second time",
	"elle-cli/jepsen/counter.json":                "the operation add adds 1 a second time",
	"elle-cli/custom/comments.edn":                "the operation read ", // a register that is read as a set
	"elle-cli/knossos/mutex/bad/etcd.edn":         "the operation acquire ",
	"elle-cli/knossos/mutex/bad/etcd.json":        "the operation acquire ",
}

func TestElleHistories(t *testing.T) {
	dir := unpack(t, filepath.Join(archives(t), "elle.tar.gz"))
	seen := 0
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		seen++
		name, _ := filepath.Rel(dir, path)
		if want, ok := elleHistories[filepath.ToSlash(name)]; ok {
			strongestIs(t, path, want)
			return nil
		}
		want, ok := elleRefused[filepath.ToSlash(name)]
		if _, err := judge.Load(t.Context(), path, nil, false); !ok || err == nil || !strings.Contains(err.Error(), ": "+want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := len(elleHistories) + len(elleRefused); seen != want {
		t.Errorf("%d files, want %d", seen, want)
	}
}
