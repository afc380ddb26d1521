package program

// Intern is the ID of a value, for tests.
func Intern(c *Client, v any) ValueID {
	id, err := c.values.intern(v)
	if err != nil {
		panic(err)
	}
	return id
}

// InternError is the error of a value that cannot be stored.
func InternError(v any) error {
	_, err := newValues().intern(v)
	return err
}

// Table interns values outside any client.
type Table struct{ t *values }

// NewTable returns an empty table.
func NewTable() Table { return Table{newValues()} }

// ID interns v.
func (t Table) ID(v any) ValueID {
	id, err := t.t.intern(v)
	if err != nil {
		panic(err)
	}
	return id
}

// Get copies a value out.
func (t Table) Get(id ValueID) any { return t.t.get(id) }
