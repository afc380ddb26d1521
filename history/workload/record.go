package workload

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/txmc/txmc/history"
)

// Recording says how a workload is recorded.
type Recording struct {
	Timed     bool // with the times at which transactions began and committed
	Committed bool // without transactions that are not known to have committed
	Sorted    bool // session by session, which takes memory for all of them; else as transactions end
	// Written: a first transaction, of a session of its own, writes 0 to all keys,
	// for formats without initial values.
	Written bool
}

// Record runs the workload and records it, with the order of the versions when
// Config.VersionOrder asks for it. Keys are named by their numbers.
func (g *Generator) Record(ctx context.Context, r Recording, to history.Sink) error {
	rec := recorder{Recording: r, to: to, keys: make([]string, g.c.Keys)}
	if r.Written {
		if err := rec.zeros(); err != nil {
			return err
		}
	}
	if err := g.Run(ctx, rec.txn); err != nil {
		return err
	}
	slices.SortStableFunc(rec.held, func(a, b Txn) int { return cmp.Compare(a.Session, b.Session) })
	for i := range rec.held {
		if err := rec.hand(&rec.held[i]); err != nil {
			return err
		}
	}
	if to.Fact == nil {
		return nil
	}
	for key := range int32(g.c.Keys) {
		values := g.Versions(key)
		if len(values) == 0 {
			continue
		}
		f := history.Fact{Key: rec.key(key)}
		for _, v := range values {
			f.Versions = append(f.Versions, history.Value{Num: v})
		}
		if err := to.Fact(f); err != nil {
			return err
		}
	}
	return nil
}

// recorder turns transactions into those of package history.
type recorder struct {
	Recording
	to   history.Sink
	keys []string // by number, once they are used
	held []Txn    // to be sorted
	out  history.Txn
}

func (r *recorder) txn(t *Txn) error {
	if r.Committed && t.Fate != history.Committed {
		return nil
	}
	if r.Sorted {
		held := *t
		held.Ops = slices.Clone(t.Ops)
		r.held = append(r.held, held)
		return nil
	}
	return r.hand(t)
}

// zeros hands over the transaction that writes the initial values.
func (r *recorder) zeros() error {
	first := history.Txn{Session: "initial", ID: "initial", Timed: r.Timed}
	for k := range r.keys {
		first.Ops = append(first.Ops, history.Op{Kind: history.Write, Key: r.key(int32(k))})
	}
	return r.to.Txn(&first)
}

func (r *recorder) hand(t *Txn) error {
	r.out.Session, r.out.ID, r.out.Fate = strconv.Itoa(t.Session), strconv.Itoa(t.ID), t.Fate
	if r.Timed {
		r.out.Timed, r.out.Start, r.out.Commit = true, t.Start, t.Commit
	}
	r.out.Ops = r.out.Ops[:0]
	for _, o := range t.Ops {
		x := history.Op{Key: r.key(o.Key), Value: history.Value{Num: o.Value}}
		if o.Write {
			x.Kind = history.Write
		} else if o.Value == 0 && !r.Written {
			x.Value = history.Value{Kind: history.Initial}
		}
		r.out.Ops = append(r.out.Ops, x)
	}
	return r.to.Txn(&r.out)
}

func (r *recorder) key(k int32) string {
	if r.keys[k] == "" {
		r.keys[k] = strconv.Itoa(int(k))
	}
	return r.keys[k]
}
