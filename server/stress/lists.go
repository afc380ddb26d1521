package stress

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/server/scratch"
)

// lists append to lists and read them. A long list makes way for a new one, as in Elle's
// workloads. Else each read would be as long as the history.
type lists struct {
	quiet
	plain
	slots []slot
}

// slot is a place for a list.
type slot struct {
	appends, generation atomic.Int64
}

// longestList is how many appends a list gets, whether they commit or not.
const longestList = 64

const listsTable = "txmc_stress_lists"

func newLists(keys int) *lists { return &lists{slots: make([]slot, max(1, keys))} }

func (w *lists) name() string     { return "lists" }
func (w *lists) tables() []string { return []string{listsTable} }

func (w *lists) setup(*run) []string {
	return []string{"CREATE TABLE " + listsTable + " (k bigint PRIMARY KEY, v text NOT NULL)"}
}

func (w *lists) transaction(ctx context.Context, c *client) error {
	for range c.Ops {
		i := int(c.key())
		s := &w.slots[i]
		key := int64(i) + s.generation.Load()*int64(len(w.slots))
		if c.rng.IntN(2) == 0 {
			if err := w.read(ctx, c, key); err != nil {
				return err
			}
			continue
		}
		if s.appends.Add(1)%longestList == 0 {
			s.generation.Add(1)
		}
		if err := w.add(ctx, c, key); err != nil {
			return err
		}
	}
	return nil
}

func (w *lists) read(ctx context.Context, c *client, key int64) error {
	r, err := c.do(ctx, "SELECT v FROM %s WHERE k = %d", listsTable, key)
	if err != nil {
		return err
	}
	o := history.Op{Kind: history.ReadList, Key: strconv.FormatInt(key, 10)}
	if len(r.Rows) > 0 {
		for text := range strings.SplitSeq(r.Text(0, 0), ",") {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return wrongAnswer(fmt.Sprintf("list %d is %q, which is no list of numbers", key, r.Text(0, 0)))
			}
			o.List = append(o.List, history.Value{Num: n})
		}
	}
	c.txn.Ops = append(c.txn.Ops, o)
	return nil
}

func (w *lists) add(ctx context.Context, c *client, key int64) error {
	v := c.unique()
	sql := "INSERT INTO %[1]s VALUES (%[2]d, '%[3]d') ON DUPLICATE KEY UPDATE v = concat(v, ',%[3]d')"
	if c.d.Kind == scratch.Postgres {
		sql = "INSERT INTO %[1]s AS t VALUES (%[2]d, '%[3]d') ON CONFLICT (k) DO UPDATE SET v = t.v || ',%[3]d'"
	}
	if _, err := c.do(ctx, sql, listsTable, key, v); err != nil {
		return err
	}
	c.op(history.Append, strconv.FormatInt(key, 10), history.Value{Num: v})
	return nil
}

// version is the last element of a row, in whose order the elements stand anyway.
func (w *lists) log() logReader { return logOf(w) }

func (w *lists) version(_ string, row map[string]sql.NullString) (key string, value int64, ok bool) {
	text := row["v"].String
	value, err := strconv.ParseInt(text[strings.LastIndexByte(text, ',')+1:], 10, 64)
	return row["k"].String, value, err == nil
}
