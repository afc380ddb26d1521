package program

import (
	"errors"
	"fmt"

	"github.com/txmc/txmc/program/behaviour"
)

// ErrTxDone is returned by Rollback when the transaction has already ended. So "defer
// tx.Rollback()" can be written as with database/sql.
var ErrTxDone = errors.New("txmc: transaction has already been committed or rolled back")

// AssertionError is a failed assertion. A transaction that returns one aborts,
// and the history, if the level allows it, is a violation.
type AssertionError struct {
	Message string
	pcs     behaviour.Callers
}

// Error returns the assertion's message.
func (e *AssertionError) Error() string { return e.Message }

// Assert returns nil when cond holds and an [AssertionError] with the message
// made of args as by fmt.Sprint when it does not.
func Assert(cond bool, args ...any) error {
	noteAssert()
	if cond {
		return nil
	}
	return &AssertionError{Message: message(fmt.Sprint(args...)), pcs: behaviour.Capture()}
}

// Assertf is [Assert] with the message formatted as by fmt.Sprintf.
func Assertf(cond bool, format string, args ...any) error {
	noteAssert()
	if cond {
		return nil
	}
	return &AssertionError{Message: message(fmt.Sprintf(format, args...)), pcs: behaviour.Capture()}
}

func message(s string) string {
	if s == "" {
		return "assertion failed"
	}
	return s
}
