// Plans that look at one row set only. The range table of a statement's plan may have one entry,
// a table. Then the rows that the only scan finds decide what the statement does: no other scan,
// no subquery and no function of a user's sees a row by the same snapshot. Hooks may then read
// such a row and lock it in one step, see Scan.Sole.

package engine

import "slices"

// Fields of QueryDesc and PlannedStmt (executor/execdesc.h, nodes/plannodes.h).
const (
	queryPlan     = 4
	querySnapshot = 12
	planTable     = 44 // List *rtable
	planSubplans  = 64
	planDepends   = 80 // List *invalItems: functions and types of users
	entryKind     = 12 // RangeTblEntry.rtekind
	entryRelation = 16 // RangeTblEntry.relid
)

// ofRelation is the kind of an entry that is a table (RTE_RELATION, nodes/parsenodes.h).
const ofRelation = 0

// execution is the query that runs with a snapshot.
type execution struct {
	query uint32 // QueryDesc; 0: several
	sole  OID    // the only table that it looks at, once; 0: it looks at none or at others too
	once  []OID  // the tables that it looks at in one place of its plan
}

// executes notes which query runs with which snapshot.
func (x *Instance) executes(query uint32) {
	p := x.proc
	snapshot := p.Word(query + querySnapshot)
	if snapshot == 0 || x.injecting > 0 {
		return
	}
	number := p.Word(snapshot + snapNumber)
	known, ok := x.executions[number]
	switch {
	case !ok:
		plan := p.Word(query + queryPlan)
		x.executions[number] = execution{query, x.soleTable(plan), x.tablesOnce(plan)}
	case known.query != query:
		x.executions[number] = execution{}
	}
}

// soleTable is the only table that a plan looks at, once, below REPEATABLE READ; 0 if there is no such.
func (x *Instance) soleTable(plan uint32) OID {
	p := x.proc
	entries := x.list(p.Word(plan + planTable))
	const repeatableRead = 2 // XACT_REPEATABLE_READ
	if len(entries) != 1 || p.Word(entries[0]+entryKind) != ofRelation || p.Word(plan+planSubplans) != 0 ||
		p.Word(plan+planDepends) != 0 || p.Word(x.engine.symbols.isolation) >= repeatableRead {
		return 0
	}
	return OID(p.Word(entries[0] + entryRelation))
}

// tablesOnce are the tables that a plan looks at in one place, where no function of a user's looks
// at any.
func (x *Instance) tablesOnce(plan uint32) (once []OID) {
	p := x.proc
	if p.Word(plan+planDepends) != 0 {
		return nil
	}
	var all []OID
	for _, e := range x.list(p.Word(plan + planTable)) {
		if r := OID(p.Word(e + entryRelation)); p.Word(e+entryKind) == ofRelation {
			all = append(all, r)
		}
	}
	for i, r := range all {
		if !slices.Contains(all[:i], r) && !slices.Contains(all[i+1:], r) {
			once = append(once, r)
		}
	}
	return once
}
