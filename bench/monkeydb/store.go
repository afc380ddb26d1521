package monkeydb

import (
	"context"
	"math/rand/v2"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/server/mock"
)

// value is what a key has in the micro-benchmarks; nil: nothing.
type value []int

// store is a store of keys and values. Each operation is a transaction.
type store interface {
	get(session int, key string) (value, error)
	put(session int, key string, v value) error
}

// micro is an iteration of a micro-benchmark. The first error ends it.
type micro struct {
	store
	rand *rand.Rand
	err  error
	keys int // for names of nodes
}

func (m *micro) read(session int, key string) value {
	if m.err != nil {
		return nil
	}
	v, err := m.get(session, key)
	m.err = err
	return v
}

func (m *micro) write(session int, key string, v value) {
	if m.err == nil {
		m.err = m.put(session, key, v)
	}
}

// interleave runs the steps of the sessions in a random order. Each comes up to three
// milliseconds after the one before it. That is as in the artifact, whose threads start one
// after the other.
func (m *micro) interleave(sessions ...[]func()) {
	const apart = 1.5 // ms between the starts of threads; the artifact does not say
	due := make([]float64, len(sessions))
	wait := func(i int) { due[i] += float64(m.rand.IntN(4)) }
	for i := range sessions {
		due[i] = float64(i) * apart
		wait(i)
	}
	for m.err == nil {
		next := -1
		for i, steps := range sessions {
			if len(steps) > 0 && (next < 0 || due[i] < due[next]) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		sessions[next][0]()
		sessions[next] = sessions[next][1:]
		wait(next)
	}
}

// weak is a mock store.
type weak struct {
	kv       *mock.KV
	sessions map[int]*mock.Session
}

func newWeak(o mock.Options, initial map[string]value) (*weak, error) {
	kv, err := mock.NewKV(o)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	for key, v := range initial {
		all[key] = v
	}
	kv.Load(all)
	return &weak{kv, map[int]*mock.Session{}}, nil
}

// alone runs an operation as a transaction.
func (w *weak) alone(session int, do func(*mock.Session) error) error {
	s := w.sessions[session]
	if s == nil {
		s = w.kv.Session("")
		w.sessions[session] = s
	}
	if err := s.Begin(); err != nil {
		return err
	}
	if err := do(s); err != nil {
		_ = s.Rollback() // the error is why
		return err
	}
	return s.Commit()
}

func (w *weak) get(session int, key string) (v value, err error) {
	err = w.alone(session, func(s *mock.Session) error {
		got, err := s.Read(key)
		v, _ = got.(value)
		return err
	})
	return v, err
}

func (w *weak) put(session int, key string, v value) error {
	return w.alone(session, func(s *mock.Session) error { return s.Write(key, v) })
}

// kept is a store in a table of a real server, with a connection for each session.
type kept struct {
	ctx   context.Context
	conns []*pgx.Conn
}

const keptSchema = `CREATE TABLE kv (k text PRIMARY KEY, v int[] NOT NULL)`

// fill makes the initial values all that there is.
func (k *kept) fill(initial map[string]value) error {
	batch := &pgx.Batch{}
	batch.Queue(`DELETE FROM kv`)
	for key, v := range initial {
		batch.Queue(`INSERT INTO kv VALUES ($1, $2)`, key, []int(v))
	}
	return k.conns[0].SendBatch(k.ctx, batch).Close()
}

func (k *kept) of(session int) *pgx.Conn { return k.conns[session%len(k.conns)] }

func (k *kept) get(session int, key string) (v value, err error) {
	err = k.of(session).QueryRow(k.ctx, `SELECT v FROM kv WHERE k = $1`, key).Scan(&v)
	if err == pgx.ErrNoRows {
		return nil, nil
	}
	return v, err
}

func (k *kept) put(session int, key string, v value) error {
	_, err := k.of(session).Exec(k.ctx, `INSERT INTO kv VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET v = excluded.v`, key, []int(v))
	return err
}
