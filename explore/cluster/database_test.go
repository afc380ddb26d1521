package cluster

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
)

// Levels of databases, where workers explore regions of states.

var databases = []isolation.Level{isolation.PgRC, isolation.PgSer, isolation.InnoRR}

// The counts, the outcomes and the violations are those of one process, with any number of
// workers.
func TestDatabases(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	least, most := 2, 2
	if *allFlag {
		least, most = 1, 8
	}
	for workers := least; workers <= most; workers++ {
		c := open(t, &Options{Cluster: Embedded}, workers)
		for _, scope := range []explore.Scope{{All: true, Group: true}, {All: true, List: true}} {
			q := request(databases...)
			if q.Scope = scope; scope.List {
				q.Levels = databases[:1]
			}
			want := alone(t, "ExploreLost", q)
			got := exploreOn(t.Context(), t, c, "ExploreLost", q, nil)
			same(t, got, want)
			a, b := sorted(got.all[report.TypeHistory]), sorted(want.all[report.TypeHistory])
			if strings.Join(a, "") != strings.Join(b, "") || scope.List && len(a) == 0 {
				t.Errorf("%d outcomes listed, want %d, or others", len(a), len(b))
			}
		}
		c.Close()
	}
}

// Workers are killed and the server is restarted, and the counts stay the same.
func TestDatabaseKills(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	survives(t, "ExploreLost", databases...)
}

// A coordinator that is killed goes on from its checkpoint.
func TestDatabaseResumed(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	resumes(t, "ExploreLost", databases...)
}

// What is begun on a cluster is ended by one process, and what one process has begun on a
// cluster.
func TestDatabaseElsewhere(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	for _, onCluster := range []bool{true, false} {
		q := request(isolation.PgRC)
		want := alone(t, "ExploreLost", q)
		q.MaxHistories, q.Checkpoint = 40, 1<<40
		explored := func(q harness.Request, here bool) *lines {
			if !here {
				return checkpointed(t, "ExploreLost", q)
			}
			c := open(t, &Options{Cluster: Embedded}, 2)
			defer c.Close()
			return exploreOn(t.Context(), t, c, "ExploreLost", q, nil)
		}
		begun := explored(q, onCluster)
		if r := begun.results(t)["ExploreLost pg-rc"]; r.Stopped != "max-histories" {
			t.Fatalf("%+v", r)
		}
		left := begun.all[explore.TypeCheckpoint]
		q.Resume = filepath.Join(t.TempDir(), "resume.json")
		if err := os.WriteFile(q.Resume, append(append([]byte("["), left[len(left)-1]...), ']'), 0o600); err != nil {
			t.Fatal(err)
		}
		q.MaxHistories = 0
		same(t, explored(q, !onCluster), want)
	}
}

// checkpointed explores the programs in this process, with checkpoints.
func checkpointed(t *testing.T, pattern string, q harness.Request) *lines {
	t.Helper()
	going := explore.Progress{Every: q.Checkpoint}
	if q.Resume != "" {
		data, err := os.ReadFile(q.Resume)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &going.Resume); err != nil {
			t.Fatal(err)
		}
	}
	l := &lines{all: map[string][][]byte{}}
	o := q.Options
	o.Workers = 1
	r := &explore.Run{Package: q.Package, Options: o, Scope: q.Scope, Sink: collecting{l, t}, Going: going}
	r.Programs(t.Context(), chosen(pattern))
	return l
}
