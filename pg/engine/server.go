// Starting the server: its arguments, its callbacks, and what is changed in its module.

package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/txmc/txmc/pg/engine/emscripten"
	"github.com/txmc/txmc/pg/engine/vfs"
)

// Callbacks of the server, by their place in the table.
const (
	slotRead = iota
	slotWrite
	slotSystem
	slotPopen
	slotPclose
	slotVisible
	slotScanBegin
	slotIndexDelete
	slotInsert
	slotInsertSpeculative
	slotCompleteSpeculative
	slotMultiInsert
	slotDelete
	slotUpdate
	slotLock
	slotSetNewFile
	slotTruncate
	slotFetchRow
	slotLatestTID
	slotRescan
	slotTransactionSnapshot
	slotLatestSnapshot
	slotTransaction
	slotSubtransaction
	slotInvalidate
	slotNotify
	slotUtility
	slotReferential
	slotExecute
	slotNext
	slotSetSequence
	slotRecheck
	slotAdvisory
	slotTransactions
	slotLockTable
	slotTryTable
	slotError
	slotBeyond
	slotCatalog
	slotBreath
)

var callbacks = []emscripten.Callback{
	slotRead:                {Params: 2, Results: 1, Func: onRead},
	slotWrite:               {Params: 2, Results: 1, Func: onWrite},
	slotSystem:              {Params: 1, Results: 1, Func: func(_ *emscripten.Process, st []uint64) { st[0] = 1 }},
	slotPopen:               {Params: 2, Results: 1, Func: onPopen},
	slotPclose:              {Params: 1, Results: 1, Func: func(p *emscripten.Process, st []uint64) { st[0] = p.Must("fclose", st[0]) }},
	slotVisible:             {Params: 3, Results: 1, Func: visible},
	slotScanBegin:           {Params: 6, Results: 1, Func: onScanBegin},
	slotIndexDelete:         {Params: 2, Results: 1, Func: onIndexDelete},
	slotInsert:              {Params: 5, Results: 0, Func: onInsert},
	slotInsertSpeculative:   {Params: 6, Results: 0, Func: onInsertSpeculative},
	slotCompleteSpeculative: {Params: 4, Results: 0, Func: onCompleteSpeculative},
	slotMultiInsert:         {Params: 6, Results: 0, Func: onMultiInsert},
	slotDelete:              {Params: 8, Results: 1, Func: onDelete},
	slotUpdate:              {Params: 10, Results: 1, Func: onUpdate},
	slotLock:                {Params: 9, Results: 1, Func: onLock},
	slotSetNewFile:          {Params: 5, Results: 0, Func: onSetNewFile},
	slotTruncate:            {Params: 1, Results: 0, Func: onTruncate},
	slotFetchRow:            {Params: 4, Results: 1, Func: onFetchRow},
	slotLatestTID:           {Params: 2, Results: 0, Func: onLatestTID},
	slotRescan:              {Params: 3, Results: 0, Func: onRescan},
	slotTransactionSnapshot: {Params: 0, Results: 1, Func: onTransactionSnapshot},
	slotLatestSnapshot:      {Params: 0, Results: 1, Func: numbered("original_GetLatestSnapshot")},
	slotTransaction:         {Params: 2, Results: 0, Func: onTransaction},
	slotSubtransaction:      {Params: 4, Results: 0, Func: onSubtransaction},
	slotInvalidate:          {Params: 2, Results: 0, Func: func(p *emscripten.Process, _ []uint64) { instanceOf(p).invalidate() }},
	slotNotify:              {Params: 2, Results: 0, Func: onNotify},
	slotUtility:             {Params: 1, Results: 0, Func: onUtility},
	slotReferential:         {Params: 1, Results: 1, Func: onReferential},
	slotExecute:             {Params: 1, Results: 0, Func: onExecute},
	slotNext:                {Params: 1, Results: 0, Func: onNext},
	slotAdvisory:            {Params: 1, Results: 1, Func: onAdvisory},
	slotTransactions:        {Params: 1, Results: 1, Func: onTransactions},
	slotSetSequence:         {Params: 1, Results: 1, Func: onSetSequence},
	slotRecheck:             {Params: 1, Results: 1, Func: onRecheck},
	slotLockTable:           {Params: 2, Results: 0, Func: onLockTable},
	slotTryTable:            {Params: 2, Results: 0, Func: onTryTable},
	slotError:               {Params: 3, Results: 0, Func: onError},
	slotBeyond:              {Params: 1, Results: 1, Func: onBeyond},
	slotCatalog:             {Params: 1, Results: 0, Func: onCatalog},
	slotBreath:              {Func: func(*emscripten.Process, []uint64) {}, Silent: true},
}

func onRead(p *emscripten.Process, st []uint64) {
	st[0] = instanceOf(p).read(p, uint32(st[0]), uint32(st[1]))
}

func onWrite(p *emscripten.Process, st []uint64) {
	instanceOf(p).out.Write(p.Bytes(uint32(st[0]), uint32(st[1])))
	st[0] = st[1]
}

// onPopen knows the only program that the server asks for: the one that lists the names of collations.
func onPopen(p *emscripten.Process, st []uint64) {
	if !strings.HasPrefix(p.String(uint32(st[0])), "locale -a") {
		st[0] = 0
		return
	}
	st[0] = fopen(p, "/pglite/locale-a", "r")
}

func instanceOf(p *emscripten.Process) *Instance { return p.Owner.(*Instance) }

// settings are the server's. The planner's make a statement look at few rows, always the same ones:
// nested loops over indexes. Nothing runs in the background.
var settings = []string{
	"exit_on_error=false", "log_checkpoints=false", "io_method=sync",
	"default_text_search_config=pg_catalog.english", "max_worker_processes=0", "max_parallel_workers=0", "max_parallel_workers_per_gather=0", "max_parallel_maintenance_workers=0",
	"shared_buffers=2MB", "max_connections=3", "wal_buffers=64kB", "autovacuum=off", "jit=off",
	"enable_seqscan=off", "enable_bitmapscan=off", "enable_hashjoin=off", "enable_mergejoin=off",
	"enable_material=off", "enable_memoize=off", "fsync=off", "synchronous_commit=off", "full_page_writes=off",
}

func serverArguments() []string {
	args := []string{serverPath, "--single", "-F", "-j"}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	return append(args, "-D", dataPath, "postgres")
}

// boot starts the server in a new process and brings it to where it waits for a connection.
func (e *Engine) boot(x *Instance) error {
	p, err := e.prog.Start(x.config(vfs.New(e.files)))
	if err != nil {
		return err
	}
	x.proc = p
	if err := setup(p, uint64(e.prog.Slot(slotSystem))); err != nil {
		return err
	}
	if _, err := p.Call("pgl_set_rw_cbs", uint64(e.prog.Slot(slotRead)), uint64(e.prog.Slot(slotWrite))); err != nil {
		return err
	}
	if _, err := p.Call("pgl_setPGliteActive", 1); err != nil {
		return err
	}
	const alive = 99 // the code with which main leaves the server running
	_, err = p.Main(serverArguments()...)
	var exit emscripten.Exit
	if !errors.As(err, &exit) || exit.Code != alive {
		return fmt.Errorf("the server did not start: %w\n%s", err, x.log.String())
	}
	if _, err = p.Call("pgl_startPGlite"); err != nil {
		return err
	}
	if err := x.install(&e.symbols); err != nil {
		return err
	}
	return x.learnRefusals()
}
