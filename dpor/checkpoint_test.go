package dpor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"github.com/txmc/txmc/isolation/reference"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// relay is relayBy, of up to forty histories a piece.
func relay(p *prog, opts dpor.Options, r *rand.Rand) (found *listing, pieces int, err error) {
	return relayBy(p, opts, r, 40)
}

// relayBy explores p in several explorations, as several processes would. Each is stopped after
// at most so many histories, and leaves a checkpoint. The next one resumes it with a client of
// its own.
func relayBy(p *prog, opts dpor.Options, r *rand.Rand, most int) (found *listing, pieces int, err error) {
	opts.List, opts.All = true, true
	out := &listing{times: map[string]int{}, histories: map[string]*reference.History{}}
	for pieces = 1; ; pieces++ {
		client, err := newClient(p)
		if err != nil {
			return nil, 0, err
		}
		// The numbers of values and variables differ from process to process.
		for i := range r.IntN(4) {
			client.Variable(fmt.Sprintf("unused%d", i))
		}
		opts.Workers = 1 + r.IntN(3)
		opts.MaxHistories = out.stats.Histories + int64(1+r.IntN(most))
		var last *dpor.Frontier
		opts.Checkpoint = sqltest.Decoded(&last)
		x := dpor.Explore(context.Background(), client, opts)
		for f, err := range x.Histories() {
			if err != nil {
				return nil, 0, err
			}
			h, err := toReference(f.History, client)
			if err != nil {
				return nil, 0, err
			}
			out.times[h.String()]++
		}
		out.stats = x.Stats()
		if out.stats.Complete {
			return out, pieces, nil
		}
		if last == nil {
			return nil, 0, fmt.Errorf("stopped by %q without a checkpoint", out.stats.Stopped)
		}
		out.stats.Histories = last.Counts.Histories
		opts.Resume = last
	}
}

// TestResumedEqualsUninterrupted: an exploration in pieces finds the same
// histories, each once, and ends with the same counts.
func TestResumedEqualsUninterrupted(t *testing.T) {
	t.Parallel()
	programs := []*prog{
		parse("inc x ; inc x | inc x ; inc x | inc x"),
		parse("w x ; r y ; w x | w y ; r x ; w y | w x ; r y"),
		parse("inc x ; inc y ; inc x | inc y ; inc x | r x r y"),
	}
	r := rand.New(rand.NewPCG(seed(), 1))
	most := 0
	random := programsUntil(t, "relay", portion(30), wide, func() bool { return most >= 5 })
	for p := range concat(slices.Values(programs), random) {
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		all := []dpor.Options{}
		for _, l := range isolation.Levels() {
			all = append(all, dpor.ShareAtOnce(at(l)))
		}
		for _, l := range serialLevels {
			all = append(all, dpor.ShareAtOnce(serially(l)), dpor.ShareAtOnce(dpor.LearnNothing(serially(l))))
		}
		all = append(all, dpor.Options{Level: isolation.SER, Base: isolation.True})
		for _, opts := range all {
			one, err := list(client, opts)
			if err != nil {
				t.Fatal(err)
			}
			got, pieces, err := relay(p, opts, r)
			if err != nil {
				t.Fatalf("%s at %s, engine %q (seed %d): %v", p, opts.Level, opts.Engine, seed(), err)
			}
			most = max(most, pieces)
			if a, b := counts(got.stats), counts(one.stats); a != b {
				t.Fatalf("%s at %s, engine %q (seed %d): %v in %d pieces, %v in one", p, opts.Level, opts.Engine, seed(), a, pieces, b)
			}
			if err := got.once(); err != nil {
				t.Fatalf("%s at %s (seed %d): %v", p, opts.Level, seed(), err)
			}
			if len(got.times) != len(one.times) {
				t.Fatalf("%s at %s (seed %d): %d histories in pieces, %d in one", p, opts.Level, seed(), len(got.times), len(one.times))
			}
		}
	}
	t.Logf("at most %d pieces", most)
}

// TestResumedReads: what is left of a transaction that has made some of its choices, when it is stopped between two
// histories, is judged by these, too.
func TestResumedReads(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(seed(), 1))
	for _, text := range []string{
		"w x | w y | r x r y | r x r y",
		"w x | w y | r x r y | r y r x",
		"w x ; w x | w y ; w y | r x r y w z | r y r x",
		"w x w z | r z w y | r y r x | r x r y r z",
	} {
		p := parse(text)
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range serialLevels {
			opts := dpor.ShareAtOnce(serially(l))
			one, err := list(client, opts)
			if err != nil {
				t.Fatal(err)
			}
			for range deadlinetest.Of(3, 1) { // with other numbers of workers
				got, pieces, err := relayBy(p, opts, r, 1)
				if err != nil {
					t.Fatalf("%s at %s (seed %d): %v", p, l, seed(), err)
				}
				if a, b := counts(got.stats), counts(one.stats); a != b {
					t.Fatalf("%s at %s (seed %d): %v in %d pieces, %v in one", p, l, seed(), a, pieces, b)
				}
			}
		}
	}
}

