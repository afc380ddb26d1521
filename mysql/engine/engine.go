package engine

import (
	"io"
	"sync"
	"sync/atomic"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/memo"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/sirupsen/logrus"

	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/program/access"
)

// Engine evaluates statements for the sessions of a program. It may be used from
// several goroutines.
type Engine struct {
	sql   *sqle.Engine
	db    *storage.Database
	pid   atomic.Uint64
	known sync.Map // triggers, by their texts
	as    access.Product
}

// Simple statements do not go through the analyzer's batches, but through this list. What an
// INSERT writes is known at its end.
func init() {
	own := []analyzer.Rule{{Id: ruleID, Apply: upsertApart}, {Id: ruleID, Apply: checkExpressions}, {Id: ruleID, Apply: numbersOfUnions}, {Id: ruleID, Apply: fitUpdate}}
	analyzer.OnceAfterAll = append(append(own, analyzer.OnceAfterAll...), analyzer.Rule{Id: ruleID, Apply: fitInsert})
	for i, r := range analyzer.OnceAfterDefault {
		switch r.Id.String() {
		case "replaceIdxSort":
			analyzer.OnceAfterDefault[i].Apply = keepSorts(r.Apply)
		case "replaceAgg": // which has no row for MIN and MAX of no rows: minOrMax has
			analyzer.OnceAfterDefault[i].Apply = keep
		}
	}
}

// keep is a rule of the analyzer that does nothing.
func keep(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return n, transform.SameTree, nil
}

// checkExpressions puts the package's own expressions into a plan, in place of the engine's.
func checkExpressions(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	n, exprs, err := transform.NodeExprsWithOpaque(ctx, n, ownExpression)
	if err != nil {
		return nil, transform.SameTree, err
	}
	n, keys, err := transform.NodeWithOpaque(ctx, n, weighedKeys)
	return n, exprs && keys, err
}

// ownExpression is the package's expression in place of the engine's.
func ownExpression(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	all := transform.SameTree
	for _, own := range []transform.ExprFunc{numbersOnly, signsApart, checkedArithmetic, ownOperator, failingDivision, inOneType, spelledArguments, compareUnpadded} {
		with, same, err := own(ctx, e)
		if err != nil {
			return nil, transform.SameTree, err
		}
		e, all = with, all && same
	}
	return e, all, nil
}

const ruleID = 9999 // none of the analyzer's

// collation is that of the server, its databases and its connections unless a schema
// or a connection says otherwise.
const collation = sql.Collation_utf8mb4_general_ci

// New returns an engine with one database, which has no tables.
func New(name string) *Engine {
	db := storage.NewDatabase(name, collation)
	reading := sql.EngineOverrides{Builder: sql.BuilderOverrides{Parser: firing{parser{sql.NewMysqlParser()}, db}}}
	a := analyzer.NewBuilder(provider{storage.Provider{Only: db}, functions()}).AddOverrides(reading).Build()
	x := &builder{}
	base := rowexec.NewBuilder(x, a.Overrides)
	x.base, a.ExecBuilder = base, base
	a.Coster = memo.NewLookupBiasedCoster() // an index wherever there is one
	return &Engine{sql: sqle.New(a, nil), db: db}
}

// As makes the engine answer as a server does; it returns the engine.
func (e *Engine) As(p access.Product) *Engine {
	e.as = p
	return e
}

// Epoch is the time at which the clock of a run begins. Each statement is a
// microsecond later.
var Epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Forget drops what is known of rows that nobody can read: see [storage.Database.Forget].
func (e *Engine) Forget(variable, content func(string) bool) { e.db.Forget(variable, content) }

// Known is how many rows are known of all tables.
func (e *Engine) Known() int { return e.db.Known() }

// Describe describes the tables: see [storage.Database.Describe].
func (e *Engine) Describe() (tables []storage.TableInfo, triggers []string) { return e.db.Describe() }

// silent is where the engine logs what it does not expect, such as a deadlock while a trigger
// runs. An answer says the same, and standard error is the user's.
var silent = func() *logrus.Entry {
	l := logrus.New()
	l.SetOutput(io.Discard)
	return logrus.NewEntry(l)
}()
