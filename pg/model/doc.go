// Package model is the storage of PostgreSQL's executor under a model of its
// concurrency control: it turns what the executor asks of heap and indexes into
// requests of package access, and their answers into what the executor gets.
//
// # What the instance's heap holds
//
// Each run of a session has an instance of its own. Its heap and indexes hold copies of
// the row versions that the session has met. The model decides which of them a
// statement sees. A copy stands for a version as long as the transaction lasts. A scan
// meets the copies in the physical order that the model has.
//
// # Statements
//
// A statement of the client is a step: its first request begins one, and the others
// join it. So does the commit of a transaction that consists of one statement. A
// savepoint is no step. At READ COMMITTED a snapshot is asked for with the first
// request after it was taken: nothing can happen between.
//
// # What is refused
//
// What the model does not have ends the exploration with an error that names it:
// TRUNCATE … RESTART IDENTITY, ALTER SEQUENCE,
// NULLS NOT DISTINCT, exclusion constraints, conditions
// on ctid with places that the transaction has not read, TABLESAMPLE and PREPARE TRANSACTION. So do functions of PostgreSQL's that ask
// for other transactions, as pg_current_snapshot does.
package model
