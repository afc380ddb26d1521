package behaviour

import (
	"fmt"
	"strconv"
)

// Done is the answer of an operation that has succeeded and returns no value.
const Done ValueID = -1

// NoRow is the answer of an operation that has succeeded, and has found or changed no
// row.
const NoRow ValueID = -2

// dbErrors are the errors that an operation may return, by PostgreSQL's SQLSTATE or
// MySQL's number.
var dbErrors = [...]DBError{
	{SQLSTATE: "40001", Message: "could not serialize access"},
	{SQLSTATE: "40P01", Message: "deadlock detected"},
	{SQLSTATE: "55P03", Message: "could not obtain lock"},
	{SQLSTATE: "25P02", Message: "current transaction is aborted"},
	{SQLSTATE: "23505", Message: "duplicate key value violates unique constraint"},
	{Number: 1213, SQLSTATE: "40001", Message: "Deadlock found when trying to get lock; try restarting transaction", ended: true},
	{Number: 1020, SQLSTATE: "HY000", Message: "Record has changed since last read", ended: true},
	{Number: 1205, SQLSTATE: "HY000", Message: "Lock wait timeout exceeded; try restarting transaction", goesOn: true},
	{Number: 1062, SQLSTATE: "23000", Message: "Duplicate entry", goesOn: true},
	{SQLSTATE: "23503", Message: "insert, update or delete violates foreign key constraint"},
	{SQLSTATE: "25006", Message: "cannot write in a read-only transaction"},
	{Number: 1451, SQLSTATE: "23000", Message: "Cannot delete or update a parent row: a foreign key constraint fails", goesOn: true},
	{Number: 1452, SQLSTATE: "23000", Message: "Cannot add or update a child row: a foreign key constraint fails", goesOn: true},
	{Number: 1792, SQLSTATE: "25006", Message: "Cannot execute statement in a READ ONLY transaction", goesOn: true},
}

// Failed is the answer that stands for an error: for PostgreSQL's with that SQLSTATE, or
// MySQL's with that number. It reports false when no operation of a client program can
// return it.
func Failed(code string) (ValueID, bool) {
	for i := range dbErrors {
		if dbErrors[i].Code() == code {
			return NoRow - 1 - ValueID(i), true
		}
	}
	return 0, false
}

// ErrorOf is the error that an answer stands for, nil for values, Done and NoRow.
func ErrorOf(answer ValueID) *DBError {
	if answer >= NoRow || int(NoRow-1-answer) >= len(dbErrors) {
		return nil
	}
	e := dbErrors[NoRow-1-answer]
	return &e
}

// DBError is an error of the database: what the driver of a real one returns. The
// transaction in which an operation got it is in error: see program.Tx.Err.
type DBError struct {
	SQLSTATE string // such as 40001, as in PostgreSQL's documentation, appendix A
	Number   int    // of MySQL and MariaDB, such as 1213, as in their lists of errors; 0 of PostgreSQL
	Message  string

	goesOn, ended bool // see GoesOn and Ended
}

// GoesOn reports whether the error undoes the statement alone, and the transaction goes on.
func (e *DBError) GoesOn() bool { return e.goesOn }

// Ended reports whether the error has undone the whole transaction.
func (e *DBError) Ended() bool { return e.ended }

// Code is MySQL's number, or PostgreSQL's SQLSTATE.
func (e *DBError) Code() string {
	if e.Number != 0 {
		return strconv.Itoa(e.Number)
	}
	return e.SQLSTATE
}

// Error returns the message with the SQLSTATE, or as MySQL's drivers write it.
func (e *DBError) Error() string {
	if e.Number != 0 {
		return fmt.Sprintf("Error %d (%s): %s", e.Number, e.SQLSTATE, e.Message)
	}
	return fmt.Sprintf("%s (SQLSTATE %s)", e.Message, e.SQLSTATE)
}

// Mode is what BEGIN says of a transaction beside its level.
type Mode struct {
	ReadOnly   bool
	Deferrable bool
}

// ErrorWith is the error with that code.
func ErrorWith(code string) *DBError {
	a, _ := Failed(code)
	return ErrorOf(a)
}
