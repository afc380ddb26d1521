// Package innodb is InnoDB's concurrency control as a transition system over integers.
// It is that of MariaDB 10.11 without its binary log, at READ COMMITTED, REPEATABLE
// READ (also with innodb_snapshot_isolation) and SERIALIZABLE, each transaction at its
// own level. It knows no Go values of users and no SQL text.
//
// It has two layers. State is the storage engine: transactions, read views,
// records of clustered and secondary indexes, locks and their queues, foreign
// keys, undo, purge. Its operations are those that MySQL's SQL layer calls:
// Begin, View, a Cursor's Next and Unwanted, Insert, Write, Savepoint and
// RollbackTo, EndStatement, Commit, Rollback. An operation answers or blocks.
// Operations are values that the caller keeps: when State.Woken names the
// transaction, the caller calls Resume and then the same operation again with
// the same value. A caller has at most one operation a transaction in progress.
// Machine runs the statements of package statement on a State, as MySQL would.
//
// The layers share one shape, made for exploration. Enabled lists the choices of
// a state: one for each session that is not blocked, or, while woken statements
// have yet to run, what only timing decides. Step takes a choice. CopyFrom
// copies a state into another one and allocates nothing when the other one is
// large enough. Key is equal for states with the same future. Footprint is what
// the last step of a session depends on.
//
// Sources: the InnoDB chapters of the MySQL 8.0 manual ("InnoDB Locking",
// "Transaction Isolation Levels", "Consistent Nonlocking Reads", "Locking Reads",
// "Locks Set by Different SQL Statements in InnoDB", "Deadlock Detection",
// "InnoDB Multi-Versioning", "Purge Configuration", "InnoDB Error Handling"), the
// MariaDB manual for innodb_snapshot_isolation, and InnoDB's own functions, which
// are cited by name. Every rule was compared with MariaDB 10.11 over all
// interleavings of random programs.
//
// Not modelled: several pages of an index, actions of foreign keys,
// gaps of spatial and full-text indexes, table locks, the binary log
// (it changes the locks of duplicate checks), MySQL 8 (it differs in duplicate
// checks at READ COMMITTED and in ranges of the clustered index). A row that
// moves on its page because its size changes may have other lock structures than
// here, and so make another transaction the victim of a deadlock: Options.Races
// has every victim.
package innodb
