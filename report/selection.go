package report

import "fmt"

// Selection says what a violation stands for among those of its program, and
// what the program does besides it.
type Selection struct {
	// Irrelevant names sessions, and transactions by their IDs, that can all be
	// left out of the program with the assertion still failing. It is given for
	// the violation at which an exploration stops.
	Irrelevant []Part `json:"irrelevant,omitempty"`
	// AtSER is of a history that is not serializable. It tells what its first assertion
	// does in serializable histories: "fails" when it fails in one, "holds" when it
	// fails in none, "" when that is not known.
	//
	// Under a database's model it is of all outcomes at the database's serializable
	// level, with every transaction at it; ErrorsAtSER are the SQLSTATEs that code meets
	// there.
	AtSER       string   `json:"at_ser,omitempty"`
	ErrorsAtSER []string `json:"errors_at_ser,omitempty"`
	// PreventedAt, under a database's model, is the weakest stronger level at which the assertion
	// holds, with every transaction at it; "" where none is known. ErrorsThere are the SQLSTATEs
	// that code meets there.
	PreventedAt string   `json:"prevented_at,omitempty"`
	ErrorsThere []string `json:"errors_there,omitempty"`
	// AtSerial, under a database's model, is what the assertion does when the
	// transactions run one after another: fails, holds, or "" when that is not known.
	AtSerial string `json:"at_serial,omitempty"`
	// Cause is a key that violations with the same cause share.
	Cause string `json:"cause,omitempty"`
	// Count is how many violations have the same cause, where only the smallest of them
	// is reported. They break the same assertion by the same anomaly. They have the
	// same cycle up to the names of sessions and transactions.
	Count int64 `json:"count,omitempty"`
}

// Part is a session, or when it has an ID a transaction.
type Part struct {
	Session     string `json:"session"`
	Transaction string `json:"transaction,omitempty"`
}

// serially says what is known of the assertion at serializability.
func (s *Selection) serially() string {
	switch s.AtSER {
	case "fails":
		return "the assertion fails too, in another history: isolation is not the cause"
	case "holds":
		return "the assertion holds in every history"
	}
	return ""
}

// Like says for how many others a violation stands.
func (s *Selection) Like() string {
	if s.Count < 2 {
		return ""
	}
	return fmt.Sprintf("  the smallest of %d with the same cause", s.Count)
}
