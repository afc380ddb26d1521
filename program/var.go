package program

import "reflect"

// Var is a shared variable of the program, typed, with an initial value.
// Make it with [NewVar]; use it inside transactions only.
type Var[T any] struct {
	key string
	id  VarID
}

// NewVar declares the variable key with its initial value. Keys are not
// repeated. T is anything comparable, or slices, maps and structs of such;
// values are copied in and out, so that no memory is shared through the store.
func NewVar[T any](p *Program, key string, initial T) *Var[T] {
	return &Var[T]{key: key, id: p.newVar(key, any(initial))}
}

// Key returns the name under which the variable was declared.
func (v *Var[T]) Key() string { return v.key }

// Get reads the variable in tx. A transaction sees its own writes.
func (v *Var[T]) Get(tx *Tx) T {
	got := tx.read(v.id)
	t, ok := got.(T)
	if !ok && (got != nil || reflect.TypeFor[T]().Kind() != reflect.Interface) {
		tx.misuse(tx.run.client.caller(), "variable %q holds a %T, not a %s: an earlier Write of that key stored another type", v.key, got, reflect.TypeFor[T]())
	}
	return t
}

// Set writes the variable in tx; the write is visible to others when tx commits.
func (v *Var[T]) Set(tx *Tx, value T) { tx.write(v.id, any(value)) }

func (p *Program) newVar(key string, initial any) VarID {
	loc := p.declaring("NewVar")
	for _, d := range p.vars {
		if d.key == key {
			p.misuse(loc, "variable %q is declared twice, first at %s: give each variable a key of its own", key, p.client.Location(d.loc))
		}
	}
	val, err := p.client.values.intern(initial)
	if err != nil {
		p.misuse(loc, "variable %q: its initial value cannot be stored: %v", key, err)
	}
	id := p.client.variable(key)
	p.vars = append(p.vars, varDecl{key, id, val, loc})
	return id
}
