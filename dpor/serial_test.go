package dpor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
)

// serialLevels are the levels that the serial engine explores.
var serialLevels = []isolation.Level{isolation.PC, isolation.SI, isolation.SER}

// serially is the serial engine at a level, with one worker.
func serially(l isolation.Level) dpor.Options {
	return dpor.Options{Level: l, Engine: dpor.Serial, Workers: 1}
}

// serial compares the serial engine with the reference. At first the engine learns from
// random histories, and takes a pass or two. Then it knows nothing at first, and takes
// as many passes as it needs, with several workers.
func (c *comparison) serial(l isolation.Level) error {
	nothing := dpor.ShareAtOnce(dpor.LearnNothing(serially(l)))
	nothing.Workers = 3
	for _, opts := range []dpor.Options{serially(l), nothing} {
		found, err := list(c.client, opts)
		if err == nil {
			err = found.equals(allowed(c.all, l))
		}
		if err == nil {
			err = found.once()
		}
		if err == nil && found.stats.EndStates != found.stats.Histories {
			err = fmt.Errorf("%d end states, %d histories", found.stats.EndStates, found.stats.Histories)
		}
		if err != nil {
			return fmt.Errorf("serial engine, %v, %d workers: %w", l, opts.Workers, err)
		}
	}
	return nil
}

// Counts of programs with one access per transaction, or with one read and one write.
// Another tool counts them too: Nidhugg with --sc --rf, where a thread is a session.
// fai has sessions of increments of one variable. In wr, sessions write a variable and
// read the next one, by turns. In rw they read a variable and write it.
func TestSerialCounts(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		program string
		count   int64
	}{
		{fai(4, 2), 2520},
		{fai(5, 2), 113400},
		{fai(4, 3), 369600},
		{turns("w", "r", 1, 4, 2, 2), 20860},
		{turns("w", "r", 1, 4, 3, 4), 118895},
		{turns("r", "w", 0, 3, 3, 2), 4696},
	} {
		if brief() && row.count > 50000 {
			continue
		}
		s := serialStats(t, parse(row.program), isolation.SER)
		if s.Histories != row.count {
			t.Errorf("%.40s…: %d histories, want %d", row.program, s.Histories, row.count)
		}
		if 20*s.Blocked > s.Explored {
			t.Errorf("%.40s…: %d of %d calls are dead ends", row.program, s.Blocked, s.Explored)
		}
	}
}

// serialStats explores p without making the histories.
func serialStats(t *testing.T, p *prog, l isolation.Level) dpor.Stats {
	t.Helper()
	client, err := newClient(p)
	if err != nil {
		t.Fatal(err)
	}
	s, err := drain(client, serially(l))
	if err != nil || !s.Complete {
		t.Fatalf("%v: complete: %v, %v", p, s.Complete, err)
	}
	return s
}

// fai is n sessions of k increments of x.
func fai(n, k int) string {
	session := strings.TrimSuffix(strings.Repeat("inc x ; ", k), " ; ")
	return strings.TrimSuffix(strings.Repeat(session+" | ", n), " | ")
}

// turns is n sessions that make two accesses k times: the first to the next of
// the variables each time, the second to the one that is off further.
func turns(first, second string, off, n, k, vars int) string {
	var sessions []string
	for i := range n {
		var txns []string
		for j := range k {
			txns = append(txns, fmt.Sprintf("%s %c ; %s %c", first, variables[(i+j)%vars], second, variables[(i+j+off)%vars]))
		}
		sessions = append(sessions, strings.Join(txns, " ; "))
	}
	return strings.Join(sessions, " | ")
}

// The number of histories of each golden program.
func TestSerialGolden(t *testing.T) {
	t.Parallel()
	for _, row := range golden {
		for i, l := range goldenLevels {
			if l <= isolation.CC {
				continue
			}
			if got := count(t, parse(row.program), serially(l)).Histories; got != int64(row.counts[i]) {
				t.Errorf("%s at %v: %d histories, want %d", row.program, l, got, row.counts[i])
			}
		}
	}
}

// Random histories may not meet an access. Then one pass leaves the access out and finds it,
// and the next pass finds the histories with it. Here s writes y only when it reads x before
// any of the many writes.
func TestSerialPasses(t *testing.T) {
	t.Parallel()
	writes := strings.TrimSuffix(strings.Repeat("w x ; ", 66), " ; ")
	p := parse(writes + " | r x if 0 { w y } ; r x | r y")
	for i, l := range serialLevels {
		if brief() && i < len(serialLevels)-1 {
			continue
		}
		want := count(t, p, at(l)).Histories
		if got := count(t, p, serially(l)).Histories; got != want {
			t.Errorf("%v: %d histories, want %d", l, got, want)
		}
		if got := count(t, p, dpor.LearnNothing(serially(l))).Histories; got != want {
			t.Errorf("%v, knowing nothing: %d histories, want %d", l, got, want)
		}
	}
}

// More sessions than a word has bits.
func TestSerialManySessions(t *testing.T) {
	t.Parallel()
	p := parse("w x | " + strings.Repeat("w y | ", 70) + "r x")
	for _, l := range serialLevels {
		if got := count(t, p, serially(l)).Histories; got != 2 {
			t.Errorf("%v: %d histories, want 2", l, got)
		}
	}
}
