package pg

import (
	"errors"
	"fmt"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/wire"
)

// stock are the instances of a session. Those that come back are used again. Now
// and then, when the sessions have run statements that were not known before, it
// begins anew with instances that have planned these: they answer faster.
type stock struct {
	cold    *engine.Snapshot // sequences begin at numbers of the session's own
	warm    *engine.Snapshot // cold, after planning
	pool    *engine.Pool     // of warm, or of cold at first
	planned int              // statements
	lent    int              // instances, in all
	warmAt  int              // the next time to look for new statements, counted in lent
	inUse   int              // instances that have not come back
}

// stride is how far apart the numbers are that sequences give to two sessions.
const stride = 1000

// newStock makes the stock of a session from the snapshot of the schema and the seed.
func (b *base) newStock(session int) (*stock, error) {
	x, err := b.engine.InstanceFrom(b.snapshot)
	if err != nil {
		return nil, err
	}
	numbers := script{"sequences", fmt.Sprintf(
		`SELECT setval(seqrelid, coalesce(pg_sequence_last_value(seqrelid), seqstart - seqincrement) + %d * seqincrement)
		 FROM pg_catalog.pg_sequence WHERE seqrelid >= 16384 AND %[1]d > 0`, session*stride)}
	if err := run(x, numbers); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	s, err := x.Snapshot()
	if err != nil {
		return nil, errors.Join(err, x.Close())
	}
	const first = 8
	k := &stock{cold: s, pool: engine.NewPool(s), warmAt: first}
	return k, k.pool.Put(x)
}

// loan is an instance in use, and the stock and pool that it goes back to.
type loan struct {
	*engine.Instance
	base *base
	from *stock
	pool *engine.Pool
}

// lend lends an instance of a session.
func (b *base) lend(session int) (*loan, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.stocks[session]
	if k == nil {
		var err error
		if k, err = b.newStock(session); err != nil {
			return nil, err
		}
		b.stocks[session] = k
	}
	if k.lent == k.warmAt {
		if err := b.warm(k); err != nil {
			return nil, err
		}
	}
	x, err := k.pool.Get()
	if err != nil {
		return nil, err
	}
	k.lent++
	k.inUse++
	return &loan{x, b, k, k.pool}, nil
}

// warm begins a stock anew when there are statements that it has not planned. The
// snapshot before is freed where no instance is in use.
func (b *base) warm(k *stock) error {
	const factor = 4
	k.warmAt *= factor
	if len(b.statements) == k.planned || k.inUse > 0 {
		return nil
	}
	s, x, err := k.cold.Warmed(b.statements)
	if err != nil {
		return err
	}
	err = k.pool.Close()
	if k.warm != nil {
		err = errors.Join(err, k.warm.Close())
	}
	k.warm, k.pool, k.planned = s, engine.NewPool(s), len(b.statements)
	return errors.Join(err, k.pool.Put(x))
}

// end takes the instance back. One that cannot be reset is closed.
func (l *loan) end() {
	err := l.pool.Put(l.Instance)
	_ = err // the next one is made anew
	l.base.mu.Lock()
	defer l.base.mu.Unlock()
	l.from.inUse--
}

// Exchange is the instance's, and remembers the statements.
func (l *loan) Exchange(messages []byte) ([]byte, error) {
	if sql, ok := wire.Text(messages); ok {
		l.base.note(sql)
	}
	return l.Instance.Exchange(messages)
}

// note remembers a statement that sessions run.
func (b *base) note(sql string) {
	const most, longest = 1000, 10_000
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.seen[sql] && len(b.statements) < most && len(sql) <= longest && !control(sql) {
		b.seen[sql] = true
		b.statements = append(b.statements, sql)
	}
}
