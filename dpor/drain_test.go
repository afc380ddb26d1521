package dpor_test

import (
	"context"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
)

// drain explores to the end, or to a limit, without looking at what is found.
func drain(c *program.Client, opts dpor.Options) (dpor.Stats, error) {
	opts.All = true
	x := dpor.Explore(context.Background(), c, opts)
	for _, err := range x.Histories() {
		if err != nil {
			return dpor.Stats{}, err
		}
	}
	return x.Stats(), nil
}
