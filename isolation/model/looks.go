package model

import "sync/atomic"

// Looks is what the statements of a program have looked at, beyond what all of them look at:
// where the model has asked for it. What nobody has looked at is no part of a key. A state
// without it has the same future, as long as nobody looks. So an exploration begins with
// nothing, and begins again when somebody has looked at something that was left out: see
// docs/databases.md. A nil *Looks says that all has been looked at.
//
// All copies of a Database share one. Several goroutines may use it.
type Looks struct {
	order   tables      // whose rows have an order that was looked at
	entries tables      // whose indexes have an order of entries with equal keys that was looked at
	holders atomic.Bool // which of several transactions that hold a row began first
	news    atomic.Bool // something has come since Begin
}

// tables is a set of tables.
type tables [4]atomic.Uint64

func (s *tables) has(table uint8) bool { return s[table>>6].Load()>>(table&63)&1 == 1 }

func (s *tables) add(table uint8) { s[table>>6].Or(1 << (table & 63)) }

// Begin begins an exploration with what is known.
func (l *Looks) Begin() {
	if l != nil {
		l.news.Store(false)
	}
}

// News reports whether something has come since Begin.
func (l *Looks) News() bool { return l != nil && l.news.Load() }

// Order reports whether the physical order of a table's rows has been looked at.
func (l *Looks) Order(table uint8) bool {
	return l == nil || l.order.has(table)
}

// LookAtOrder says that it is looked at.
func (l *Looks) LookAtOrder(table uint8) {
	if !l.Order(table) {
		l.order.add(table)
		l.news.Store(true)
	}
}

// Entries reports whether the order of entries with equal keys has been looked at, in an index of a table.
func (l *Looks) Entries(table uint8) bool { return l == nil || l.entries.has(table) }

// LookAtEntries says that it is looked at.
func (l *Looks) LookAtEntries(table uint8) {
	if !l.Entries(table) {
		l.entries.add(table)
		l.news.Store(true)
	}
}

// Holders reports whether the order of transactions that hold a row has been looked at.
func (l *Looks) Holders() bool { return l == nil || l.holders.Load() }

// LookAtHolders says that it is looked at.
func (l *Looks) LookAtHolders() {
	if !l.Holders() {
		l.holders.Store(true)
		l.news.Store(true)
	}
}

// Learning is a Database that asks for what its statements look at.
type Learning interface{ Learn(l *Looks) }

// Data is what has been looked at as numbers, and Read is its inverse: of numbers that are missing all has.
func (l *Looks) Data() (list []uint64) {
	if l == nil {
		return nil
	}
	holders := uint64(0)
	if l.Holders() {
		holders = 1
	}
	return l.entries.data(append(l.order.data(nil), holders))
}

func (s *tables) data(list []uint64) []uint64 {
	for i := range s {
		list = append(list, s[i].Load())
	}
	return list
}

// Read takes what Data has made.
func (l *Looks) Read(list []uint64) {
	if l == nil {
		return
	}
	list = l.order.read(list)
	l.holders.Store(len(list) == 0 || list[0] == 1)
	l.entries.read(list[min(len(list), 1):])
	l.Begin()
}

func (s *tables) read(list []uint64) (rest []uint64) {
	for i := range s {
		set := ^uint64(0)
		if len(list) > 0 {
			set, list = list[0], list[1:]
		}
		s[i].Store(set)
	}
	return list
}
