// Some statements are refused by name. They need other sessions of a server, or they move the
// rows of tables that hooks keep.

package engine

import (
	"errors"
	"fmt"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// featureNotSupported is the SQLSTATE of what is refused.
const featureNotSupported = "0A000"

// refusal is a kind of statement that is refused.
type refusal struct {
	name    string
	example string // a statement of the kind, which tells its node tag
	hooked  bool   // only where there are hooks
	detail  string
	hint    string
	sub     uint32 // a byte of the statement that is not zero in those of the name; 0: all are
}

const (
	apart      = "notifications are not delivered to sessions of a program under test"
	keptByTest = "the program under test keeps the rows of tables itself, each version in its place"
	inSchema   = "do it in the schema, before the sessions, or leave it out of the test"
	isVacuum   = 12 // VacuumStmt.is_vacuumcmd, which ANALYZE has not (nodes/parsenodes.h)
	copyFile   = 20 // CopyStmt.filename
)

var refusals = []refusal{
	{"LISTEN", "LISTEN a", false, apart, "", 0},
	{"COPY to or from a file or a program", "COPY a FROM 'a'", true, "there is no server's machine with files and programs", "copy from STDIN or to STDOUT, or leave it out of the test", copyFile},
	{"VACUUM", "VACUUM", true, keptByTest, inSchema, isVacuum},
	{"CLUSTER", "CLUSTER", true, keptByTest, inSchema, 0},
	{"REINDEX", "REINDEX TABLE a", true, keptByTest, inSchema, 0},
	{"REFRESH MATERIALIZED VIEW", "REFRESH MATERIALIZED VIEW a", true,
		"materialized views are the same for all sessions of a program under test", inSchema, 0},
}

// onNotify takes the place of Async_Notify(channel, payload), which NOTIFY and pg_notify() call. Nobody
// listens, as LISTEN is refused: so only the arguments are looked at (commands/async.c).
func onNotify(p *emscripten.Process, st []uint64) {
	const longestName, longestPayload, invalid = 63, 7999, "22023"
	x := instanceOf(p)
	channel, payload := 0, 0
	if st[0] != 0 {
		channel = len(p.String(uint32(st[0])))
	}
	if st[1] != 0 {
		payload = len(p.String(uint32(st[1])))
	}
	switch {
	case channel == 0:
		x.raise(invalid, "channel name cannot be empty", "", "")
	case channel > longestName:
		x.raise(invalid, "channel name too long", "", "")
	case payload > longestPayload:
		x.raise(invalid, "payload string too long", "", "")
	}
}

// utilityStmt is a PlannedStmt's statement (nodes/plannodes.h).
const utilityStmt = 88

// twoPhase are command tags of transactions that are prepared.
var twoPhase = map[string]bool{"PREPARE TRANSACTION": true, "COMMIT PREPARED": true, "ROLLBACK PREPARED": true}

// onUtility is told of standard_ProcessUtility(statement, …).
func onUtility(p *emscripten.Process, st []uint64) {
	x, ok := p.Owner.(*Instance)
	if !ok || x.engine.symbols.refused == nil {
		return
	}
	statement := p.Word(uint32(st[0]) + utilityStmt)
	if x.hooks != nil && x.injecting == 0 {
		tag := p.String(uint32(p.Must("GetCommandTagName", p.Must("CreateCommandTag", uint64(statement)))))
		x.redefined = x.redefined || defines(tag)
		if twoPhase[tag] {
			x.refuse(tag+" is not supported in a session: transactions here are not prepared", "")
		}
		if h, ok := x.hooks.(StatementHooks); ok && (tag != "ALTER SEQUENCE" || !x.altersTemporary(statement)) {
			h.Utility(&x.call, tag)
		}
	}
	r := x.engine.symbols.refused[p.Word(statement)]
	if r == nil || r.hooked && x.hooks == nil || r.sub != 0 && p.Byte(statement+r.sub) == 0 {
		return
	}
	x.refuse(r.name+" is not supported in a session: "+r.detail, r.hint)
}

// altersTemporary reports whether ALTER SEQUENCE is about a temporary sequence, as CREATE TEMP TABLE sends it for a serial
// column.
func (x *Instance) altersTemporary(statement uint32) bool {
	const sequence, noLock, missingOK = 4, 0, 1 // AlterSeqStmt.sequence, LockMode, RVROption
	oid := x.proc.Must("RangeVarGetRelidExtended", uint64(x.proc.Word(statement+sequence)), noLock, missingOK, 0, 0)
	return oid != 0 && x.table(OID(oid)).temp
}

// refuse ends a statement that a server would evaluate in another way. Hooks are told before: the client may catch
// the error, and go on.
func (x *Instance) refuse(why, way string) {
	if way == "" {
		way = elsewhere
	}
	x.tell(why + ": " + way)
	x.raise(featureNotSupported, why, "", way)
}

// elsewhere is the way out where there is no better one.
const elsewhere = "run the program on a PostgreSQL server, or leave this out of the test"

// tell tells the hooks what a server would do otherwise.
func (x *Instance) tell(why string) {
	if h, ok := x.hooks.(RefusalHooks); ok {
		h.Refuse(&x.call, why)
	}
}

// learnRefusals finds the node tags of the statements that are refused.
func (x *Instance) learnRefusals() error {
	tags := map[uint32]*refusal{}
	for i := range refusals {
		r := &refusals[i]
		err := x.parsed(r.example, func(raw uint32) { tags[x.proc.Word(x.proc.Word(raw+rawStmt))] = r })
		if err != nil {
			return err
		}
	}
	const smallest, largest = 100, 1000 // node tags of statements
	for tag := range tags {
		if tag < smallest || tag > largest {
			return fmt.Errorf("the server's structures are not as expected: a statement has tag %d", tag)
		}
	}
	if len(tags) != len(refusals) {
		return errors.New("the server's structures are not as expected: statements have the same tags")
	}
	x.engine.symbols.refused = tags
	return nil
}
