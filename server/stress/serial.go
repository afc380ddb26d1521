package stress

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/server/database"
)

// The expected serialization order (Clark, Donaldson, Wickerson, Rigger, "Validating database
// system isolation level implementations with version certificate recovery", EuroSys 2024,
// section 5): some databases order transactions by timestamps, and tell them. CockroachDB's
// cluster_logical_timestamp is that of the running transaction's commit, a hybrid logical
// clock: nanoseconds, and behind the point the number of the event in them, ten digits.

// An ordering records what a server tells of the order of transactions.
type ordering interface {
	// before is called before the client's COMMIT is sent. Its error is one of the statement.
	before(ctx context.Context, c *client) error
	// after is called after it, unless the transaction has aborted.
	after(ctx context.Context, c *client, fate history.Fate) error
	// facts writes what belongs to the whole history.
	facts(ctx context.Context, r *run) error
}

// newOrdering is that of a database.
func newOrdering(d *database.Database, w workloads) ordering {
	switch d.Product {
	case database.TiDB:
		return &times{}
	case database.Yugabyte:
		return &commits{work: w.(versioned), by: map[int64]string{}} // as Options.supported has seen
	}
	return &order{}
}

// order is that of CockroachDB.
type order struct {
	mu   sync.Mutex
	list []stamped
}

// stamped is a transaction with the timestamp of its commit.
type stamped struct {
	id            string
	clock, number int64
	writes        bool
}

func (o *order) before(ctx context.Context, c *client) (err error) {
	c.at, err = o.ask(ctx, c)
	return err
}

// after notes a transaction that has committed, or of which nobody knows.
func (o *order) after(_ context.Context, c *client, _ history.Fate) error {
	o.note(c.at)
	return nil
}

func (o *order) facts(_ context.Context, r *run) error { return r.recorder.fact(o.fact()) }

// ask asks for the timestamp of the transaction that the client has open.
func (o *order) ask(ctx context.Context, c *client) (s stamped, err error) {
	r, err := c.do(ctx, "SELECT cluster_logical_timestamp()")
	if err != nil {
		return s, err
	}
	text := r.Text(0, 0)
	if s.clock, s.number, err = hybrid(text); err != nil {
		return s, wrongAnswer(fmt.Sprintf("the timestamp of a transaction is %q: %v", text, err))
	}
	s.id = c.txn.ID
	s.writes = writes(&c.txn)
	return s, nil
}

// writes reports whether a transaction has written.
func writes(t *history.Txn) bool {
	return slices.ContainsFunc(t.Ops, func(op history.Op) bool { return op.Kind == history.Write || op.Kind == history.Append })
}

// hybrid reads a timestamp, 1763800000000000000.0000000001.
func hybrid(text string) (clock, number int64, err error) {
	whole, part, _ := strings.Cut(text, ".")
	if clock, err = strconv.ParseInt(whole, 10, 64); err != nil {
		return 0, 0, err
	}
	if part == "" {
		return clock, 0, nil
	}
	if len(part) > logicalDigits {
		return 0, 0, fmt.Errorf("more than %d digits behind the point", logicalDigits)
	}
	number, err = strconv.ParseInt(part+strings.Repeat("0", logicalDigits-len(part)), 10, 64)
	return clock, number, err
}

const logicalDigits = 10

func (o *order) note(s stamped) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, s)
}

// fact is the order. A transaction that only reads sees what others have committed at its own
// timestamp.
func (o *order) fact() history.Fact {
	o.mu.Lock()
	defer o.mu.Unlock()
	slices.SortStableFunc(o.list, func(a, b stamped) int {
		return cmp.Or(cmp.Compare(a.clock, b.clock), cmp.Compare(a.number, b.number), cmp.Compare(onlyReads(a), onlyReads(b)))
	})
	ids := make([]string, len(o.list))
	for i, s := range o.list {
		ids[i] = s.id
	}
	return history.Fact{Serial: ids}
}

func onlyReads(s stamped) int {
	if s.writes {
		return 0
	}
	return 1
}
