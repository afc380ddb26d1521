package program

import (
	"reflect"

	"github.com/txmc/txmc/program/behaviour"
)

// Var is a shared variable of the program, typed, with an initial value.
// Make it with [NewVar]; use it inside transactions only.
type Var[T any] struct {
	client *Client
	key    string
	id     behaviour.VarID
}

// NewVar declares the variable key with its initial value. Keys are not empty and not
// repeated. T is anything but channels and functions: numbers, strings, and structs,
// slices, maps and pointers of such. A pointer is stored as the value that it points
// to. A type that marshals and unmarshals itself as text or bytes is stored as these.
// Values are copied in and out, so that no memory is shared through the store.
func NewVar[T any](p *Program, key string, initial T) *Var[T] {
	return &Var[T]{key: key, id: p.newVar(key, any(initial)), client: p.client}
}

// Key returns the name under which the variable was declared.
func (v *Var[T]) Key() string { return v.key }

// Get reads the variable in tx. A transaction sees its own writes.
func (v *Var[T]) Get(tx *Tx) T {
	loc := tx.operation("Get")
	v.check(tx, loc)
	return v.read(tx, 0, loc)
}

// GetForUpdate is a locking read of the variable in tx, as SELECT ... FOR UPDATE:
// it returns the transaction's own last write, or the last write of all
// transactions that are committed before this one, at every level. No other
// transaction writes the variable in between. With [behaviour.NoWait] or [behaviour.SkipLocked] it does not
// wait: look at [Tx.Err] then. Under axiomatic levels nothing is ever in its way.
func (v *Var[T]) GetForUpdate(tx *Tx, options ...behaviour.ReadOption) T {
	loc := tx.operation("GetForUpdate")
	v.check(tx, loc)
	return v.read(tx, together(options)|behaviour.ForUpdate, loc)
}

// GetForShare is [Var.GetForUpdate] with a lock that others may share, as SELECT … FOR
// SHARE.
func (v *Var[T]) GetForShare(tx *Tx, options ...behaviour.ReadOption) T {
	loc := tx.operation("GetForShare")
	v.check(tx, loc)
	return v.read(tx, together(options)|behaviour.ForShare, loc)
}

// Update is UPDATE of one row: f gets the value of a locking read and returns the
// new value, and whether there is one. Update writes it then, and reports whether
// it has. The variable stays locked to the end of the transaction either way, as
// by [Var.GetForUpdate]: no update by others is lost. Under a database's model a row
// that does not match when the statement finds it is not locked. f must not use tx; it
// may be called several times, and only its last result counts.
func (v *Var[T]) Update(tx *Tx, f func(old T) (T, bool)) (changed bool) {
	loc := tx.operation("Update")
	v.check(tx, loc)
	if f == nil {
		tx.run.misuse(loc, "Update of %q needs a function, got nil", v.key)
	}
	if tx.onDatabase() {
		return tx.update(v.id, func(old any) (any, bool) { return f(v.typed(tx, old, loc)) }, loc)
	}
	value, changed := f(v.read(tx, behaviour.ForUpdate, loc))
	if changed {
		tx.write(v.id, any(value), loc)
	}
	return changed
}

func (v *Var[T]) read(tx *Tx, how behaviour.ReadOption, loc behaviour.Loc) T {
	return v.typed(tx, tx.read(v.id, how, loc), loc)
}

// typed is what was read as a T; the zero value when the transaction is in error.
func (v *Var[T]) typed(tx *Tx, got any, loc behaviour.Loc) T {
	t, ok := got.(T)
	if !ok && tx.Err() == nil && (got != nil || reflect.TypeFor[T]().Kind() != reflect.Interface) {
		tx.run.misuse(loc, "variable %q holds a value of type %T and not %s: an earlier Write of that key stored another type", v.key, got, reflect.TypeFor[T]())
	}
	return t
}

// Set writes the variable in tx; the write is visible to others when tx commits.
func (v *Var[T]) Set(tx *Tx, value T) {
	loc := tx.operation("Set")
	v.check(tx, loc)
	tx.write(v.id, any(value), loc)
}

func (v *Var[T]) check(tx *Tx, loc behaviour.Loc) {
	if v == nil || v.client != tx.run.client {
		tx.run.misuse(loc, "the variable was not declared in this program: make it with NewVar in the Explore function")
	}
}

func (p *Program) newVar(key string, initial any) behaviour.VarID {
	loc := p.declaring("NewVar")
	val, err := p.client.values.Intern(initial)
	if err != nil {
		p.run.misuse(loc, "variable %q: its initial value cannot be stored: %v", key, err)
	}
	p.declare(declaration{what: "variable", name: key, initial: val, loc: loc})
	return p.client.variable(key)
}
