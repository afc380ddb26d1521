package program

import "github.com/txmc/txmc/program/behaviour"

// Judge is a Final or an Invariant that a program declares.
type Judge struct {
	Kind behaviour.FailureKind // FinalError or InvariantError
	Name string
	At   behaviour.Location // where it is declared

	Unasserted bool // see Client.CheckSerial
}

// Judges lists the Finals, then the Invariants, in the order of declaration.
func (c *Client) Judges() []Judge {
	var list []Judge
	for _, d := range c.shape.finals {
		list = append(list, Judge{Kind: behaviour.FinalError, Name: d.name, At: c.Location(d.loc)})
	}
	for _, d := range c.shape.invariants {
		list = append(list, Judge{Kind: behaviour.InvariantError, Name: d.name, At: c.Location(d.loc)})
	}
	if d, ok := c.Serializable(); ok {
		list = append(list, d)
	}
	return list
}

// Failure is the failure of an outcome that the judge finds wrong.
func (j *Judge) Failure(message string) *behaviour.Failure {
	return &behaviour.Failure{Kind: j.Kind, Session: -1, Txn: -1, Name: j.Name, At: j.At, Message: message, Unasserted: j.Unasserted}
}
