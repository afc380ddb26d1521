// Package application runs an application, in any language, whose database is a port of this process.
//
// An application is an ordinary process. Its connections lead to a listener that outlives what is explored: a
// [Process] has one. A [Run] is one run of a session: while a request is under way, the statements that arrive are
// the run's, and the goroutine that runs the session has its database answer them. So a request goes on when, and
// only when, the session does.
//
// Messages are those of pgproto3. The package knows no program and no model: a database is a function that opens
// connections.
package application
