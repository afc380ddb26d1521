// Package storage keeps the rows of MySQL's tables as the variables of a history: it
// gives go-mysql-server tables whose scans and writes are reads and writes of a
// [rows.Log]. The variables, and which rows are known, are those of all SQL front
// ends: see the package rows.
//
// # Reads
//
// A scan reads rows when the engine asks for them, so that LIMIT ends it early. What it
// may come upon are known rows:
//
//   - by the primary key, and as a whole, in the order of the primary key: of a
//     range, the rows whose keys are in it;
//   - for one value of a unique index, the variable of the value, and then the row that
//     has it;
//   - by any other range of an index, the rows that have ever had a value in the range,
//     before the engine sees the first one, and in the order of the index.
//
// A statement sees the rows as they were when it began. Checks of foreign keys and
// unique keys see what it has written itself, too.
//
// # Locking reads
//
// SELECT … FOR UPDATE, FOR SHARE, UPDATE and DELETE scan a range. They lock a row of it, and
// read its newest version, when the row fulfils the conditions that concern its table alone.
// Before that they read whether there is a row at all, by the rules of the isolation level. A
// gap is not locked, as at READ COMMITTED (MySQL 8.0 Reference Manual, 17.7.2.1 and 17.7.3).
// In this way an INSERT reads whether its keys are taken, and the check of a foreign key
// whether the parent has the key.
//
// # Writes
//
// A statement that fails undoes what it has written (17.7.5 Statement rollback); what it
// has locked stays locked.
package storage
