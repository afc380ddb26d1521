// Package storage keeps the rows of PostgreSQL's tables as the variables of a
// history: it answers the executor's scans, writes, row locks and uniqueness
// checks by reads and writes of a [Log].
//
// # Variables
//
// A row is its table and its primary key; without a primary key, the transaction
// that inserted it and the position of the insert in it. It has
//
//   - a content variable, "acct/3": the row's columns, or nil where there is no
//     such row;
//   - a key variable, "acct/3 key": whether there is one;
//   - and every value of a unique index has a variable, "acct(owner)/ann": the
//     primary key of the row that has the value, or nil.
//
// An insert writes all of them, a delete writes nil to all of them, an update
// writes the content and those of the unique values that change. So a foreign
// key, which needs the parent's key only, does not depend on the parent's other
// columns.
//
// # Reads
//
// A scan reads the content of every known row of its table that the conditions on
// the primary key or on a unique index do not exclude, in one order, before
// PostgreSQL looks at any: so it does not depend on what happens to lie in the
// heap. The order is that of the rows' names. A scan for one value of a unique index
// reads the variable of the value first, and then the row that has it. A scan by
// another index, and a sequential one, reads all rows. Checks of foreign keys and
// their actions read by locking reads, of a parent only whether it has the key.
//
// Known are the rows that some transaction of the program has inserted in any run.
// A row that becomes known is told to the Log, as earlier scans have not read it.
//
// # Writes and locks
//
// Update, delete and row locks read the row's content again, by a locking read;
// insert and foreign keys so read key variables and unique values. When a locking
// read returns another version than the scan, PostgreSQL's executor evaluates the
// statement's condition on it (EvalPlanQual).
package storage
