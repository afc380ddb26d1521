// Package engine runs PostgreSQL inside this process: the server itself, compiled to WebAssembly
// (npm package @electric-sql/pglite), under wazero. It knows nothing of histories or transactions of
// a model checker; what user tables hold is asked of Hooks.
//
// # Use
//
//	e, err := engine.Open(ctx, engine.Options{Progress: os.Stderr}) // once per process
//	x, err := e.Instance()                                          // a server, idle
//	out, err := x.Exchange(startup)                                 // bytes of the protocol, whole messages
//	out, err = x.Exchange(query)
//
// Exchange runs the server on the caller's goroutine and returns when the server has dealt with
// all messages. A net.Conn may collect messages in Write and call Exchange in Read: then it
// needs no other goroutine. When the server wants more messages in the middle of a statement
// (COPY FROM STDIN), Exchange returns what the server has said and Hungry reports true; the next
// Exchange goes on with the statement. The first message of a connection is the startup message;
// requests for encryption are declined. An error of Exchange is not an error of SQL: those are
// in the answer. It is ErrProtocol (bytes that are no messages) or a *CrashError. After a crash
// only Reset helps. LISTEN is refused with 0A000.
//
// An instance is used by one goroutine at a time, but for Cancel. Several instances run at the same time.
//
// # States
//
// Instance.Snapshot keeps an idle instance's state, for example after a schema was made in it. Instances go
// back to it with Reset and others start in it with Engine.InstanceFrom; both cost little. A Pool keeps
// some in stock. The server's caches are in the snapshot: after statements like those to come, or at least after
// Warm, one makes the first statements after a Reset faster. From a snapshot on an instance's answers are a
// function of the messages, of the hooks' answers, of SetTime and Seed: transaction identifiers, random()
// and now() included.
//
// Instance.Do, Tables and Call.EachRow look at tables between messages. So a schema and its first
// rows can be made without hooks, and the hooks can know the visible rows from the beginning.
//
// Connections are told apart by the caller. An instance may get a second startup message: what the first
// connection has open or set stays. The message that ends a connection is left out. The settings of a startup
// message (application_name, options, …) are made. Its user and database are not looked at: there is one of
// each, postgres.
//
// # Hooks
//
// With Instance.Hook, rows of tables that users made are the hooks' business; see Hooks. A test
// that keeps rows in the obvious way is in keeper_test.go. In short: all versions lie in the
// instance's heap and indexes, under a TID that stays. Inserted tells of new versions.
// Call.Insert puts in the versions that other instances wrote. Visible decides which of them a
// read sees. Scan comes before a statement looks at rows of a table, with the conditions on the
// index's columns; Call.Satisfies evaluates these on a row. Write and Lock come before an update,
// delete or row lock and may answer that another transaction was faster. In a hook, Call.Raise
// ends the statement with an SQLSTATE. Call.SameKey compares rows by an index. View.Number is new
// whenever PostgreSQL takes a snapshot: once or twice a statement at READ COMMITTED, once a
// transaction above.
//
// # Rooms
//
// pglite gets the package; wasmbin reads and writes modules; vfs holds files; emscripten is the host of
// a process. Here are the server's start, the data directory, instances, and hooks.
package engine
