// Package access is what the executor of a database asks of its storage, and what
// the storage answers: between a server that evaluates SQL and a model of the
// server's concurrency control.
//
// A statement is a sequence of requests. Each is a point of the session's behaviour
// tree, and the answer chooses the branch: the executor runs once for each sequence
// of answers, and the exploration walks the tree. The functions are those of
// PostgreSQL's table access methods (documentation, chapter 62) and of its unique
// indexes.
//
// Row versions are named by numbers, counted from 0 in the order in which the
// transaction has met them. So a session's behaviour does not depend on what else lies
// in the heap. Contents of rows and keys are numbers, too, that mean something to the
// executor only.
package access
