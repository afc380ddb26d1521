package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/txmc/txmc/mysql/model"
)

// GET_LOCK and its kin, under a model of the database. A lock belongs to a connection, which
// may take it several times; no end of a transaction gives it up (MySQL 8.0 Reference
// Manual, 14.14).

// holding is a lock by name that a connection has.
type holding struct {
	by    *Conn
	times int
}

// naming knows what other sessions have.
type naming interface {
	Name(lock string, l model.Limit) (bool, error)
	Unname(lock string) error
	Refuse(what string) error
}

// alone is the schema's and the seed's: there is no other session. Migrations lock a name.
type alone struct{}

func (alone) Name(string, model.Limit) (bool, error) { return true, nil }
func (alone) Unname(string) error                    { return nil }
func (alone) Refuse(what string) error               { return errors.New(what) }

// naming is nil where sessions run without a model of the database.
func (r *Run) naming() naming {
	switch {
	case r.model != nil:
		return r.model
	case !r.frozen:
		return alone{}
	}
	return nil
}

// errNamedLocks is the error where no model of the database has the locks.
var errNamedLocks = mysql.NewSQLError(1235, "42000", "txmc: GET_LOCK and its kin are not explored here: no axiomatic level has such locks; lock a row by SELECT … FOR UPDATE, or explore the program at levels of InnoDB")

// named is a function of locks by name: f computes it from the name and the other
// arguments. It is NULL without a name.
func named(name string, arguments int, f func(c *Conn, ctx *sql.Context, lock string, more []any) (any, error)) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) != arguments {
			return nil, sql.ErrInvalidArgumentNumber.New(name, fmt.Sprint(arguments), len(args))
		}
		return &locking{call: call{name: name, typ: types.Int64, children: args}, f: f}, nil
	}}
}

// locking is a call of such a function.
type locking struct {
	call
	f func(c *Conn, ctx *sql.Context, lock string, more []any) (any, error)
}

// IsNullable implements sql.Expression.
func (l *locking) IsNullable(*sql.Context) bool { return true }

// WithChildren implements sql.Expression.
func (l *locking) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	with := *l
	with.children = children
	return &with, nil
}

// Eval implements sql.Expression.
func (l *locking) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	c := connOf(ctx)
	if c.naming() == nil {
		return nil, errNamedLocks
	}
	var values []any
	for _, e := range l.children {
		v, err := e.Eval(ctx, row)
		if v == nil || err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		return l.f(c, ctx, "", nil)
	}
	text, _, err := types.LongText.Convert(ctx, values[0])
	if err != nil {
		return nil, err
	}
	lock, _ := text.(string)
	if lock == "" {
		return nil, nil
	}
	const longest = 64
	if len([]rune(lock)) > longest {
		return nil, mysql.NewSQLError(1059, "42000", "Identifier name '%s' is too long", lock)
	}
	return l.f(c, ctx, lock, values[1:])
}

// getLock is GET_LOCK. A connection that has the lock takes it once more; another one of the
// session that has it cannot give it up meanwhile.
func getLock(c *Conn, ctx *sql.Context, lock string, more []any) (any, error) {
	seconds, _, err := types.Float64.Convert(ctx, more[0])
	if err != nil {
		return nil, err
	}
	limit := model.NoLimit // below 0, as in MySQL
	switch n, _ := seconds.(float64); {
	case n == 0:
		limit = model.NoWait
	case n > 0:
		limit = model.Limited
	}
	if h := c.named[lock]; h != nil {
		switch {
		case h.by == c:
			h.times++
			return int64(1), nil
		case limit == model.NoLimit:
			return nil, c.naming().Refuse("GET_LOCK without a time limit of a lock that another connection of the session has, which would wait for ever")
		}
		return int64(0), nil
	}
	ok, err := c.naming().Name(lock, limit)
	if failed := (*model.Error)(nil); errors.As(err, &failed) {
		return nil, c.namedDeadlock()
	}
	if !ok || err != nil {
		return int64(0), err
	}
	c.named[lock] = &holding{c, 1}
	return int64(1), nil
}

// releaseLock is RELEASE_LOCK: NULL for a lock that nobody has.
func releaseLock(c *Conn, ctx *sql.Context, lock string, _ []any) (any, error) {
	h := c.named[lock]
	if h == nil || h.by != c {
		if free, err := isFreeLock(c, ctx, lock, nil); err != nil || free == int64(1) {
			return nil, err
		}
		return int64(0), nil
	}
	if h.times--; h.times > 0 {
		return int64(1), nil
	}
	delete(c.named, lock)
	return int64(1), c.naming().Unname(lock)
}

// isFreeLock is IS_FREE_LOCK.
func isFreeLock(c *Conn, _ *sql.Context, lock string, _ []any) (any, error) {
	if c.named[lock] != nil {
		return int64(0), nil
	}
	ok, err := c.naming().Name(lock, model.NoWait)
	if !ok || err != nil {
		return int64(0), err
	}
	return int64(1), c.naming().Unname(lock)
}

// releaseAllLocks is RELEASE_ALL_LOCKS: how often the connection had taken its locks.
func releaseAllLocks(c *Conn, _ *sql.Context, _ string, _ []any) (any, error) {
	n, err := c.unname()
	return int64(n), err
}

// unname gives up all locks of the connection, in the order of their names.
func (c *Conn) unname() (times int, err error) {
	for _, name := range slices.Sorted(maps.Keys(c.named)) {
		h := c.named[name]
		if h.by != c {
			continue
		}
		times += h.times
		delete(c.named, name)
		if err := c.naming().Unname(name); err != nil {
			return times, err
		}
	}
	return times, nil
}

// Named are the names of the locks that connections of the run have.
func (r *Run) Named() []string { return slices.Sorted(maps.Keys(r.named)) }

// holds reports whether the connection has locks by name.
func (c *Conn) holds() bool {
	for _, h := range c.named {
		if h.by == c {
			return true
		}
	}
	return false
}
