package stress

import (
	"context"
	"fmt"
)

// inserts counts groups and inserts into them. No row is ever updated or deleted, so that what
// goes wrong is in what predicates did not see. A group that is large makes way for a new
// one.
type inserts struct {
	*predicates
	groups *lists // whose slots are groups
}

func newInserts() *inserts { return &inserts{newPredicates(0), newLists(1)} }

func (w *inserts) name() string     { return "inserts" }
func (w *inserts) tables() []string { return []string{itemsTable} }

func (w *inserts) setup(r *run) []string {
	w.groups = newLists(max(1, r.Keys))
	return []string{"CREATE TABLE " + itemsTable + " (id bigint PRIMARY KEY, grp bigint NOT NULL, val bigint NOT NULL, v bigint NOT NULL)",
		"CREATE INDEX txmc_stress_grp ON " + itemsTable + " (grp)"}
}

func (w *inserts) transaction(ctx context.Context, c *client) error {
	t := &reader{client: c, ctx: ctx, own: map[string]item{}}
	for range c.Ops {
		s := int(c.key())
		slot := &w.groups.slots[s]
		grp := int64(s) + slot.generation.Load()*int64(len(w.groups.slots))
		if c.rng.IntN(4) > 0 {
			if err := w.count(t, grp); err != nil {
				return err
			}
			continue
		}
		if slot.appends.Add(1)%longestList == 0 {
			slot.generation.Add(1)
		}
		if err := w.add(t, grp); err != nil {
			return err
		}
	}
	return nil
}

// add inserts into a group.
func (w *inserts) add(t *reader, grp int64) error {
	v := t.unique()
	i := item{fmt.Sprintf("item %d", v), grp, 0, v}
	if _, err := t.do(t.ctx, "INSERT INTO %s VALUES (%d, %d, 0, %d)", itemsTable, v, grp, v); err != nil {
		return err
	}
	w.note(i, groupIs(grp).name)
	t.wroteItem(i)
	return nil
}

// count counts a group. Only its rows belong to the version set: others never match.
func (w *inserts) count(t *reader, grp int64) error {
	export := ""
	if t.cert != nil {
		export = exported
	}
	r, err := t.do(t.ctx, "SELECT %scount(*) FROM %s WHERE grp = %d", export, itemsTable, grp)
	if err != nil || t.cert == nil {
		return err
	}
	saw, err := t.versionSet(r, fmt.Sprintf("grp = %d", grp))
	if err != nil {
		return err
	}
	for key, i := range saw.items { // own ones are of any group
		if i.grp != grp {
			delete(saw.items, key)
		}
	}
	var n int64
	if _, err := fmt.Sscan(r.Text(0, 2), &n); err != nil {
		return wrongAnswer(fmt.Sprintf("%q is no number", r.Text(0, 2)))
	}
	return t.selected(saw, groupIs(grp), "count", n, func(found []item) int64 { return int64(len(found)) })
}
