// What a session of a server can ask about the server itself and about other sessions, or do to them, and what it can do
// to things that are not rows of tables. An instance has one session, and shows and changes what is its own. So each of
// these is refused where hooks keep the tables: functions by their names in the table of built-in functions, system
// catalogs by who writes them, and sequences that are read as tables.

package engine

import (
	"fmt"
	"strings"

	"github.com/txmc/txmc/pg/engine/emscripten"
)

// beyond are the functions by their names in C (utils/fmgrtab.h). A name that ends in * is a prefix.
var beyond = []struct{ why, names string }{
	{"asks for other sessions", "pg_stat_get_* pg_lock_status pg_blocking_pids pg_safe_snapshot_blocking_pids pg_isolation_test_session_is_blocked pg_prepared_xact pg_export_snapshot pg_notification_queue_usage pg_get_multixact_members"},
	{"acts on other sessions or on the server", "pg_terminate_backend pg_cancel_backend pg_reload_conf pg_rotate_logfile* pg_promote pg_log_backend_memory_contexts pg_stat_reset*"},
	{"asks for the server's log or its replicas, or changes them", "pg_current_wal_* pg_switch_wal pg_create_restore_point pg_backup_start pg_backup_stop pg_wal_replay_* pg_logical_* " +
		"pg_create_logical_replication_slot pg_create_physical_replication_slot pg_copy_*_replication_slot_* pg_drop_replication_slot pg_get_replication_slots pg_replication_*"},
	{"asks for files of the server, or for their sizes", "pg_read_file* pg_read_binary_file* pg_ls_* pg_stat_file* be_lo_import* be_lo_export pg_database_size_* pg_tablespace_size_* pg_relation_size pg_total_relation_size pg_table_size pg_indexes_size"},
	{"asks for a sequence's state, which is the session's own here", "pg_sequence_last_value pg_get_sequence_data"},
}

// beyondBy is why a function of a name in C is refused, "" for all others.
func beyondBy(name string) string {
	for _, b := range beyond {
		for n := range strings.FieldsSeq(b.names) {
			if head, tail, ok := strings.Cut(n, "*"); n == name || ok && strings.HasPrefix(name, head) && strings.HasSuffix(name, strings.TrimPrefix(tail, "*")) && !strings.Contains(tail, "*") {
				return b.why
			}
		}
	}
	return ""
}

// builtin is a function in the table of built-in functions before a callback took its place.
type builtin struct {
	slot uint32
	name string
	why  string
}

const backendPID, cancelBackend, terminateBackend = 2026, 2171, 2096 // pg_backend_pid() and so on in pg_proc

// SignalHooks are Hooks where sessions can cancel each other's statements, and end each other.
type SignalHooks interface {
	Hooks
	// Signal does so with the session of a process, and reports whether there is one.
	Signal(c *Call, process uint32, terminate bool) bool
}

// Process gives the instance's session the number of a process; 0: it has one of its own.
func (x *Instance) Process(n uint32) { x.process = n }

// announceBeyond puts the callback into the table of built-in functions, from one of its entries on in both directions. The
// table is ordered by the functions' numbers.
func (x *Instance) announceBeyond(s *symbols, at uint32) error {
	p := x.proc
	s.beyond = map[uint32]builtin{}
	for p.Word(at-builtinSize) < p.Word(at) && p.Word(at-builtinSize) != 0 {
		at -= builtinSize
	}
	for last := uint32(0); p.Word(at) > last; at += builtinSize {
		last = p.Word(at)
		name := p.String(p.Word(at + builtinName))
		if why := beyondBy(name); why != "" || last == backendPID || last == sleep {
			s.beyond[last] = builtin{p.Word(at + builtinFunc), name, why}
			p.PutWord(at+builtinFunc, x.engine.prog.Slot(slotBeyond))
		}
	}
	if n := len(s.beyond); n < 100 || s.beyond[backendPID].slot == 0 {
		return fmt.Errorf("the server's structures are not as expected: %d functions about the server", n)
	}
	return nil
}

// onBeyond is any of the functions.
func onBeyond(p *emscripten.Process, st []uint64) {
	x := instanceOf(p)
	oid := p.Word(p.Word(uint32(st[0])+callInfo) + infoOID)
	f := x.engine.symbols.beyond[oid]
	if h, ok := x.hooks.(SignalHooks); ok && x.injecting == 0 && (oid == cancelBackend || oid == terminateBackend) {
		const args = 20 // FunctionCallInfoBaseData.args
		st[0] = word(h.Signal(&x.call, p.Word(uint32(st[0])+args), oid == terminateBackend))
		return
	}
	if x.hooks != nil && x.injecting == 0 && f.why != "" {
		x.refuse(fmt.Sprintf("%s() %s, of which PostgreSQL knows nothing here", f.name, f.why), "")
	}
	if oid == sleep {
		x.sleeps(p, uint32(st[0]))
	}
	st[0] = p.CallSlot(f.slot, true, st[0])
	switch {
	case x.hooks == nil || oid != backendPID:
	case x.process != 0:
		st[0] = uint64(x.process)
	default: // sessions have numbers of their own
		st[0] += uint64(x.number & 0xffffff)
	}
}

// lasting are system catalogs of which functions make rows, with what they have. What statements make there is compared
// with what was there before: see Definitions.
var lasting = map[OID]string{2613: "large objects", 2995: "large objects", 6000: "origins of replication"}

// onCatalog is told of CatalogTupleInsert(rel, …) and its kin.
func onCatalog(p *emscripten.Process, st []uint64) {
	x, ok := p.Owner.(*Instance)
	if !ok || x.hooks == nil || x.injecting > 0 {
		return
	}
	if what := lasting[OID(p.Word(uint32(st[0])+relID))]; what != "" {
		x.refuse("a session makes or changes "+what+", which other sessions do not see", inSchema)
	}
}

// catalogOnly refuses what a statement of the client does with the rows of a system catalog, but for reading them.
func (x *Instance) catalogOnly(rel uint64) {
	if x.hooks != nil && x.injecting == 0 && x.proc.Word(uint32(rel)+relID) < firstUser {
		x.refuse("a session writes or locks rows of a system catalog, of which each session has its own here", "")
	}
}

// sequenceRead refuses a scan of a sequence as a table.
func (x *Instance) sequenceRead(rel uint64) {
	if x.hooks == nil || x.injecting > 0 || x.proc.Word(uint32(rel)+relID) < firstUser {
		return
	}
	if r := x.tableAt(uint32(rel)); r.Kind == 'S' && !r.temp {
		x.refuse("the sequence "+r.Name+" is read as a table: its state is the session's own here", "")
	}
}
