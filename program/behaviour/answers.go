package behaviour

import (
	"encoding/base64"
	"math"
	"slices"
)

// Values that a database has made, and not a session: lists of rows, counts, and what an
// executor gets. They are numbered when the database answers. A Client that repeats what
// another one did gives them the same numbers.

// Answered is such a value as data.
type Answered struct {
	ID    ValueID `json:"i"`
	Count *int    `json:"n,omitempty"`
	Rows  []int32 `json:"r,omitempty"` // pairs of a variable and its value
	Text  *string `json:"x,omitempty"` // of a Request, in base 64
}

// answers are the values that a database has made.
type answers struct {
	made    []ValueID
	planned map[ValueID]any // values that are to get these numbers
}

// Answer is intern of a value that a database has made.
func (t *Values) Answer(v any) (ValueID, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.masters)
	id, err := t.number(v, math.MaxInt)
	if err == nil && int(id) >= n {
		t.made = append(t.made, id)
	}
	return id, err
}

// next is the value that is to get the next number, if there is one.
func (t *Values) next() (v any, ok bool) {
	id := ValueID(len(t.masters))
	if v, ok = t.planned[id]; ok {
		delete(t.planned, id)
		t.made = append(t.made, id)
	}
	return v, ok
}

// Plan says which values are to get which numbers. It reports false where a number is
// another value's.
func (t *Values) Plan(list []Answered) (same bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.planned = map[ValueID]any{}
	for i := range list {
		v, id := list[i].value(), list[i].ID
		if v == nil {
			return false
		}
		if int(id) >= len(t.masters) {
			t.planned[id] = v
		} else if known, err := t.number(v, math.MaxInt); err != nil || known != id {
			return false
		}
	}
	return true
}

// Reach gives their numbers to the planned values up to one. It reports whether that one
// is known.
func (t *Values) Reach(id ValueID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for int(id) >= len(t.masters) {
		v, ok := t.next()
		if !ok {
			return false
		}
		n := len(t.masters)
		if got, err := t.number(v, math.MaxInt); err != nil || int(got) != n {
			return false
		}
	}
	return true
}

// Listed lists the values that a database has made, by number.
func (t *Values) Listed() (list []Answered) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, id := range slices.Sorted(slices.Values(t.made)) {
		a := Answered{ID: id}
		switch v := t.masters[id].value.(type) {
		case int:
			a.Count = &v
		case []int32:
			a.Rows = slices.Clone(v)
		case string:
			text := base64.StdEncoding.EncodeToString([]byte(v))
			a.Text = &text
		}
		list = append(list, a)
	}
	return list
}

// value is the value itself; nil if it is none.
func (a *Answered) value() any {
	switch {
	case a.Count != nil:
		return *a.Count
	case a.Text == nil:
		return append([]int32{}, a.Rows...)
	}
	text, err := base64.StdEncoding.DecodeString(*a.Text)
	if err != nil {
		return nil
	}
	return string(text)
}
