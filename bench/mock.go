package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/txmc/txmc/bench/monkeydb"
)

// Mock is not the paper's: it repeats MonkeyDB's experiments with the mock server.
const Mock = "mock"

func (cfg Config) mock() bool { return slices.Contains(cfg.Experiments, Mock) }

func (cfg Config) checkMock() error {
	switch {
	case len(cfg.Experiments) > 1:
		return errors.New("--experiment=mock stands alone")
	case len(cfg.Apps) > 0 || len(cfg.Algorithms) > 0 || cfg.Clients != "":
		return errors.New("--experiment=mock has benchmarks of its own: leave out --app, --algorithm and --clients")
	case cfg.Seeds < 1 || cfg.Real < 0:
		return fmt.Errorf("--seeds=%d --real=%d: give at least one seed, and no negative number", cfg.Seeds, cfg.Real)
	}
	return nil
}

// runMock writes what there is, also when ctx has ended.
func (cfg Config) runMock(ctx context.Context, out, progress io.Writer) error {
	rows, err := monkeydb.Run(ctx, monkeydb.Options{Seeds: cfg.Seeds, Real: cfg.Real, Progress: progress})
	if err != nil && len(rows) == 0 {
		return err
	}
	return errors.Join(err, monkeydb.Write(out, cfg.Format, rows))
}
