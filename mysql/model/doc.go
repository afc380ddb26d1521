// Package model is the storage of go-mysql-server's executor under a model of InnoDB's
// concurrency control: it turns what the executor asks of tables and indexes into
// requests of package access, and their answers into rows and errors.
//
// # Statements
//
// A statement of the client is a step: its first request begins one, and the others
// join it. So does the commit of a transaction that consists of one statement. A
// savepoint is no step.
//
// # Values
//
// The model orders the values of indexed columns, and knows nothing else of them. Whole
// numbers, dates and times are their own numbers. Other values get a number between
// those of their neighbours when they are met first.
//
// # What is refused
//
// What the model does not have ends the exploration with an error that names it:
// TRUNCATE, READ UNCOMMITTED, indexes on whole numbers above 9223372036854775807, more
// than 62 indexes, and texts of an index whose order leaves no number between two others.
package model
