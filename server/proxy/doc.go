// Package proxy runs a program's sessions on a real database server, in an order that it
// decides. It has PostgreSQL itself, as [Postgres]; the package mariadb below it has
// MariaDB. [Database] is what the kinds of servers do differently.
//
// A session's code runs in this process, as it does under a model: what its driver sends
// is a point of the session's behaviour tree (see program.Backend.Relay), and it waits
// there. The proxy has a connection to the server for each session. It sends what the
// session has sent as it is, and the session goes on with what the server answers. So the
// order of the statements on the server is the proxy's, and code runs once for each
// sequence of answers, however often the server gives them.
//
// A step is one statement of a session, with what comes before it and means nothing to
// other sessions: BEGIN, SET, the preparation of a statement. After a step the proxy looks
// what has become of it: it has been answered, or it waits for a lock, as the server says
// (PostgreSQL by pg_blocking_pids), and another session goes on.
//
// There is no way back on a server. Each execution begins with the rows that schema and
// seed have made, which are copied back from tables of the proxy's own.
//
// The harness that runs the user's code gets the proxy from the main function that
// program/load writes. explore does not import the proxy: what explore needs of it is
// [explore.Server]. Who starts the harness has seen to it that the database may be used,
// and clears it afterwards: see package server/database.
package proxy
