// Package mock is a database that answers reads with any value that an isolation
// level allows, drawn at random. What a real server shows once in a million runs
// appears within dozens: Biswas, Kakwani, Vedurada, Enea, Lal, "MonkeyDB: Effectively
// Testing Correctness under Weak Isolation Levels", OOPSLA 2021 (arXiv 2103.02830).
//
// The history so far is kept, its open transactions included. A read is answered by
// any version with which the history stays within the level, taken as if every open
// transaction committed now with what it has done. So a read always has an answer, but at
// SI and SER, where it may need what another transaction has written that is still open. A
// write, and a read that locks, may have none: then the transaction fails, and the client may
// try again, as with a real server. What reads may miss is bounded by real time as well: see
// realtime.go.
//
// At the levels of PostgreSQL a server answers by the model of PostgreSQL instead, and only
// the time at which statements run is drawn: package exact.
//
// Memory is bounded: see forget.go for what is forgotten, and what that changes.
package mock