// TestResumedPasses: a pass of the serial engine that is stopped goes on as that
// pass, wherever it was stopped.
func TestResumedPasses(t *testing.T) {
	t.Parallel()
	p := parse("w y | w y ; when 10 if 10 { inc y } | w y ; w y 1 r x | r y ; if 0 { w x 2 }")
	client, err := newClient(p)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed(), 2))
	opts := dpor.ShareAtOnce(dpor.LearnNothing(serially(isolation.SER)))
	one, err := list(client, opts)
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		got, pieces, err := relay(p, opts, r)
		if err != nil {
			t.Fatalf("seed %d: %v", seed(), err)
		}
		if a, b := counts(got.stats), counts(one.stats); a != b {
			t.Fatalf("seed %d: %v in %d pieces, %v in one", seed(), a, pieces, b)
		}
	}
}

// TestCheckpointsInPassing: a checkpoint of an exploration that goes on holds
// exactly what was yielded until then.
func TestCheckpointsInPassing(t *testing.T) {
	t.Parallel()
	p := parse("inc x ; inc x | inc x ; inc x | inc x ; inc x")
	for _, opts := range []dpor.Options{at(isolation.CC), at(isolation.SI), serially(isolation.SI), serially(isolation.SER)} {
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		opts.List, opts.All, opts.Workers, opts.CheckpointEvery = true, true, 3, 100*time.Microsecond
		var saved []dpor.Frontier
		var yielded []int64
		n := int64(0)
		opts.Checkpoint = func(f *dpor.Frontier) error {
			saved, yielded = append(saved, *f), append(yielded, n)
			return nil
		}
		var want dpor.Stats
		// On a busy machine an exploration may end before a checkpoint is due.
		for range deadlinetest.Until(t, 1, func() bool { return len(saved) > 0 }) {
			n = 0
			x := dpor.Explore(context.Background(), client, dpor.ShareAtOnce(opts))
			for _, err := range x.Histories() {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			want = x.Stats()
		}
		opts.Checkpoint, opts.CheckpointEvery = nil, 0
		for i := range saved {
			if i%(1+len(saved)/8) != 0 {
				continue
			}
			if saved[i].Counts.Histories != yielded[i] {
				t.Fatalf("a checkpoint counts %d histories, %d were yielded", saved[i].Counts.Histories, yielded[i])
			}
			opts.Resume = &saved[i]
			rest, m := dpor.Explore(context.Background(), client, opts), yielded[i]
			for _, err := range rest.Histories() {
				if err != nil {
					t.Fatal(err)
				}
				m++
			}
			if got := rest.Stats(); counts(got) != counts(want) || m != n || !got.Complete {
				t.Fatalf("resumed after %d of %d histories at %s: %v and %d histories, want %v", yielded[i], n, opts.Level, counts(got), m, counts(want))
			}
		}
	}
}

// TestForeignFrontier: what is of another program, level, base or engine is
// refused, and what no program has is an error.
func TestForeignFrontier(t *testing.T) {
	p := parse("inc x ; inc x | inc x ; inc x | inc x")
	client, err := newClient(p)
	if err != nil {
		t.Fatal(err)
	}
	opts := at(isolation.SI)
	opts.Workers, opts.MaxHistories, opts.All = 1, 3, true
	var saved *dpor.Frontier
	opts.Checkpoint = func(f *dpor.Frontier) error { saved = f; return nil }
	for _, err := range dpor.Explore(context.Background(), client, opts).Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	good, err := json.Marshal(saved)
	if err != nil {
		t.Fatal(err)
	}
	opts.Checkpoint, opts.MaxHistories = nil, 0
	resume := func(client *program.Client, opts dpor.Options, change func(*dpor.Frontier)) error {
		f := &dpor.Frontier{}
		if err := f.Decode(good); err != nil {
			return err
		}
		change(f)
		opts.Resume = f
		for _, err := range dpor.Explore(context.Background(), client, opts).Histories() {
			if err != nil {
				return err
			}
		}
		return nil
	}
	same := func(*dpor.Frontier) {}
	if err := resume(client, opts, same); err != nil {
		t.Fatal(err)
	}
	other, err := program.NewClient("ExploreOther", compile(p), program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := resume(other, opts, same); err == nil {
		t.Error("resumed by another program")
	}
	for name, o := range map[string]dpor.Options{
		"level": at(isolation.SER), "base": {Level: isolation.SI, Base: isolation.RC, All: true}, "engine": serially(isolation.SI), "all": {Level: isolation.SI, Base: isolation.CC},
	} {
		o.All = name != "all"
		if err := resume(client, o, same); err == nil {
			t.Errorf("resumed with another %s", name)
		}
	}
	for name, change := range map[string]func(*dpor.Frontier){
		"session":  func(f *dpor.Frontier) { f.Subtrees[0].Txns[0][0] = 7 },
		"negative": func(f *dpor.Frontier) { f.Subtrees[0].Txns[0][0] = -1 },
		"writer":   func(f *dpor.Frontier) { s := &f.Subtrees[len(f.Subtrees)-1]; s.Txns[0] = []int{0, 5} },
		"kind":     func(f *dpor.Frontier) { f.Subtrees[0].Kind = "all" },
		"next":     func(f *dpor.Frontier) { f.Subtrees[0].Next = 1000 },
		"skips":    func(f *dpor.Frontier) { f.Subtrees[0].Skips = []int32{1} },
		"open":     func(f *dpor.Frontier) { f.Subtrees[0].Open = !f.Subtrees[0].Open },
		"empty":    func(f *dpor.Frontier) { f.Subtrees[0].Txns[0] = nil },
		"counts":   func(f *dpor.Frontier) { f.Counts.Explored = -1 },
	} {
		if err := resume(client, opts, change); err == nil {
			t.Errorf("resumed with a wrong %s", name)
		}
	}
}

// An interrupt while there is nothing but an engine to be decided on leaves a
// checkpoint too: what resumes it finds everything, by an engine of its own choice.
func TestUntouched(t *testing.T) {
	t.Parallel()
	p := parse(fai(3, 2))
	for _, engine := range []dpor.Engine{dpor.Auto, dpor.Serial, dpor.Swap} {
		opts := dpor.Options{Level: isolation.SI, Base: isolation.CC, Engine: engine, All: true, List: true, Workers: 1}
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		want, err := list(client, opts)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		untouched := opts
		untouched.Resume = &dpor.Frontier{Shape: fresh.Shape(), Level: "si", Base: "cc", Engine: engine, All: true, List: true, Untouched: true, Elapsed: time.Hour}
		got, err := list(fresh, untouched)
		if err != nil {
			t.Fatal(err)
		}
		if counts(got.stats) != counts(want.stats) || got.stats.Engine != want.stats.Engine || !got.stats.Complete || got.stats.Elapsed < time.Hour {
			t.Errorf("engine %s: %+v, want %+v and an hour more", engine, got.stats, want.stats)
		}
		untouched.Resume.Counts.Histories = 1
		if _, err := list(fresh, untouched); err == nil {
			t.Errorf("engine %s: nothing was explored and a history found, and that is resumed", engine)
		}
	}
}

// Whenever an interrupt comes, there is a checkpoint, and what resumes it ends with the
// counts of an exploration that nothing has interrupted.
func TestInterruptedEarly(t *testing.T) {
	t.Parallel()
	p := parse(fai(3, 2))
	for _, engine := range []dpor.Engine{dpor.Auto, dpor.Serial, dpor.Swap} {
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		opts := dpor.Options{Level: isolation.SI, Base: isolation.CC, Engine: engine, All: true, List: true, Workers: 1}
		want, err := list(client, opts)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var left *dpor.Frontier
		stopped := opts
		stopped.Checkpoint = func(f *dpor.Frontier) error { left = f; return nil }
		x := dpor.Explore(ctx, client, stopped)
		for _, err := range x.Histories() {
			if err != nil {
				t.Fatal(err)
			}
		}
		if st := x.Stats(); st.Complete { // it was faster than the interrupt
			continue
		}
		if left == nil {
			t.Fatalf("engine %s: stopped by %q without a checkpoint", engine, x.Stats().Stopped)
		}
		resumed := opts
		resumed.Resume = left
		got, err := list(client, resumed)
		if err != nil {
			t.Fatal(err)
		}
		if counts(got.stats) != counts(want.stats) {
			t.Errorf("engine %s, untouched %v: %v, want %v", engine, left.Untouched, counts(got.stats), counts(want.stats))
		}
	}
}
