package engine

import (
	"sync/atomic"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/memo"
	"github.com/dolthub/go-mysql-server/sql/rowexec"

	"github.com/txmc/txmc/mysql/storage"
)

// Engine evaluates statements for the sessions of a program. It may be used from
// several goroutines.
type Engine struct {
	sql *sqle.Engine
	db  *storage.Database
	pid atomic.Uint64
}

// Simple statements do not go through the analyzer's batches, but through this list.
func init() {
	own := []analyzer.Rule{{Id: ruleID, Apply: checkArithmetic}, {Id: ruleID, Apply: checkFitting}}
	analyzer.OnceAfterAll = append(own, analyzer.OnceAfterAll...)
}

const ruleID = 9999 // none of the analyzer's

// collation is that of the server, its databases and its connections unless a schema
// or a connection says otherwise.
const collation = sql.Collation_utf8mb4_general_ci

// New returns an engine with one database, which has no tables.
func New(name string) *Engine {
	db := storage.NewDatabase(name, collation)
	a := analyzer.NewDefault(provider{storage.Provider{Only: db}, functions()})
	x := &builder{}
	base := rowexec.NewBuilder(x, a.Overrides)
	x.base, a.ExecBuilder = base, base
	a.Coster = memo.NewLookupBiasedCoster() // an index wherever there is one
	return &Engine{sql: sqle.New(a, nil), db: db}
}

// Epoch is the time at which the clock of a run begins. Each statement is a
// microsecond later.
var Epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Forget drops what is known of rows that nobody can read: see [storage.Database.Forget].
func (e *Engine) Forget(variable, content func(string) bool) { e.db.Forget(variable, content) }

// Known is how many rows are known of all tables.
func (e *Engine) Known() int { return e.db.Known() }
