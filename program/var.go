package program

import "reflect"

// Var is a shared variable of the program, typed, with an initial value.
// Make it with [NewVar]; use it inside transactions only.
type Var[T any] struct {
	client *Client
	key    string
	id     VarID
}

// NewVar declares the variable key with its initial value. Keys are not empty
// and not repeated. T is anything comparable but pointers and channels, or
// slices, maps and structs of such; values are copied in and out, so that no
// memory is shared through the store.
func NewVar[T any](p *Program, key string, initial T) *Var[T] {
	return &Var[T]{key: key, id: p.newVar(key, any(initial)), client: p.client}
}

// Key returns the name under which the variable was declared.
func (v *Var[T]) Key() string { return v.key }

// Get reads the variable in tx. A transaction sees its own writes.
func (v *Var[T]) Get(tx *Tx) T {
	loc := tx.operation("Get")
	v.check(tx, loc)
	got := tx.read(v.id, loc)
	t, ok := got.(T)
	if !ok && (got != nil || reflect.TypeFor[T]().Kind() != reflect.Interface) {
		tx.run.misuse(loc, "variable %q holds a %T, not a %s: an earlier Write of that key stored another type", v.key, got, reflect.TypeFor[T]())
	}
	return t
}

// Set writes the variable in tx; the write is visible to others when tx commits.
func (v *Var[T]) Set(tx *Tx, value T) {
	loc := tx.operation("Set")
	v.check(tx, loc)
	tx.write(v.id, any(value), loc)
}

func (v *Var[T]) check(tx *Tx, loc Loc) {
	if v == nil || v.client != tx.run.client {
		tx.run.misuse(loc, "the variable was not declared in this program: make it with NewVar in the Explore function")
	}
}

func (p *Program) newVar(key string, initial any) VarID {
	loc := p.declaring("NewVar")
	val, err := p.client.values.intern(initial)
	if err != nil {
		p.run.misuse(loc, "variable %q: its initial value cannot be stored: %v", key, err)
	}
	p.declare(declaration{what: "variable", name: key, initial: val, loc: loc})
	return p.client.variable(key)
}
