package pg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/txmc/txmc/pg/engine"
)

// instances are those of a base: a snapshot, and pools of instances that start from
// it.
type instances struct {
	engine   *engine.Engine
	snapshot *engine.Snapshot

	mu    sync.Mutex
	pools map[int]*pool // by session, as each has numbers of its own
}

// pool is an engine's pool with the snapshot from which its instances start.
type pool struct {
	*engine.Pool
	snapshot *engine.Snapshot
}

// numbers sets sequences to where a session begins: 1000 numbers apart from the next
// session's, or a sixteenth of those that a short sequence has left.
const numbers = `
WITH last AS (
	SELECT seqrelid, seqincrement AS by, seqmin, seqmax,
		coalesce(pg_sequence_last_value(seqrelid), seqstart - seqincrement)::numeric AS at
	FROM pg_catalog.pg_sequence WHERE seqrelid >= 16384
), far AS (
	SELECT *, least(1000, div(CASE WHEN by > 0 THEN seqmax - at ELSE at - seqmin END, 16 * abs(by))) AS apart FROM last
)
SELECT setval(seqrelid, (at + %[1]d * apart * by)::bigint) FROM far
WHERE %[1]d > 0 AND apart >= 1 AND at + %[1]d * apart * by BETWEEN seqmin AND seqmax`

// pool returns the instances of a session: sequences begin at numbers of its own.
func (i *instances) pool(session int) (*engine.Pool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if p := i.pools[session]; p != nil {
		return p.Pool, nil
	}
	x, err := i.engine.InstanceFrom(i.snapshot)
	if err != nil {
		return nil, err
	}
	p, err := i.numbered(x, session)
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	i.pools[session] = p
	return p.Pool, p.Put(x)
}

// numbered is the pool of a session, to which the instance is to belong.
func (i *instances) numbered(x *engine.Instance, session int) (*pool, error) {
	if err := (script{name: "sequences", text: fmt.Sprintf(numbers, session)}).run(x); err != nil {
		return nil, err
	}
	s, err := x.Snapshot()
	if err != nil {
		return nil, err
	}
	return &pool{engine.NewPool(s), s}, nil
}

// close gives all of it back. No instance may be in use.
func (i *instances) close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	var err error
	for _, p := range i.pools {
		err = errors.Join(err, p.Close(), p.snapshot.Close())
	}
	if i.snapshot != nil {
		err = errors.Join(err, i.snapshot.Close())
	}
	i.pools, i.snapshot = nil, nil
	return errors.Join(err, shared.close())
}

// shared is the engine of the process, which is open while there are bases.
var shared sharedEngine

type sharedEngine struct {
	mu    sync.Mutex
	e     *engine.Engine
	users int
}

func (s *sharedEngine) open(progress io.Writer) (*engine.Engine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.e == nil {
		e, err := engine.Open(context.Background(), engine.Options{Progress: progress})
		if err != nil {
			return nil, err
		}
		s.e = e
	}
	s.users++
	return s.e, nil
}

// close closes the engine when nobody uses it.
func (s *sharedEngine) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 {
		return nil
	}
	e := s.e
	s.e = nil
	return e.Close()
}
