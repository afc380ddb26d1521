// Package storage keeps the rows of PostgreSQL's tables as the variables of a
// history: it answers the executor's scans, writes, row locks and uniqueness
// checks by reads and writes of a [Log].
//
// The variables, and which rows are known, are those of all SQL front ends: see the
// package rows.
//
// # Reads
//
// A scan reads the content of the known rows of its table, in one order, before
// PostgreSQL looks at any. It leaves out rows that the conditions on the primary key or
// on a unique index exclude. So the scan does not depend on what happens to lie in the
// heap. The order is that of the rows' names. A scan for one value of a unique index
// reads the variable of the value first, and then the row that has it. A scan by
// another index, and a sequential one, reads all rows. Checks of foreign keys and their
// actions read by locking reads, of a parent only whether it has the key.
//
// # Writes and locks
//
// Update, delete and row locks read the row's content again, by a locking read;
// insert and foreign keys so read key variables and unique values. When a locking
// read returns another version than the scan, PostgreSQL's executor evaluates the
// statement's condition on it (EvalPlanQual). A row that is found by its key is read once
// for both: see sole.go.
package storage
