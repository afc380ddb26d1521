// Looking at tables between messages: which there are, what rows they hold, and when two rows have the same key.

package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// Do calls f as a hook would be called, while the instance is idle. It runs in the open transaction, or in one of
// its own that is committed.
func (x *Instance) Do(f func(c *Call) error) (err error) {
	switch {
	case x.broken != nil:
		return x.broken
	case x.Hungry() || x.depth > 0:
		return ErrBusy
	}
	var failed error
	err = x.guard(func() error {
		sp := x.proc.Must("emscripten_stack_get_current")
		err := x.inTransaction(func() { failed = f(&x.call) })
		return x.recoverServer(sp, err, func() { failed = errors.Join(failed, x.errorSaid()) })
	})
	return errors.Join(err, failed)
}

// inTransaction runs f with a snapshot. A long jump of the server's out of it is an error.
func (x *Instance) inTransaction(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	p := x.proc
	p.Must("StartTransactionCommand")
	p.Must("PushActiveSnapshot", p.Must("GetTransactionSnapshot"))
	f()
	p.Must("PopActiveSnapshot")
	p.Must("CommitTransactionCommand")
	return nil
}

// recoverServer lets the server deal with an error that was not caught, as its main loop does.
func (x *Instance) recoverServer(sp uint64, err error, failed func()) error {
	if err == nil {
		return nil
	}
	const jumped = 100 // the exit code by which an error leaves the main loop
	x.proc.Must("_emscripten_stack_restore", sp)
	var exit emscripten.Exit
	if !errors.As(err, &exit) || exit.Code != jumped {
		return err
	}
	if _, err := x.proc.Call("PostgresMainLongJmp"); err != nil {
		return err
	}
	failed()
	return nil
}

// errorSaid is the error that the server has written for its client, and takes it back.
func (x *Instance) errorSaid() error {
	x.proc.Must("PostgresSendReadyForQueryIfNecessary") // else it comes before the next answer
	x.proc.Must("pgl_pq_flush")
	defer x.out.Reset()
	for b := x.out.Bytes(); len(b) >= 5; {
		n := int(binary.BigEndian.Uint32(b[1:])) + 1
		if b[0] == 'E' {
			return fmt.Errorf("PostgreSQL says %q", b[5:n])
		}
		b = b[n:]
	}
	return errors.New("PostgreSQL found an error and did not say which")
}

// Tables are the ordinary tables that users made, by their identifiers in order.
func (x *Instance) Tables() ([]OID, error) {
	if x.Hungry() || x.depth > 0 {
		return nil, ErrBusy
	}
	var out []OID
	err := x.rows("SELECT oid FROM pg_catalog.pg_class WHERE relkind = 'r' AND relpersistence <> 't' AND oid >= 16384 ORDER BY oid", func(b []byte) error {
		oid, err := strconv.ParseUint(string(b[6:]), 10, 32) // the number of columns and the value's length come first
		out = append(out, OID(oid))
		return err
	})
	return out, err
}

// Unfreeze writes tables anew whose pages VACUUM has marked: the rows of such pages are read without asking who
// may see them, also not Hooks. It is to be called before an instance that had no hooks gets them.
func (x *Instance) Unfreeze() error {
	var marked []string
	err := x.rows("SELECT oid::regclass FROM pg_catalog.pg_class WHERE relkind = 'r' AND relallvisible > 0 AND oid >= 16384", func(b []byte) error {
		marked = append(marked, string(b[6:]))
		return nil
	})
	for _, table := range marked {
		if err == nil {
			err = x.rows("VACUUM FULL "+table, func([]byte) error { return nil })
		}
	}
	return err
}

// rows runs a query of the engine's own and gives the body of each row's message to f.
func (x *Instance) rows(sql string, f func([]byte) error) error {
	x.out.Reset()
	x.in = append(binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(sql)+5)), sql+"\x00"...)
	if err := x.unhooked(x.serve); err != nil {
		return err
	}
	defer x.out.Reset()
	for b := x.out.Bytes(); len(b) >= 5; {
		n := int(binary.BigEndian.Uint32(b[1:])) + 1
		switch b[0] {
		case 'E':
			return fmt.Errorf("PostgreSQL says %q", b[5:n])
		case 'D':
			if err := f(b[5:n]); err != nil {
				return err
			}
		}
		b = b[n:]
	}
	return nil
}

const (
	amScanEnd  = 3
	amNextSlot = 5
)

// EachRow gives the versions of a table that a new snapshot sees, in the order of the heap.
// Hooks, if there are any, are asked as by a statement.
func (c *Call) EachRow(table OID, f func(v Version, row Row) error) error {
	x, p := c.x, c.x.proc
	cols := x.table(table).Columns
	return x.inside(func(rel, slot uint32) error {
		const seqScan, strategy, page = 1, 1 << 6, 1 << 8 // SO_TYPE_SEQSCAN, SO_ALLOW_STRAT, SO_ALLOW_PAGEMODE
		snapshot := p.Must("GetTransactionSnapshot")
		scan := p.CallSlot(p.Word(p.Word(rel+relTableAM)+4*amScanBegin), true, uint64(rel), snapshot, 0, 0, 0, seqScan|strategy|page)
		defer x.original(amScanEnd, false, scan)
		const forward = 1
		for x.original(amNextSlot, true, scan, forward, uint64(slot))&0xff != 0 {
			if err := f(Version{Table: table, TID: x.tid(slot + slotTID)}, x.slotRow(cols, slot)); err != nil {
				return err
			}
		}
		return nil
	}, table)
}

const relCollations = 248 // RelationData.rd_indcollation

// SameKey reports whether two rows have the same key in a btree index, by the index's own comparison: the
// bytes of equal values may differ. Null is the same as nothing. Keys that are expressions count as different.
func (c *Call) SameKey(index OID, a, b Row) (same bool, err error) {
	i, x := c.Index(index), c.x
	if i == nil {
		return false, fmt.Errorf("no index %d", index)
	}
	cols := x.table(i.Table).Columns
	same = true
	err = x.scratch(func() (err error) {
		x.withRelation(index, func(rel uint32) {
			for k := range i.Keys {
				at := i.Columns[k] - 1
				if at < 0 || a[at] == nil || b[at] == nil {
					same = false
					return
				}
				var equal bool
				if equal, err = x.sameValue(rel, k, &cols[at], a[at], b[at]); err != nil || !equal {
					same = false
					return
				}
			}
		})
		return err
	})
	return same, err
}

func (x *Instance) sameValue(rel uint32, key int, c *Column, a, b Value) (bool, error) {
	const order = 1 // BTORDER_PROC
	if string(a) == string(b) {
		return true, nil
	}
	da, err := x.putDatum(c, a)
	if err != nil {
		return false, err
	}
	db, err := x.putDatum(c, b)
	if err != nil {
		return false, err
	}
	p := x.proc
	f := p.Must("index_getprocinfo", uint64(rel), uint64(key+1), order)
	collation := p.Word(p.Word(rel+relCollations) + uint32(4*key))
	return uint32(p.Must("FunctionCall2Coll", f, uint64(collation), uint64(da), uint64(db))) == 0, nil
}
