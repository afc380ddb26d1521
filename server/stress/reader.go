package stress

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/server/database"
)

// reader is a transaction that reads by predicates.
type reader struct {
	*client
	ctx context.Context
	own map[string]item // what it wrote, by key
}

func (t *reader) wroteItem(i item) {
	t.own[i.key] = i
	t.wrote(i.key, i.v)
}

// count counts a group.
func (t *reader) count(grp int64) error {
	n, saw, err := t.number("SELECT %[1]scount(*) FROM "+itemsTable+" WHERE grp = %[2]d", grp)
	if err != nil {
		return err
	}
	return t.selected(saw, groupIs(grp), "count", n, func(found []item) int64 { return int64(len(found)) })
}

// sum adds up a group.
func (t *reader) sum(grp int64) error {
	n, saw, err := t.number("SELECT %[1]scoalesce(sum(val), 0) FROM "+itemsTable+" WHERE grp = %[2]d", grp)
	if err != nil {
		return err
	}
	return t.selected(saw, groupIs(grp), "sum", n, func(found []item) (sum int64) {
		for _, i := range found {
			sum += i.val
		}
		return sum
	})
}

// join counts the items of groups that are on. It is the predicate on the groups, and one
// on the items of each that it finds.
func (t *reader) join() error {
	n, saw, err := t.number("SELECT %[1]scount(*) FROM "+itemsTable+" i JOIN "+groupsTable+" g ON g.id = i.grp WHERE g.flag = %[2]d", 1)
	if err != nil || saw == nil {
		return err
	}
	var total int64
	on := t.record(saw, flagged)
	for _, g := range on {
		var grp int64
		if _, err := fmt.Sscanf(g.key, "group %d", &grp); err != nil {
			return err
		}
		total += int64(len(t.record(saw, groupIs(grp))))
	}
	if total != n {
		t.contradict("count", n)
	}
	return nil
}

// scan reads the rows of a range of keys.
func (t *reader) scan(n int64) error {
	lo, hi := bounds(n)
	q := fmt.Sprintf("SELECT id, v FROM %s WHERE id BETWEEN %d AND %d ORDER BY id", itemsTable, lo, hi)
	if t.cert == nil {
		r, err := t.do(t.ctx, "%s", q)
		if err != nil {
			return err
		}
		for i := range r.Rows {
			if err := t.saw("item "+r.Text(i, 0), r.Text(i, 1)); err != nil {
				return err
			}
		}
		return nil
	}
	r, err := t.do(t.ctx, "SELECT %scoalesce(string_agg(id || '=' || v, ',' ORDER BY id), '') FROM (%s) r", exported, q)
	if err != nil {
		return err
	}
	saw, err := t.versionSet(r, "")
	if err != nil {
		return err
	}
	want := ""
	for _, i := range byID(t.record(saw, rangeOf(n))) {
		want += fmt.Sprintf(",%s=%d", i.key[5:], i.v)
	}
	if got := r.Text(0, 2); got != want && ","+got != want {
		t.contradict("rows "+got, 0)
	}
	return nil
}

// byID sorts items by their number.
func byID(list []item) []item {
	slices.SortFunc(list, func(a, b item) int {
		if len(a.key) != len(b.key) {
			return len(a.key) - len(b.key)
		}
		if a.key < b.key {
			return -1
		}
		return 1
	})
	return list
}

// number runs a query for a number. With a certificate it returns the version set.
func (t *reader) number(query string, arg int64) (n int64, saw *versionSet, err error) {
	export := ""
	if t.cert != nil {
		export = exported
	}
	r, err := t.do(t.ctx, query, export, arg)
	if err != nil {
		return 0, nil, err
	}
	last := len(r.Rows[0]) - 1
	if _, err := fmt.Sscan(r.Text(0, last), &n); err != nil {
		return 0, nil, wrongAnswer(fmt.Sprintf("%q is no number", r.Text(0, last)))
	}
	if t.cert == nil {
		return n, nil, nil
	}
	saw, err = t.versionSet(r, "")
	return n, saw, err
}

