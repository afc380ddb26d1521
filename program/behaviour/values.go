package behaviour

import (
	"math"
	"reflect"
	"sync"
)

// VarID is an interned variable, counted from 0 in the order of discovery.
type VarID int32

// ValueID is an interned value; 0 is nil, the value of a key nobody wrote.
// Equal values of the same type have the same ID.
type ValueID int32

// Values interns Go values by a canonical encoding. A value goes in as a copy and comes
// out as a copy: so nothing is shared through the store.
type Values struct {
	mu      sync.RWMutex
	ids     map[string]ValueID
	types   map[reflect.Type]uint64
	forms   *forms
	limit   int      // of an encoding, in bytes
	printed sync.Map // by ValueID: texts that take long to make
	hashes  sync.Map // by ValueID: see hash
	masters []master
	buf     []byte
	answers
}

type master struct {
	value any
	flat  bool // holds no reference: may be handed out as it is
}

// NewValues returns a table of values whose encodings are at most limit bytes long.
func NewValues(limit int) *Values {
	return &Values{
		ids:     map[string]ValueID{"": 0},
		types:   map[reflect.Type]uint64{},
		forms:   &forms{},
		limit:   limit,
		masters: []master{{nil, true}},
	}
}

// Intern returns the ID of v, or an error that says which part of v cannot be
// stored and what to store instead.
func (t *Values) Intern(v any) (ValueID, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.number(v, t.limit)
}

// number is intern of a value whose encoding has at most so many bytes.
func (t *Values) number(v any, most int) (ValueID, error) {
	if v == nil {
		return 0, nil
	}
	rv := reflect.ValueOf(v)
	e := encoder{types: t.types, forms: t.forms, buf: t.buf[:0], most: most, limit: most}
	err := e.dynamic(rv, 0)
	t.buf = e.buf
	if err != nil {
		return 0, err
	}
	if id, ok := t.ids[string(e.buf)]; ok {
		return id, nil
	}
	if planned, ok := t.next(); ok { // the number that v would get is another value's
		if _, err := t.number(planned, math.MaxInt); err != nil {
			return 0, err
		}
		return t.number(v, most)
	}
	id := ValueID(len(t.masters))
	m := master{v, !e.refs}
	if e.refs {
		m.value = t.forms.deepCopy(rv).Interface()
	}
	t.masters = append(t.masters, m)
	t.ids[string(e.buf)] = id
	return id, nil
}

// Len is the number of values.
func (t *Values) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.masters)
}

// Get returns a copy of the value that id stands for.
func (t *Values) Get(id ValueID) any {
	t.mu.RLock()
	m := t.masters[id]
	t.mu.RUnlock()
	if m.flat {
		return m.value
	}
	return t.forms.deepCopy(reflect.ValueOf(m.value)).Interface()
}
