package stress

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/server/database"
)

// The order of YugabyteDB's commits. Its replication slots stream transactions in the order of
// their commits' hybrid times; with the type HYBRID_TIME that time is the position of what is streamed
// (Yugabyte, "Key concepts" of logical replication, since 2025.1). Each write has a value of its
// own, by which it is known whose it is. Transactions that only read are not streamed: they have
// no place in the order, and the checker finds one. At SERIALIZABLE a transaction holds its
// locks up to its commit, so that this is a serialization order.

// commits records the order.
type commits struct {
	work versioned
	slot string
	mu   sync.Mutex
	by   map[int64]string // transactions by what they have written
}

// endTable has a row that is written after all sessions: what was committed before stands
// before it in the stream.
const endTable = "txmc_stress_end"

// unordered are workloads that write what the stream does not tell: deletions.
func unordered(w workloads) bool {
	_, deletes := w.(*predicates)
	_, ok := w.(versioned)
	return deletes || !ok
}

// prepare makes the slot, and the row.
func (o *commits) prepare(ctx context.Context, d *database.Database, c database.Conn) error {
	r, err := c.Do(ctx, "SELECT 'txmc_stress_' || oid FROM pg_database WHERE datname = current_database()")
	if err != nil {
		return err
	}
	o.slot = r.Text(0, 0)
	for _, sql := range []string{"DROP TABLE IF EXISTS " + endTable, "CREATE TABLE " + endTable + " (k int PRIMARY KEY, v bigint NOT NULL)", "INSERT INTO " + endTable + " VALUES (1, 0)"} {
		if _, err := c.Do(ctx, sql); err != nil {
			return err
		}
	}
	if err := o.clear(ctx, c); err != nil { // of a run that was killed
		return err
	}
	if err := d.CreateSlot(ctx, o.slot, "LOGICAL test_decoding NOEXPORT_SNAPSHOT HYBRID_TIME"); err != nil {
		return fmt.Errorf("--serial: there is no replication slot of the type HYBRID_TIME, which needs a user with REPLICATION: %w", err)
	}
	return nil
}

// clear drops the slot, if it is there.
func (o *commits) clear(ctx context.Context, c database.Conn) error {
	_, err := c.Do(ctx, fmt.Sprintf("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '%s' AND NOT active", o.slot))
	return err
}

func (*commits) before(context.Context, *client) error { return nil }

// after notes what a transaction has written, if it has committed or nobody knows.
func (o *commits) after(_ context.Context, c *client, _ history.Fate) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, op := range c.txn.Ops {
		if op.Kind == history.Write || op.Kind == history.Append {
			o.by[op.Value.Num] = c.txn.ID
		}
	}
	return nil
}

// facts reads the stream up to the row that ends it.
func (o *commits) facts(ctx context.Context, r *run) error {
	c, err := r.d.Connect(ctx, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Do(ctx, "UPDATE "+endTable+" SET v = 1 WHERE k = 1"); err != nil {
		return err
	}
	s, err := r.d.Stream(ctx, o.slot, `"include-xids" '0'`)
	if err != nil {
		return fmt.Errorf("reading the replication slot: %w", err)
	}
	defer s.Close()
	o.mu.Lock()
	defer o.mu.Unlock()
	list := []string{}
	var last uint64
	id, ended := "", false
	for !ended {
		line, at, err := s.Next(ctx)
		if err != nil {
			return fmt.Errorf("reading the replication slot: %w", err)
		}
		switch {
		case line == "BEGIN":
			id = ""
		case strings.HasPrefix(line, "table public."+endTable+": UPDATE"):
			ended = true
		case line == "COMMIT" && id != "":
			if at < last {
				return wrongAnswer(fmt.Sprintf("the stream of commits goes back in time, at %x after %x", at, last))
			}
			list, last = append(list, id), at
		default:
			if v, _, ok := change(o.work, line); ok && o.by[v.Value.Num] != "" {
				id = o.by[v.Value.Num]
			}
		}
	}
	return r.recorder.fact(history.Fact{Serial: list})
}