// selected records a predicate read that gave a number.
func (t *reader) selected(saw *versionSet, p where, what string, n int64, of func([]item) int64) error {
	if saw != nil && of(t.record(saw, p)) != n {
		t.contradict(what, n)
	}
	return nil
}

// record records a predicate read of a version set, and returns the items that it has
// found, which are read besides.
func (t *reader) record(saw *versionSet, p where) (found []item) {
	w := &history.Where{Name: p.name, Snapshot: saw.snapshot}
	for _, key := range slices.Sorted(maps.Keys(saw.items)) {
		i := saw.items[key]
		v := history.Version{Key: key, Value: history.Value{Num: i.v}}
		w.Saw = append(w.Saw, v)
		if p.match(i) {
			w.Result, found = append(w.Result, v), append(found, i)
		}
	}
	t.txn.Ops = append(t.txn.Ops, history.Op{Kind: history.Predicate, Where: w})
	for _, i := range found {
		t.op(history.Read, i.key, history.Value{Num: i.v})
	}
	return found
}

// contradict makes the last predicate read one whose result is not what matches: the
// checker names it.
func (t *reader) contradict(what string, n int64) {
	for i := len(t.txn.Ops) - 1; i >= 0; i-- {
		if w := t.txn.Ops[i].Where; w != nil {
			w.Result = append(w.Result, history.Version{Key: what, Value: history.Value{Num: n}})
			return
		}
	}
}

// exported makes a statement tell its snapshot, in two columns.
const exported = "pg_export_snapshot(), pg_current_snapshot(), "

// versionSet is what is there on a snapshot.
type versionSet struct {
	items    map[string]item
	snapshot []int64 // as in history.Where
}

// setSnapshot understands what pg_current_snapshot returns, xmin:xmax:xip,….
func (s *versionSet) setSnapshot(text string) error {
	f := strings.Split(text, ":")
	if len(f) != 3 {
		return wrongAnswer(fmt.Sprintf("%q is no snapshot", text))
	}
	for _, number := range append(f[1:2:2], strings.FieldsFunc(f[2], func(r rune) bool { return r == ',' })...) {
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return wrongAnswer(fmt.Sprintf("%q is no snapshot", text))
		}
		s.snapshot = append(s.snapshot, n)
	}
	return nil
}

// versionSet reads the tables on a snapshot, or with a condition only rows of the first one
// that can match, and puts the transaction's own writes over what is there.
func (t *reader) versionSet(of database.Result, condition string) (*versionSet, error) {
	set := &versionSet{items: map[string]item{}}
	if err := set.setSnapshot(of.Text(0, 1)); err != nil {
		return nil, err
	}
	second, err := t.shadow(t.ctx)
	if err != nil {
		return nil, err
	}
	tables := "SELECT 'item ' || id, grp, val, v FROM " + itemsTable
	if condition != "" {
		tables += " WHERE " + condition
	} else {
		tables += " UNION ALL SELECT 'group ' || id, flag, 0, v FROM " + groupsTable
	}
	r, err := second.Do(t.ctx, fmt.Sprintf("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT '%s'; %s; COMMIT", of.Text(0, 0), tables))
	if err != nil {
		t.noShadow()
		return nil, fmt.Errorf("the snapshot's version set: %w", err)
	}
	for n := range r.Rows {
		i, err := scanItem(r, n)
		if err != nil {
			return nil, err
		}
		if i.v != 0 { // else the initial version
			set.items[i.key] = i
		}
	}
	maps.Copy(set.items, t.own)
	return set, nil
}

func scanItem(r database.Result, n int) (i item, err error) {
	i.key = r.Text(n, 0)
	for column, to := range []*int64{&i.grp, &i.val, &i.v} {
		if _, err := fmt.Sscan(r.Text(n, column+1), to); err != nil {
			return i, wrongAnswer(fmt.Sprintf("%s has the value %q", i.key, r.Text(n, column+1)))
		}
	}
	return i, nil
}
