package kernels

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

var (
	kernelsFlag = flag.Bool("kernels", false, "explore all kernels, and print a table")
	limitFlag   = flag.Duration("kernels-limit", time.Minute, "for each exploration")
	onlyFlag    = flag.String("kernels-only", "", "the kernel of that name alone, as bank 3x1 pg-rc")
)

// TestSmall: the smallest kernels have so many outcomes and states. Independent work costs little.
func TestSmall(t *testing.T) {
	for name, want := range map[string][2]int64{"updates 2x1 pg-rc": {1, 64}, "inserts 2x1 pg-rc": {1, 64}} {
		for _, k := range List() {
			if k.String() != name {
				continue
			}
			s, err := explore(t.Context(), k, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			if !s.Complete || s.Histories != want[0] || s.Explored != want[1] {
				t.Errorf("%s: %d outcomes in %d states, want %v", name, s.Histories, s.Explored, want)
			}
		}
	}
}

// TestKernels explores the kernels and prints what it takes: with -kernels.
func TestKernels(t *testing.T) {
	if !*kernelsFlag {
		t.Skip("without -kernels")
	}
	fmt.Println("| kernel | level | sessions × transactions | outcomes | states | seconds |")
	fmt.Println("|---|---|---|--:|--:|--:|")
	for _, k := range List() {
		if *onlyFlag != "" && *onlyFlag != k.String() {
			continue
		}
		s, err := explore(t.Context(), k, *limitFlag)
		if err != nil {
			t.Fatal(err)
		}
		end := ""
		if !s.Complete {
			end = ", not complete"
		}
		fmt.Printf("| %s | %s | %d × %d | %d | %d%s | %.2f |\n", k.Name, k.Level, k.Sessions, k.Txns, s.Histories, s.Explored, end, s.Elapsed.Seconds())
	}
}

func explore(ctx context.Context, k Kernel, limit time.Duration) (dpor.Stats, error) {
	level, err := isolation.Parse(k.Level)
	if err != nil {
		return dpor.Stats{}, err
	}
	c, err := program.NewClient("ExploreKernel", func(p *program.Program) { k.Declare(p) }, program.Options{Patience: 10 * time.Minute, Database: true, Level: k.Level})
	if err != nil {
		return dpor.Stats{}, err
	}
	defer c.Park()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	x := dpor.Explore(ctx, c, dpor.Options{Level: level, All: true})
	for _, err := range x.Histories() {
		if err != nil {
			return x.Stats(), err
		}
	}
	return x.Stats(), nil
}
