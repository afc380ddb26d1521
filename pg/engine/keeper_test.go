package engine

import (
	"fmt"
)

// keeper is Hooks in the obvious way: one transaction at a time, versions in a list a row.
type keeper struct {
	versions map[TID]*kept

	log   []string
	rows  bool // rows are read when they are inserted
	busy  bool // locks are not to be had
	deny  func(w Write) Result
	raise string // SQLSTATE to raise at the next scan
}

// kept is a version: it was made by command from and removed by command to.
type kept struct {
	table    OID
	from, to uint32
	own, mod bool // made, removed by the running transaction
	gone     bool
}

func newKeeper() *keeper { return &keeper{versions: map[TID]*kept{}} }

func (k *keeper) key(table OID, t TID) TID { return t<<24 | TID(table) }

func (k *keeper) logf(f string, args ...any) { k.log = append(k.log, fmt.Sprintf(f, args...)) }

func (k *keeper) Scan(c *Call, s Scan) {
	if k.raise != "" {
		c.Raise(k.raise, "raised 100%s by the hook")
	}
	name := "whole"
	if s.Index != 0 {
		name = c.Index(s.Index).Name
	}
	text := ""
	for _, key := range s.Keys {
		text += fmt.Sprintf(" %d:%d:%x", key.Column, key.Strategy, []byte(key.Value))
	}
	k.logf("scan %s %s%s", c.Table(s.Table).Name, name, text)
}

func (k *keeper) Visible(c *Call, v Version, w View) bool {
	x := k.versions[k.key(v.Table, v.TID)]
	if x == nil {
		return false
	}
	row, err := c.Row(v)
	if err != nil {
		c.Raise("XX000", err.Error())
	}
	k.logf("see %s %s", c.Table(v.Table).Name, c.Text(c.Table(v.Table).Columns[0].Type, c.Table(v.Table).Columns[0], row[0]))
	if w.Kind != MVCC {
		return !x.gone
	}
	return !(x.own && x.from >= w.Command) && (!x.gone || x.mod && x.to >= w.Command)
}

func (k *keeper) Inserted(c *Call, i Insertion) {
	if i.Replaces != NoTID {
		k.remove(i.Table, i.Replaces, i.Command)
	}
	k.versions[k.key(i.Table, i.TID)] = &kept{table: i.Table, from: i.Command, own: true}
	if k.rows {
		row, err := c.Row(Version{Table: i.Table, TID: i.TID})
		if err != nil {
			c.Raise("XX000", err.Error())
		}
		slow, err := c.x.stored(i.Table, i.TID)
		if err != nil || slow.Key() != row.Key() {
			c.Raise("XX000", fmt.Sprintf("the row is %x, and %x where it is stored, %v", row.Key(), slow.Key(), err))
		}
	}
	k.logf("insert %s", c.Table(i.Table).Name)
}

func (k *keeper) remove(table OID, t TID, command uint32) {
	x := k.versions[k.key(table, t)]
	x.gone, x.mod, x.to = true, true, command
}

func (k *keeper) Withdrawn(_ *Call, table OID, t TID) { delete(k.versions, k.key(table, t)) }

func (k *keeper) Write(c *Call, w Write) Result {
	if k.deny != nil {
		if r := k.deny(w); r.Code != OK {
			return r
		}
	}
	x := k.versions[k.key(w.Table, w.TID)]
	if x.gone {
		return Result{Code: SelfModified, Command: x.to}
	}
	if w.Delete {
		k.remove(w.Table, w.TID, w.Command)
		k.logf("delete %s", c.Table(w.Table).Name)
	}
	return Result{}
}

func (k *keeper) Lock(c *Call, l Lock) Result {
	if k.busy {
		return Result{Code: WouldBlock}
	}
	k.logf("lock %s %d", c.Table(l.Table).Name, l.Mode)
	return Result{Newest: l.TID}
}

func (k *keeper) Truncated(_ *Call, table OID) {
	for t, x := range k.versions {
		if x.table == table {
			delete(k.versions, t)
		}
	}
}

func (k *keeper) Transaction(_ *Call, e End) {
	for t, x := range k.versions {
		switch {
		case e == Abort && x.own, e == Commit && x.gone:
			delete(k.versions, t)
		case e == Abort && x.mod:
			x.gone = false
		}
		if e != PreCommit {
			x.own, x.mod = false, false
		}
	}
}

func (k *keeper) Subtransaction(*Call, End, uint32, uint32) {}
