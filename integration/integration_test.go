// Package integration explores applications on libraries as they are published: each
// directory is an application with its Explore functions.
package integration_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// command builds txmc from the module that this one is nested in.
var command = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "txmc")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "txmc")
	out, err := exec.Command("go", "build", "-C", "..", "-o", name, "./cmd/txmc").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return name, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if name, err := command(); err == nil {
		os.RemoveAll(filepath.Dir(name))
	}
	os.Exit(code)
}

// found is what an exploration finds: the histories, and whether one is a violation.
type found struct {
	histories int
	broken    bool
}

const levels = "rc,ra,cc,pc,si,ser"

// holds is what is found of a program with as many histories at each level.
func holds(histories ...int) map[string]found {
	all := map[string]found{}
	for i, level := range strings.Split(levels, ",") {
		all[level] = found{histories[i], false}
	}
	return all
}

// breaks is the same of a program that is wrong at levels up to the last one.
func breaks(last string, histories ...int) map[string]found {
	all := holds(histories...)
	for _, level := range strings.Split(levels, ",") {
		all[level] = found{all[level].histories, true}
		if level == last {
			break
		}
	}
	return all
}

var programs = map[string]map[string]map[string]found{
	"gormstock": {
		"ExploreSell":          breaks("rc", 4, 2, 2, 2, 2, 2),
		"ExploreSellVersioned": holds(30, 2, 2, 2, 2, 2),
		"ExploreRegister":      holds(2, 2, 2, 2, 2, 2),
	},
	"sqlcorders": {
		"ExploreOrder":       breaks("rc", 4, 2, 2, 2, 2, 2),
		"ExploreOrderLocked": holds(2, 2, 2, 2, 2, 2),
		"ExplorePay":         holds(2, 2, 2, 2, 2, 2),
	},
	"sqlxnames": {
		"ExploreJoin":       breaks("si", 3, 3, 3, 3, 3, 2),
		"ExploreJoinUnique": holds(4, 2, 2, 2, 2, 2),
	},
	"bunvotes": {
		"ExploreVote":      breaks("si", 3, 3, 3, 3, 3, 2),
		"ExploreVoteTwice": holds(4, 2, 2, 2, 2, 2),
	},
	"entaccounts": {
		"ExploreTransfer":      breaks("rc", 4, 2, 2, 2, 2, 2),
		"ExploreTransferAdded": holds(4, 2, 2, 2, 2, 2),
		"ExploreOpen":          holds(2, 2, 2, 2, 2, 2),
	},
	"riverorders": {
		"ExploreOrder":       breaks("rc", 4, 2, 2, 2, 2, 2),
		"ExploreOrderLocked": holds(2, 2, 2, 2, 2, 2),
		"ExploreWork":        holds(4, 2, 2, 2, 2, 2),
		"ExploreUnique":      holds(2, 2, 2, 2, 2, 2),
	},
	"guejobs": {
		"ExploreWork":  holds(4, 2, 2, 2, 2, 2),
		"ExploreOrder": holds(2, 2, 2, 2, 2, 2),
	},
	"pgxsessions": {
		"ExploreVisit": breaks("ser", 4, 4, 4, 4, 4, 4),
	},
	"casbinroles": {
		"ExploreElect": breaks("ser", 3, 3, 3, 3, 3, 3),
		"ExploreAdd":   holds(4, 4, 4, 4, 4, 4),
	},
	"fgatuples": {
		"ExploreClaim":      breaks("ser", 5, 5, 5, 5, 5, 4),
		"ExploreGrant":      holds(4, 2, 2, 2, 2, 2),
		"ExploreGrantAgain": breaks("rc", 6, 2, 2, 2, 2, 2),
	},
	"identifiers": {
		"ExplorePost": holds(1, 1, 1, 1, 1, 1),
	},
}

// Every program has the histories that it should have, and is wrong where it should be.
func TestExplore(t *testing.T) {
	for dir, want := range programs {
		t.Run(dir, func(t *testing.T) {
			got := explore(t, dir)
			for program, levels := range want {
				for level, want := range levels {
					if got := got[program][level]; got != want {
						t.Errorf("%s at %s: %+v, want %+v", program, level, got, want)
					}
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d programs, want %d", len(got), len(want))
			}
		})
	}
}

// explore explores the programs of a directory at all levels.
func explore(t *testing.T, dir string) map[string]map[string]found {
	t.Helper()
	name, err := command()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), name, "explore", "./"+dir, "--iso="+levels, "--all", "--format=json", "--quiet")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, _ := cmd.Output() // its status says that a program is wrong
	got := map[string]map[string]found{}
	for line := range strings.Lines(string(out)) {
		var r struct {
			Type, Program, ISO    string
			Histories, Violations int
			Complete              bool
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if r.Type != "result" {
			continue
		}
		if got[r.Program] == nil {
			got[r.Program] = map[string]found{}
		}
		got[r.Program][r.ISO] = found{r.Histories, r.Violations > 0}
		if !r.Complete {
			t.Errorf("not complete: %s%s", line, errorLines(out))
		}
	}
	if len(got) == 0 {
		if strings.Contains(stderr.String(), "TXMC_PGLITE") {
			t.Skipf("PostgreSQL's package is not to be had: %s", stderr.String())
		}
		t.Fatalf("nothing was explored: %s", stderr.String())
	}
	return got
}

// errorLines are those of a report that say what has gone wrong.
func errorLines(report []byte) (lines string) {
	for line := range strings.Lines(string(report)) {
		if strings.HasPrefix(line, `{"type":"error"`) {
			lines += line
		}
	}
	return lines
}
