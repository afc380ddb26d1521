package pg

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/storage"
	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/rows"
)

// base is a program's database before any session: a snapshot of an instance that
// has run the schema and the seed, and the rows that they made.
type base struct {
	engine   *engine.Engine
	store    *storage.Store
	heap     storage.Heap
	initial  map[string]any
	snapshot *engine.Snapshot

	mu    sync.Mutex
	pools map[int]*engine.Pool // by session, as each has numbers of its own
}

func newBase(c *rows.Scripts) (*base, error) {
	scripts, err := c.All()
	if err != nil {
		return nil, err
	}
	e, err := engine.Open(context.Background(), engine.Options{Progress: os.Stderr})
	if err != nil {
		return nil, err
	}
	b := &base{engine: e, store: storage.NewStore(), pools: map[int]*engine.Pool{}}
	x, err := e.Instance()
	if err != nil {
		return nil, err
	}
	memory := rows.NewMemory()
	s := b.store.NewSession("seed", memory.Log())
	x.Hook(s)
	for _, script := range scripts {
		if err := run(x, script); err != nil {
			return nil, err
		}
	}
	x.Hook(nil)
	b.heap, b.initial = s.Heap(), memory.All()
	b.snapshot, err = x.Snapshot()
	return b, err
}

// run runs a script's statements, which may be several.
func run(x *engine.Instance, s rows.Script) error {
	ctx := context.Background()
	c, err := dial(ctx, wire.NewHub(x, unwatched{}))
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, s.Text).ReadAll()
	if e, ok := err.(*pgconn.PgError); ok {
		return &ScriptError{Name: s.Name, Line: line(s.Text, int(e.Position)), Err: e}
	}
	return err
}

// ScriptError is a statement of the schema or the seed that fails.
type ScriptError struct {
	Name string // the file, or "schema 1", "seed 1" and so on
	Line int    // counted from 1; 0 when PostgreSQL does not say where
	Err  *pgconn.PgError
}

// Error names the place and says what is wrong.
func (e *ScriptError) Error() string {
	at := e.Name
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", e.Name, e.Line)
	}
	text := fmt.Sprintf("%s: %s (SQLSTATE %s)", at, e.Err.Message, e.Err.Code)
	if e.Err.Detail != "" {
		text += ": " + e.Err.Detail
	}
	if e.Err.Hint != "" {
		text += "; " + e.Err.Hint
	}
	return text
}

// Unwrap returns PostgreSQL's error.
func (e *ScriptError) Unwrap() error { return e.Err }

// line is the line of a position, counted in characters from 1.
func line(text string, position int) int {
	if position <= 0 {
		return 0
	}
	n := 1
	for _, c := range text {
		if position--; position == 0 {
			break
		}
		if c == '\n' {
			n++
		}
	}
	return n
}

// unwatched runs scripts, which are of no history.
type unwatched struct{}

func (unwatched) Statement(string) error { return nil }
func (unwatched) Refuse(m string) error  { return fmt.Errorf("%s", m) }

// pool returns the instances of a session: sequences begin at numbers of its own.
func (b *base) pool(session int) (*engine.Pool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.pools[session]; p != nil {
		return p, nil
	}
	x, err := b.engine.InstanceFrom(b.snapshot)
	if err != nil {
		return nil, err
	}
	numbers := rows.Script{Name: "sequences", Text: fmt.Sprintf(
		`SELECT setval(seqrelid, coalesce(pg_sequence_last_value(seqrelid), seqstart - seqincrement) + %d * seqincrement)
		 FROM pg_catalog.pg_sequence WHERE seqrelid >= 16384 AND %[1]d > 0`, session*rows.Stride)}
	if err := run(x, numbers); err != nil {
		return nil, err
	}
	s, err := x.Snapshot()
	if err != nil {
		return nil, err
	}
	p := engine.NewPool(s)
	b.pools[session] = p
	return p, p.Put(x)
}
