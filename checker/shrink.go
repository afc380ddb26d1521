package checker

import (
	"context"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// shrink leaves transactions out of the core of a violation as long as the rest
// still violates the level: in the end none can be left out. As what is left of a
// satisfied history is satisfied, one that is needed stays needed when others go,
// so that each is tried alone once; many together are tried before.
func (f *form) shrink(ctx context.Context, level isolation.Level, core []int32) ([]int32, error) {
	core = slices.DeleteFunc(slices.Clone(core), func(t int32) bool { return t == 0 })
	for {
		smaller, err := f.violation(ctx, level, core)
		if err != nil {
			return nil, err
		}
		if smaller == nil || len(smaller) >= len(core) {
			break
		}
		core = smaller
	}
	for size := max(1, len(core)/2); ; size /= 2 {
		for i := 0; i < len(core); {
			rest := slices.Concat(core[:i], core[min(len(core), i+size):])
			smaller, err := f.violation(ctx, level, rest)
			if err != nil {
				return nil, err
			}
			if smaller == nil {
				i += size
			} else {
				core = rest
			}
		}
		if size <= 1 {
			return core, nil
		}
	}
}

// violation returns those of the transactions that alone violate the level, not
// counting the initial one, or nil when all of them together do not.
func (f *form) violation(ctx context.Context, level isolation.Level, txns []int32) ([]int32, error) {
	g, kept := f.restrict(txns)
	d, err := g.decide(ctx, level)
	if err != nil || d.order != nil {
		return nil, err
	}
	core := []int32{}
	for _, t := range d.core {
		if t != 0 {
			core = append(core, kept[t])
		}
	}
	return core, nil
}
