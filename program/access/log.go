package access

// Log is a session's side of a model: its transactions and what its executor asks. Errors
// of Ask and Begin end the statement.
type Log interface {
	// Open reports whether a transaction is open; Begin begins one.
	Open() bool
	Begin() error
	// Ask asks. joins says that the request is part of the step of what was asked before.
	Ask(q *Request, joins bool) (Answer, error)
	// Joins says whether the end of the transaction joins the step before.
	Joins(joins bool)
	Commit() error
	Abort(why string) error
	// Refuse ends the exploration: it says what the model does not have.
	Refuse(message string) error
}
