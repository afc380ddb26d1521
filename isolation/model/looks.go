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
	order   [4]atomic.Uint64 // tables whose rows have an order that was looked at
	holders atomic.Bool      // which of several transactions that hold a row began first
	news    atomic.Bool      // something has come since Begin
}

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
	return l == nil || l.order[table>>6].Load()>>(table&63)&1 == 1
}

// LookAtOrder says that it is looked at.
func (l *Looks) LookAtOrder(table uint8) {
	if !l.Order(table) {
		l.order[table>>6].Or(1 << (table & 63))
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

// Data is what has been looked at as numbers, and Read is its inverse: of no numbers all has.
func (l *Looks) Data() (list []uint64) {
	if l == nil {
		return nil
	}
	for i := range l.order {
		list = append(list, l.order[i].Load())
	}
	if l.Holders() {
		return append(list, 1)
	}
	return append(list, 0)
}

// Read takes what Data has made.
func (l *Looks) Read(list []uint64) {
	if l == nil {
		return
	}
	for i := range l.order {
		set := ^uint64(0)
		if i < len(list) {
			set = list[i]
		}
		l.order[i].Store(set)
	}
	l.holders.Store(len(list) <= len(l.order) || list[len(l.order)] == 1)
	l.Begin()
}
