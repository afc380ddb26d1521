package dpor_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// TestWorkersAgree: subtrees of explore are independent, so that the histories,
// each once, and all counts are the same however the tree is shared.
func TestWorkersAgree(t *testing.T) {
	t.Parallel()
	programs := []*prog{
		parse("inc x ; inc x | inc x ; inc x | inc x ; inc x"),
		parse("w x ; r y ; w x ; r y | w y ; r x ; w y ; r x | w x ; r y | w y ; r x"),
		parse("inc x ; inc y ; inc x | inc y ; inc x ; inc y | r x r y"),
	}
	for p := range randomPrograms("workers", portion(60), wide) {
		programs = append(programs, p)
	}
	n, all := 0, []int{2, 3, 8}
	numbers := func() []int { // one number of workers after the other, or all
		if n++; brief() {
			return all[n%3 : n%3+1]
		}
		return all
	}
	for _, p := range programs {
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range isolation.Levels() {
			if err := workersAgree(client, at(l), numbers()); err != nil {
				t.Fatalf("%s at %s (seed %d): %v", p, l, seed(), err)
			}
		}
		for _, l := range serialLevels {
			if err := workersAgree(client, serially(l), numbers()); err != nil {
				t.Fatalf("%s at %s by the serial engine (seed %d): %v", p, l, seed(), err)
			}
		}
	}
}

// workersAgree compares one worker with these numbers of them.
func workersAgree(client *program.Client, opts dpor.Options, numbers []int) error {
	opts.Workers = 1
	one, err := list(client, opts)
	if err != nil {
		return err
	}
	if err := one.once(); err != nil {
		return err
	}
	for _, opts.Workers = range numbers {
		got, err := list(client, dpor.ShareAtOnce(opts))
		if err != nil {
			return err
		}
		if a, b := counts(got.stats), counts(one.stats); a != b {
			return fmt.Errorf("%d workers count %v, one counts %v", opts.Workers, a, b)
		}
		if !maps.Equal(got.times, one.times) {
			return fmt.Errorf("%d workers find other histories than one", opts.Workers)
		}
	}
	return nil
}

func counts(s dpor.Stats) [5]int64 {
	return [5]int64{s.Histories, s.EndStates, s.Explored, s.Blocked, s.Violations}
}

// TestSmallProgramsAreDeterministic: what is found first does not depend on the
// number of workers as long as the first one works alone.
func TestSmallProgramsAreDeterministic(t *testing.T) {
	for p := range randomPrograms("alone", portion(20), rich) {
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		var first []string
		for _, workers := range []int{1, 2, 8} {
			opts := at(isolation.SI)
			opts.Workers = workers
			order, err := inOrderOf(client, opts)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = order
			}
			if fmt.Sprint(order) != fmt.Sprint(first) {
				t.Fatalf("%s (seed %d): %d workers find the histories in another order", p, seed(), workers)
			}
		}
	}
}

// TestOneWorkerIsDeterministic: with one worker histories come in the same order
// in every exploration.
func TestOneWorkerIsDeterministic(t *testing.T) {
	for p := range randomPrograms("order", portion(20), rich) {
		var first []string
		for range 3 {
			client, err := newClient(p)
			if err != nil {
				t.Fatal(err)
			}
			opts := at(isolation.SI)
			opts.Workers = 1
			order, err := inOrderOf(client, opts)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = order
			}
			if fmt.Sprint(order) != fmt.Sprint(first) {
				t.Fatalf("%s (seed %d): histories in another order", p, seed())
			}
		}
	}
}

func inOrderOf(client *program.Client, opts dpor.Options) ([]string, error) {
	opts.List, opts.All = true, true
	var order []string
	for f, err := range dpor.Explore(context.Background(), client, opts).Histories() {
		if err != nil {
			return nil, err
		}
		h, err := toReference(f.History, client)
		if err != nil {
			return nil, err
		}
		order = append(order, h.String())
	}
	return order, nil
}
