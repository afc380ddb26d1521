package pg

import (
	"errors"
	"fmt"
	"sync"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/rows"
)

// stock are the instances of a session. Those that come back are used again. Now and
// then the sessions have run statements that were not known before. Then the stock
// begins anew with instances that have planned these: they answer faster.
type stock struct {
	cold    *engine.Snapshot // sequences begin at numbers of the session's own
	warm    *engine.Snapshot // cold, after planning; nil at first
	pool    *engine.Pool     // of warm, or of cold at first
	planned int              // statements
	lent    int              // instances, in all
	warmAt  int              // when to look for new statements, counted in lent
	inUse   int              // instances that have not come back
}

// newStock makes the stock of a session.
func (i *instances) newStock(session int) (*stock, error) {
	x, err := i.engine.InstanceFrom(i.snapshot)
	if err != nil {
		return nil, err
	}
	seed := seedOf(0, fmt.Sprint(session))
	if i.shared {
		session = 0
	}
	s, err := numbered(x, session, seed)
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	const first = 8
	k := &stock{cold: s, pool: engine.NewPool(s), warmAt: first}
	return k, k.pool.Put(x)
}

// sequenceNumbers sets sequences to the place where a session begins. This is [rows.Stride]
// numbers apart from the next session's place. A short sequence has a sixteenth of its remaining
// numbers between the two.
const sequenceNumbers = `
WITH last AS (
	SELECT seqrelid, seqincrement AS by, seqmin, seqmax,
		coalesce(pg_sequence_last_value(seqrelid), seqstart - seqincrement)::numeric AS at
	FROM pg_catalog.pg_sequence WHERE seqrelid >= 16384
), far AS (
	SELECT *, least(%[2]d, div(CASE WHEN by > 0 THEN seqmax - at ELSE at - seqmin END, 16 * abs(by))) AS apart FROM last
)
SELECT setval(seqrelid, (at + %[1]d * apart * by)::bigint) FROM far
WHERE %[1]d > 0 AND apart >= 1 AND at + %[1]d * apart * by BETWEEN seqmin AND seqmax`

// numbered keeps an instance whose sequences begin at numbers of the session's own, and
// for session 0 where they are. random() begins anew: the schema may have used it.
func numbered(x *engine.Instance, session int, seed uint64) (*engine.Snapshot, error) {
	text := fmt.Sprintf(sequenceNumbers, session, rows.Stride) + ";\n" + setSeed(seed)
	if err := (script{Script: rows.Script{Name: "sequences", Text: text}}).run(onInstance(x, 0)); err != nil {
		return nil, err
	}
	return x.Snapshot()
}

// warmUp begins a stock anew when there are statements that it has not planned and
// no instance is in use.
func (k *stock) warmUp(statements []string) error {
	const factor = 4
	k.warmAt *= factor
	if len(statements) == k.planned || k.inUse > 0 {
		return nil
	}
	s, x, err := k.cold.Warmed(statements)
	if err != nil {
		return err
	}
	err = k.pool.Close()
	if k.warm != nil {
		err = errors.Join(err, k.warm.Close())
	}
	k.warm, k.pool, k.planned = s, engine.NewPool(s), len(statements)
	return errors.Join(err, k.pool.Put(x))
}

func (k *stock) close() error {
	err := errors.Join(k.pool.Close(), k.cold.Close())
	if k.warm != nil {
		err = errors.Join(err, k.warm.Close())
	}
	return err
}

// loan is an instance in use, and where it goes back to.
type loan struct {
	*engine.Instance
	owner *instances
	from  *stock

	mu     sync.Mutex
	inside int  // goroutines that let the instance do something
	over   bool // the run has ended
}

// errOver says that a goroutine outlives the run of its session.
var errOver = errors.New("the session has ended")

// enter begins a use of the instance, unless the run has ended. Leave ends it.
func (l *loan) enter() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return errOver
	}
	l.inside++
	return nil
}

func (l *loan) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inside--; l.inside == 0 && l.over {
		l.giveBack()
	}
}

// end ends the use of the instance: it goes back as soon as no goroutine is in it any more.
func (l *loan) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over = true; l.inside == 0 {
		l.giveBack()
		return
	}
	l.CancelAll()
}

// lend lends an instance for a connection of a session, by its number. Each numbers its transactions
// apart, and has other random numbers.
func (i *instances) lend(session, connection int) (*loan, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	k := i.stocks[session]
	if k == nil {
		var err error
		if k, err = i.newStock(session); err != nil {
			return nil, err
		}
		i.stocks[session] = k
	}
	if k.lent >= k.warmAt {
		if err := k.warmUp(i.statements); err != nil {
			return nil, err
		}
	}
	x, err := k.pool.Get()
	if err != nil {
		return nil, err
	}
	k.lent++
	k.inUse++
	const apart = 1000 // connections of sessions
	x.Number(uint32(session+connection*apart) + 1)
	x.Version(i.version)
	owner := fmt.Sprint(session)
	if connection > 0 {
		owner = fmt.Sprintf("%d.%d", session, connection)
	}
	x.Seed(seedOf(0, owner))
	return &loan{Instance: x, owner: i, from: k}, nil
}

// giveBack takes the instance back. One that cannot be reset is closed.
func (l *loan) giveBack() {
	l.owner.mu.Lock()
	defer l.owner.mu.Unlock()
	_ = l.from.pool.Put(l.Instance) // the next one is made anew
	l.from.inUse--
}

// Exchange is the instance's. It remembers the statements.
func (l *loan) Exchange(messages []byte) ([]byte, error) {
	if sql, ok := wire.Text(messages); ok {
		l.owner.note(sql)
	}
	return l.Instance.Exchange(messages)
}
