package innodb

// Answer is what an operation returns.
type Answer uint8

// The answers.
const (
	Found      Answer = iota // the cursor stands on a row
	End                      // there is no further row
	Done                     // the row is written
	Blocked                  // call the operation again when the transaction is woken
	Deadlock                 // 1213: the transaction has been rolled back
	Changed                  // 1020: the view does not see the row; roll the transaction back
	Timeout                  // 1205: NOWAIT, or a time limit; roll the statement back
	Duplicate                // 1062: the row is not written; roll the statement back
	NoParent                 // 1452: the same; a foreign key references no row
	Referenced               // 1451: the same; a foreign key references the row

	passOn // inside a cursor: go on with the next record
)

// Code is MariaDB's error number, "" if the answer is no error.
func (a Answer) Code() string {
	switch a {
	case Deadlock:
		return "1213"
	case Changed:
		return "1020"
	case Timeout:
		return "1205"
	case Duplicate:
		return "1062"
	case NoParent:
		return "1452"
	case Referenced:
		return "1451"
	}
	return ""
}
