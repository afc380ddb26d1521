package stress

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/txmc/txmc/history"
)

// Workloads that insert and delete, and read by predicates: counts, sums, ranges, and joins of
// two tables. Rows that are not there are versions too, the initial version or a deleted one.
// What a predicate did not find matters as much as what it did find (Adya 1999, section
// 4.3.1).
//
// With a certificate a predicate read is recorded with its version set: of each key the version
// that was there. It comes from a second transaction, which reads the whole table on the snapshot
// that the first has exported in the very statement with the predicate (Clark et al., "Validating
// database system isolation level implementations with version certificate recovery", EuroSys
// 2024, section 4). What the transaction itself wrote before is put over it. The second
// transaction does not see rows that were deleted. pg_current_snapshot, and the number of the
// transaction that deletes, tell whether the first one's snapshot is from before or after a
// deletion.

// item is a row, or one of the table of groups, whose flag is grp then.
type item struct {
	key string
	grp int64
	val int64
	v   int64
}

// where is a predicate that rows match or not.
type where struct {
	name  string
	match func(item) bool
}

// matching notes which versions match which predicates.
type matching struct {
	mu sync.Mutex
	by map[string][]history.Version
}

func (m *matching) note(i item, names ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range names {
		m.by[n] = append(m.by[n], history.Version{Key: i.key, Value: history.Value{Num: i.v}})
	}
}

func (m *matching) facts(put func(history.Fact) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range slices.Sorted(maps.Keys(m.by)) {
		if err := put(history.Fact{Where: n, Matches: m.by[n]}); err != nil {
			return err
		}
	}
	return nil
}

const (
	itemsTable  = "txmc_stress_items"
	groupsTable = "txmc_stress_groups"
	groups      = 4
	block       = 10 // places of a range
)

// predicates insert, update and delete rows of few groups, and read by predicates.
type predicates struct {
	quiet
	matching
	places []itemPlace
}

func newPredicates(keys int) *predicates {
	return &predicates{matching: matching{by: map[string][]history.Version{}}, places: newItemPlaces(keys)}
}

func (w *predicates) name() string     { return "predicates" }
func (w *predicates) tables() []string { return []string{itemsTable, groupsTable} }

func (w *predicates) setup(*run) []string {
	list := []string{"CREATE TABLE " + itemsTable + " (id bigint PRIMARY KEY, grp bigint NOT NULL, val bigint NOT NULL, v bigint NOT NULL)",
		"CREATE TABLE " + groupsTable + " (id bigint PRIMARY KEY, flag bigint NOT NULL, v bigint NOT NULL)"}
	return append(list, rows(groups, "INSERT INTO "+groupsTable, func(k int) string { return fmt.Sprintf("(%d, 0, 0)", k) })...)
}

func (w *predicates) transaction(ctx context.Context, c *client) error {
	t := &reader{client: c, ctx: ctx, own: map[string]item{}}
	for range c.Ops {
		if err := w.op(t); err != nil {
			return err
		}
	}
	return nil
}

func (w *predicates) op(t *reader) error {
	n, grp := int64(t.key()), t.rng.Int64N(groups)
	switch t.rng.IntN(10) {
	case 0, 1, 2:
		return w.put(t, &w.places[n], grp)
	case 3:
		return w.delete(t, &w.places[n])
	case 4:
		return w.flag(t, grp)
	case 5:
		return t.sum(grp)
	case 6:
		return t.scan(n / block)
	case 7:
		return t.join()
	}
	return t.count(grp)
}

// put inserts an item, or updates the one that is there.
func (w *predicates) put(t *reader, p *itemPlace, grp int64) error {
	id, isNew := p.choose()
	i := item{fmt.Sprintf("item %d", id), grp, t.rng.Int64N(100), t.unique()}
	sql := fmt.Sprintf("UPDATE %s SET grp = %d, val = %d, v = %d WHERE id = %d", itemsTable, i.grp, i.val, i.v, id)
	if isNew {
		sql = fmt.Sprintf("INSERT INTO %s VALUES (%d, %d, %d, %d)", itemsTable, id, i.grp, i.val, i.v)
		t.atEnd = append(t.atEnd, p.goneIf(id, history.Aborted))
	}
	r, err := t.do(t.ctx, "%s", sql)
	if err != nil {
		return err
	}
	if r.Affected == 0 {
		p.missed(id)
		return nil
	}
	w.note(i, groupIs(i.grp).name, rangeOf(id/generations/block).name)
	t.wroteItem(i)
	return nil
}

// dead is the group of a deleted version.
const dead = -1

func (w *predicates) delete(t *reader, p *itemPlace) error {
	id, ok := p.there()
	if !ok {
		return nil
	}
	r, err := t.do(t.ctx, "DELETE FROM %s WHERE id = %d", itemsTable, id)
	if err != nil {
		return err
	}
	if r.Affected == 0 {
		p.missed(id)
		return nil
	}
	t.atEnd = append(t.atEnd, p.goneIf(id, history.Committed))
	i := item{key: fmt.Sprintf("item %d", id), grp: dead, v: t.unique()}
	t.wroteItem(i)
	if t.cert == nil {
		return nil
	}
	_, err = t.do(t.ctx, "SELECT pg_logical_emit_message(true, '%s', '%s=%d@' || pg_current_xact_id())", messages, i.key, i.v)
	return err
}

// flag turns a group on or off.
func (w *predicates) flag(t *reader, grp int64) error {
	i := item{key: fmt.Sprintf("group %d", grp), grp: t.rng.Int64N(2), v: t.unique()}
	if _, err := t.do(t.ctx, "UPDATE %s SET flag = %d, v = %d WHERE id = %d", groupsTable, i.grp, i.v, grp); err != nil {
		return err
	}
	if i.grp == 1 {
		w.note(i, flagged.name)
	}
	t.wroteItem(i)
	return nil
}

func (w *predicates) log() logReader { return logOf(w) }

func (w *predicates) version(table string, row map[string]sql.NullString) (key string, value int64, ok bool) {
	if table == groupsTable {
		return keyed("group ", "id", row)
	}
	return keyed("item ", "id", row)
}

func isItem(i item) bool { return len(i.key) > 5 && i.key[:5] == "item " && i.grp != dead }

// groupIs is the predicate of items of a group.
func groupIs(grp int64) where {
	return where{"grp = " + strconv.FormatInt(grp, 10), func(i item) bool { return isItem(i) && i.grp == grp }}
}

// rangeOf is the predicate of items of a range of places.
func rangeOf(n int64) where {
	lo, hi := bounds(n)
	return where{fmt.Sprintf("id %d to %d", lo, hi), func(i item) bool {
		if !isItem(i) {
			return false
		}
		id, err := strconv.ParseInt(i.key[5:], 10, 64)
		return err == nil && lo <= id && id <= hi
	}}
}

// bounds are the keys of a range.
func bounds(n int64) (lo, hi int64) { return n * block * generations, (n+1)*block*generations - 1 }

// flagged is the predicate of groups that are on.
var flagged = where{"flag", func(i item) bool { return len(i.key) > 6 && i.key[:6] == "group " && i.grp == 1 }}
