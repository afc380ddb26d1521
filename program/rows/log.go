package rows

// Log is the transaction of a session in a history. A nil value says that there
// is nothing. Its errors end the statement.
type Log interface {
	// Open reports whether a transaction is open; Begin begins one.
	Open() bool
	Begin() error
	// Read returns a value that the isolation level allows. Lock returns the latest value,
	// and no other transaction can write the key until this one ends. Both return the
	// transaction's own last write if there is one.
	Read(key string) (any, error)
	Lock(key string) (any, error)
	Write(key string, value any) error
	Commit() error
	Abort(why string) error
	// Mark returns what undoes the writes that come after it.
	Mark() (undo func() error)
	// Again is told that a row of a table has become known which earlier scans of the
	// exploration would have read.
	Again(table string, row Content) error
	// Refuse says why a statement is not evaluated as a server does it. It ends the
	// exploration, whatever the client makes of the error that the statement ends with.
	Refuse(why string) error
}

// Asked is a Log that is told what the client asks for of a transaction, before it begins.
type Asked interface {
	// Asks is told the isolation level: READ UNCOMMITTED 0, READ COMMITTED 1, REPEATABLE
	// READ 2, SERIALIZABLE 3. setting is the value of a setting of the session, "" if it
	// has none.
	Asks(level int, setting func(name string) string) error
}

// Joiner is a Log that can make the last read of its transaction a locking one afterwards.
type Joiner interface {
	// Join makes the last read a locking read, if it was of that key and nothing has been
	// read since, and reports whether it did.
	Join(key string) bool
}

// Scanner is a Log that asks what scans look for. It is for where nothing is explored again:
// there a scan before has to read the rows that appear later.
type Scanner interface {
	// Scanned tells that a scan of the table would have come upon rows that it did not
	// know.
	Scanned(table string)
	// Appeared tells that a row of the table is about to be written that scans may not
	// have known, by the variable of its content.
	Appeared(table, variable string)
	// Gone reports whether there is no row in the variable of a content, whichever of its
	// values is read. A scan leaves it out.
	Gone(variable string) bool
}

// Locker is a Log whose transactions keep locks until they end, for SKIP LOCKED and
// NOWAIT. Nothing waits: without them a row is as if it were not locked.
type Locker interface {
	// Take locks a key, and reports whether no other transaction's lock excludes
	// it.
	Take(key string, shared bool) bool
}

// Limiter is a Log that keeps no large values: Fits is asked before a row is kept, with
// the bytes that its columns take.
type Limiter interface {
	Fits(key string, bytes int) error
}
