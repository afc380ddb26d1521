package served

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Turn lets one message of a session be answered at a time, whatever its connection. Goroutines
// of the session that send statements at the same time do so in an order that nobody can say
// again.
type Turn struct {
	mu        sync.Mutex
	answering atomic.Bool // a message, and not what a server does by itself
}

// Enter begins to answer a message. It reports false where another one is being answered: the
// message is to be refused. What a server does by itself, where connections begin and end, is waited for.
func (t *Turn) Enter() bool {
	for !t.mu.TryLock() {
		if t.answering.Load() {
			return false
		}
		runtime.Gosched()
	}
	t.answering.Store(true)
	return true
}

// Await is Enter for a message that waits until the others are answered.
func (t *Turn) Await() {
	t.mu.Lock()
	t.answering.Store(true)
}

// Exit lets others in.
func (t *Turn) Exit() {
	t.answering.Store(false)
	t.mu.Unlock()
}

// Aside keeps others out while a server does something by itself, until done is called.
func (t *Turn) Aside() (done func()) {
	t.mu.Lock()
	return t.mu.Unlock
}

// Together says of a statement that goroutines send statements at the same time. It is the
// statement's text, shortened.
func Together(text string) string {
	return "the statement " + text + " is sent while another one runs: goroutines of the session run statements at the same time. " +
		"Their order would differ from run to run: let one goroutine send them, or let several sessions do it"
}

// Keeps says of a lock that outlasts transactions that a connection of a session keeps it. The pool
// of an application outlives what the session stands for, and so does the lock.
func Keeps(lock string) string {
	return "the session ends, and one of its connections keeps the " + lock + ": nobody gets it while the pool has that connection. " +
		"Give it up on the connection that has taken it, as by db.Conn and the same Conn for both, or close the connection"
}
