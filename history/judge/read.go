package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program/behaviour"
)

// Read reads again those of the given indexes. They come without what the
// format says besides.
func (f *File) Read(ctx context.Context, indexes []int) (map[int]*history.Txn, error) {
	found := map[int]*history.Txn{}
	last, n := slices.Max(append(slices.Clone(indexes), -1)), 0
	err := f.Format.Read(ctx, f.Path, history.Sink{Txn: func(t *history.Txn) error {
		if slices.Contains(indexes, n) {
			own := *t
			own.Ops = slices.Clone(t.Ops)
			found[n] = &own
		}
		if n++; n > last {
			return errFound
		}
		return nil
	}})
	if err != nil && !errors.Is(err, errFound) {
		return nil, err
	}
	return found, nil
}

// errFound ends a reading that has all that it needs.
var errFound = errors.New("all found")

// Given is what the history gives of the order of versions. Txns are transactions by
// their indexes: the read of a list that gives an order is told when it is there.
func Given(v *check.Violation, txns map[int]*history.Txn) anomaly.Given {
	g := anomaly.Given{Preferred: v.Appended}
	for _, s := range v.Selected {
		g.Predicates = append(g.Predicates, behaviour.VarID(s.Var))
	}
	for _, o := range v.Versions {
		versions := anomaly.Versions{Var: behaviour.VarID(o.Key), Txns: o.Txns}
		if t := txns[o.List.Txn]; t != nil {
			versions.Read = fmt.Sprintf("Transaction %s, session %s (%s): %s.", t.ID, t.Session, t.Where(), operation(t, o.List.Op))
		}
		g.Versions = append(g.Versions, versions)
	}
	return g
}
