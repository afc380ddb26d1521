package mock

import (
	"fmt"
	"strings"

	"github.com/txmc/txmc/isolation"
)

// What clients ask for in SQL: what their reads may miss, and an isolation level.
//
// A serializable transaction at a weaker level is one whose reads are all locking reads, as
// the levels mean them: at its commit nobody else has overwritten what it has read. (Biswas,
// Enea, "On the Complexity of Checking Transactional Consistency", OOPSLA 2019: the axiom of
// serializability, of the reads of one transaction.) It waits for nobody for that. Where no
// version is left that it may read, or it may not write, it fails with 40001.

// settingWeak is the setting by which a client says what reads may miss.
const settingWeak = "txmc.weak"

// Asks takes what the client asks for.
func (l *log) Asks(level int, setting func(string) string) error {
	w := l.store.options.Weak
	if name := setting(settingWeak); name != "" {
		var err error
		if w, err = ParseWeak(strings.ToLower(name)); err != nil {
			return &Error{"22023", settingWeak + ": " + err.Error()}
		}
	}
	l.Session.Weak(w)
	at := l.store.options.Level
	l.Session.Serializable(level == serializable || level == repeatableRead && at != isolation.SI)
	if level == repeatableRead && at != isolation.SI {
		_ = l.Refuse(fmt.Sprintf("a client asks for REPEATABLE READ, and its transactions are serializable: --iso=%s has no such level, --iso=si has", at)) // it is told
	}
	return nil
}

// The levels that clients ask for (PostgreSQL's access/xact.h).
const (
	repeatableRead = 2
	serializable   = 3
)

// Serializable makes the transactions serializable that begin from now on, also at a weaker
// level. They may fail when they read.
func (c *Session) Serializable(on bool) {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	c.serial = on
}
