package pg

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/rows"
)

// instances are those of a base: a snapshot, and for each session a stock of
// instances that start from it.
type instances struct {
	engine   *engine.Engine
	snapshot *engine.Snapshot
	shared   bool // sequences belong to all sessions
	version  int  // as which the server answers

	mu         sync.Mutex
	stocks     map[int]*stock // by session, as each has numbers of its own
	statements []string       // that sessions have run
	seen       map[string]bool
}

func newInstances(e *engine.Engine) *instances {
	return &instances{engine: e, stocks: map[int]*stock{}, seen: map[string]bool{}}
}

// note remembers a statement that sessions run.
func (i *instances) note(sql string) {
	const most, longest = 1000, 10_000
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.seen[sql] && len(i.statements) < most && len(sql) <= longest && !rows.Control(sql) {
		i.seen[sql] = true
		i.statements = append(i.statements, sql)
	}
}

// close gives all of it back, unless an instance is in use: client code that is stuck
// may run in it.
func (i *instances) close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	var err error
	for _, k := range i.stocks {
		if k.inUse > 0 {
			return nil
		}
	}
	for _, k := range i.stocks {
		err = errors.Join(err, k.close())
	}
	if i.snapshot != nil {
		err = errors.Join(err, i.snapshot.Close())
	}
	i.stocks, i.snapshot = nil, nil
	shared.close()
	return err
}

// shared is the engine of the process, which is open while there are bases, and for the next ones
// a while longer: to open it takes some tenths of a second.
var shared sharedEngine

// linger is how long the engine is open when nobody uses it.
const linger = 10 * time.Second

type sharedEngine struct {
	mu    sync.Mutex
	e     *engine.Engine
	users int
	idle  *time.Timer // closes it
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
	if s.idle != nil {
		s.idle.Stop()
	}
	return s.e, nil
}

// close closes the engine when nobody has used it for a while.
func (s *sharedEngine) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 {
		s.idle = time.AfterFunc(linger, s.closeUnused)
	}
}

func (s *sharedEngine) closeUnused() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 && s.e != nil {
		_ = s.e.Close() // of what is held there is nobody to tell
		s.e = nil
	}
}
