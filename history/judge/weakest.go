package judge

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation"
)

// Limits is where a history stands among the levels.
type Limits struct {
	// Within are the levels at which the history is satisfied, the weakest first.
	Within []isolation.Level
	// Outside is the weakest level that it violates, if it violates one.
	Outside  isolation.Level
	Violates bool
	// Undecided says that a level was not decided.
	Undecided bool
}

// String says it in words.
func (l Limits) String() string {
	var names []string
	for _, within := range l.Within {
		names = append(names, within.String())
	}
	switch {
	case l.Undecided:
		return "could not be decided"
	case !l.Violates:
		return "is within every level: an order of the transactions, one after another, explains it"
	case len(names) == 0:
		return fmt.Sprintf("is not within %s, the weakest level", l.Outside)
	}
	return fmt.Sprintf("is within %s, and not within %s", strings.Join(names, ", "), l.Outside)
}

var errEnough = errors.New("enough is known")

// Limits decides the axiomatic levels, the weakest first, up to one that is violated.
func (f *File) Limits(ctx context.Context, o Options) (l Limits, err error) {
	levels := isolation.Levels()
	isolation.WeakestFirst(levels)
	err = f.Judge(ctx, levels, o, func(v *Verdict) error {
		switch v.Outcome {
		case check.Satisfied:
			l.Within = append(l.Within, v.Level)
			return nil
		case check.Violated:
			l.Outside, l.Violates = v.Level, true
		default:
			l.Undecided = true
		}
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return l, err
}
