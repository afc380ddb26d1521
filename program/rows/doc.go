// Package rows is what the front ends of SQL databases share: the rows of tables as
// variables of a history. A front end has an engine that evaluates statements, and a
// storage below it that answers the engine's scans and writes by reads and writes of
// a [Log].
//
// # Variables
//
// A row is its table and its primary key; without a primary key, the transaction
// that inserted it and the position of the insert in it. It has
//
//   - a content variable, "acct/3": the row's columns, or nil where there is no
//     such row: see [Content];
//   - a key variable, "acct/3 key": whether there is one;
//   - and every value of a unique index has a variable, "acct(owner)/ann": the
//     primary key of the row that has the value, or nil.
//
// An insert writes all of them, a delete writes nil to all of them, an update
// writes the content and those of the unique values that change. So a foreign
// key, which needs the parent's key only, does not depend on the parent's other
// columns.
//
// # Known rows
//
// A scan reads every row that it can come upon, also one that is not there. Those
// are the rows that some transaction of the program has inserted in any run: see
// [Known]. When a row becomes known, the exploration begins once more.
//
// # Numbers
//
// Sequences and AUTO_INCREMENT give each session numbers of its own, [Stride] apart.
// In a server, which numbers a session gets depends on the others, without any
// isolation; here it does not, as no program should depend on it.
package rows

// Stride is how far apart the numbers are that two sessions begin with.
const Stride = 1000
