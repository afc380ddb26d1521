package program

// Judge is a Final or an Invariant that a program declares.
type Judge struct {
	Kind FailureKind // FinalError or InvariantError
	Name string
	At   Location // where it is declared
}

// Judges lists the Finals, then the Invariants, in the order of declaration.
func (c *Client) Judges() []Judge {
	var list []Judge
	for _, d := range c.shape.finals {
		list = append(list, Judge{FinalError, d.name, c.Location(d.loc)})
	}
	for _, d := range c.shape.invariants {
		list = append(list, Judge{InvariantError, d.name, c.Location(d.loc)})
	}
	if d, ok := c.Serializable(); ok {
		list = append(list, d)
	}
	return list
}
