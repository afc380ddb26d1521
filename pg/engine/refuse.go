// Statements that need other sessions of a server and are refused by name: LISTEN and NOTIFY.

package engine

import (
	"fmt"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// featureNotSupported is the SQLSTATE of what is refused.
const featureNotSupported = "0A000"

// onNotify is told of Async_Notify(channel, payload), by NOTIFY and pg_notify().
func onNotify(p *emscripten.Process, st []uint64) {
	instanceOf(p).raise(featureNotSupported, "NOTIFY is not supported: channel "+p.String(uint32(st[0])),
		"Sessions of a program under test do not notify each other.", "Take the notification out of the transaction, or replace it in the test.")
}

// utilityStmt is a PlannedStmt's statement (nodes/plannodes.h).
const utilityStmt = 88

// onUtility is told of standard_ProcessUtility(statement, …).
func onUtility(p *emscripten.Process, st []uint64) {
	x, ok := p.Owner.(*Instance)
	if !ok {
		return
	}
	tag := p.Word(p.Word(uint32(st[0]) + utilityStmt))
	if x.probing {
		x.engine.symbols.listenTag = tag
	}
	if tag == x.engine.symbols.listenTag {
		x.raise(featureNotSupported, "LISTEN is not supported",
			"Sessions of a program under test do not notify each other.", "Take LISTEN out of the test.")
	}
	if h, ok := x.hooks.(StatementHooks); ok && x.injecting == 0 {
		name := p.Must("GetCommandTagName", p.Must("CreateCommandTag", uint64(p.Word(uint32(st[0])+utilityStmt))))
		h.Utility(&x.call, p.String(uint32(name)))
	}
}

// probe learns the node tag of LISTEN from such a statement, which fails.
func (x *Instance) probe() error {
	x.probing = true
	defer func() { x.probing = false }()
	_, err := x.Exchange(append([]byte("Q\x00\x00\x00\x10LISTEN txmc"), 0))
	const smallest, largest = 100, 1000 // node tags of statements
	if tag := x.engine.symbols.listenTag; err == nil && (tag < smallest || tag > largest) {
		err = fmt.Errorf("the server's structures are not as expected: LISTEN has tag %d", tag)
	}
	return err
}
