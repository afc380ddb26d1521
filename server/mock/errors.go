package mock

import "fmt"

// Error is why a transaction has failed, as a server would say it. The transaction
// has been rolled back.
type Error struct {
	Code    string // SQLSTATE
	Message string
}

// Error returns the message with its SQLSTATE.
func (e *Error) Error() string { return fmt.Sprintf("%s (SQLSTATE %s)", e.Message, e.Code) }

// SQLState returns the SQLSTATE.
func (e *Error) SQLState() string { return e.Code }

// SQLSTATEs of the errors (PostgreSQL's documentation, appendix A).
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	inFailedTransaction  = "25P02"
	noActiveTransaction  = "25P01"
	connectionGone       = "08003"
)

func serialization(why string) *Error {
	return &Error{serializationFailure, "could not serialize access: " + why}
}

var (
	errDeadlock = &Error{deadlockDetected, "deadlock detected"}
	errFailed   = &Error{inFailedTransaction, "the transaction has failed and was rolled back"}
	errEnded    = &Error{noActiveTransaction, "the transaction has ended"}
	errClosed   = &Error{connectionGone, "the session is closed"}
)
