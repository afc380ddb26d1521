package behaviour

// ValueTable interns values outside any client.
type ValueTable struct{ t *Values }

// NewValueTable returns an empty table.
func NewValueTable() ValueTable { return ValueTable{NewValues(DefaultValueBytes)} }

// ID interns v.
func (t ValueTable) ID(v any) ValueID {
	id, err := t.t.Intern(v)
	if err != nil {
		panic(err)
	}
	return id
}

// Get copies a value out.
func (t ValueTable) Get(id ValueID) any { return t.t.Get(id) }

// Format renders a value.
func (t ValueTable) Format(id ValueID) string { return t.t.Format(id) }
