package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/txmc/txmc/mysql/storage"
)

// Functions whose results are not the same in every run of a server are the same here:
// they depend on the session and on how often it has called them. SLEEP does not wait.

// call is a function without a child that is evaluated by a Go function.
type call struct {
	name     string
	typ      sql.Type
	children []sql.Expression
	eval     func(ctx *sql.Context) (any, error)
}

var _ sql.Expression = (*call)(nil)

func (c *call) Resolved() bool                                { return true }
func (c *call) String() string                                { return c.name + "()" }
func (c *call) Type(*sql.Context) sql.Type                    { return c.typ }
func (c *call) IsNullable(*sql.Context) bool                  { return false }
func (c *call) Children() []sql.Expression                    { return c.children }
func (c *call) IsNonDeterministic() bool                      { return true }
func (c *call) Eval(ctx *sql.Context, _ sql.Row) (any, error) { return c.eval(ctx) }

func (c *call) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	with := *c
	with.children = children
	return &with, nil
}

// provider is the list of databases, with functions in place of the engine's.
type provider struct {
	storage.Provider
	functions map[string]sql.Function
}

// Function implements sql.FunctionProvider.
func (p provider) Function(_ *sql.Context, _, name string) (sql.Function, bool) {
	f, ok := p.functions[strings.ToLower(name)]
	return f, ok
}

// functions are those by their names.
func functions() map[string]sql.Function {
	byName := map[string]sql.Function{}
	for _, f := range []sql.Function{
		sql.Function0{Name: "uuid", Fn: func(*sql.Context) sql.Expression {
			return &call{name: "uuid", typ: types.MustCreateStringWithDefaults(sqltypes.VarChar, 36), eval: uuid}
		}},
		sql.FunctionN{Name: "rand", Fn: newRandom},
		sql.Function1{Name: "sleep", Fn: func(_ *sql.Context, arg sql.Expression) sql.Expression {
			return &call{name: "sleep", typ: types.Int32, children: []sql.Expression{arg}, eval: func(*sql.Context) (any, error) { return int32(0), nil }}
		}},
		sql.Function1{Name: "avg", Fn: newAverage}, sql.Function1{Name: "sum", Fn: newSum},
		deviation("std", aggregation.NewStdDevPop), deviation("stddev", aggregation.NewStdDevPop), deviation("stddev_pop", aggregation.NewStdDevPop),
		deviation("stddev_samp", aggregation.NewStdDevSamp), deviation("variance", aggregation.NewVarPop), deviation("var_pop", aggregation.NewVarPop),
		deviation("var_samp", aggregation.NewVarSamp),
		sql.FunctionN{Name: "last_insert_id", Fn: newLastInsertID},
		sql.FunctionN{Name: "sysdate", Fn: function.NewNow},
		sql.Function2{Name: "instr", Fn: newInstr},
		sql.FunctionN{Name: "json_value", Fn: newJSONValue},
		sql.FunctionN{Name: "json_type", Fn: newJSONType},
		scalar("makedate", types.Date, 2, makeDate), scalar("sec_to_time", types.Time, 1, secToTime),
		sql.Function2{Name: "nullif", Fn: newNullIf}, sql.Function2{Name: "date_format", Fn: newDateFormat},
		sql.Function1{Name: "floor", Fn: func(ctx *sql.Context, e sql.Expression) sql.Expression { return function.NewFloor(ctx, copyOf(e)) }},
		sql.FunctionN{Name: "round", Fn: newRound}, extreme("greatest", 1, function.NewGreatest), extreme("least", -1, function.NewLeast),
		sql.Function1{Name: "abs", Fn: newAbs}, scalar("bit_count", types.Int64, 1, bitCount), sql.FunctionN{Name: castName, Fn: newDecimalCast}, scalar(truthName, types.Int64, 1, truthOf),
		oneOf("if", 1, newIf), oneOf("ifnull", 0, newIfNull), oneOf("coalesce", 0, function.NewCoalesce),
		sql.Function1{Name: "ceil", Fn: newCeil}, sql.Function1{Name: "ceiling", Fn: newCeil},
		scalar("time_to_sec", types.Int64, 1, timeToSec), scalar("utc_date", types.Date, 0, utcDate),
		sql.FunctionN{Name: assignedName, Fn: newAssigned}, comparedWith("any"), comparedWith("all"), scalar(rollupName, types.Int64, 0, rolledUp),
		named("get_lock", 2, getLock), named("release_lock", 1, releaseLock), named("is_free_lock", 1, isFreeLock), named("release_all_locks", 0, releaseAllLocks),
		refused("is_used_lock"),
	} {
		byName[f.FunctionName()] = f
	}
	return byName
}

// newRandom is RAND(); that of a seed is the engine's.
func newRandom(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) > 0 {
		return function.NewRand(ctx, args...)
	}
	return &call{name: "rand", typ: types.Float64, eval: func(ctx *sql.Context) (any, error) { return random(ctx).Float64(), nil }}, nil
}

// refused is a function that cannot be explored.
func refused(name string) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(*sql.Context, ...sql.Expression) (sql.Expression, error) {
		return nil, mysql.NewSQLError(1235, "42000", "txmc: %s is not explored, as connections have other numbers on a server: use IS_FREE_LOCK, or keep in a row who has the lock", strings.ToUpper(name))
	}}
}

func random(ctx *sql.Context) *rand.Rand { return connOf(ctx).random }

// uuid is a version 4 one, as those of version 1 tell the time.
func uuid(ctx *sql.Context) (any, error) {
	r := random(ctx)
	a, b := r.Uint64(), r.Uint64()
	a = a&^0xf000 | 0x4000
	b = b&^(3<<62) | 2<<62
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&(1<<48-1)), nil
}
