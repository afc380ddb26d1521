package stress

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/server/database"
	"github.com/txmc/txmc/server/scratch"
)

// Result is what a run came to, besides its history.
type Result struct {
	Version  string // of the server
	Level    string // "" for the server's default
	Workload string
	Sessions int
	Fates
	Codes    map[string]int64 // how often the server refused, by its code
	Faults   map[string]int   // what went wrong on purpose, and 0 for what was asked for and did not
	Took     time.Duration    // of the clients
	Recovery time.Duration    // to get the certificate, after the clients have ended
	Note     string           // what the workload found out by itself
	Stopped  bool             // before all transactions had run
}

// Fates counts transactions by how they ended.
type Fates struct{ Committed, Aborted, Unknown int64 }

// String is a line.
func (r *Result) String() string {
	level := "its default level"
	if r.Level != "" {
		level = r.Level
	}
	s := fmt.Sprintf("%s at %s, %s: %d sessions, %d transactions committed, %d aborted%s, %d unknown, in %.1fs (%.0f/s)",
		r.Version, level, r.Workload, r.Sessions, r.Committed, r.Aborted, codes(r.Codes), r.Unknown, r.Took.Seconds(), float64(r.Committed)/r.Took.Seconds())
	if r.Recovery > 0 {
		s += fmt.Sprintf("; the certificate took %.1fs more", r.Recovery.Seconds())
	}
	for _, f := range slices.Sorted(maps.Keys(r.Faults)) {
		s += fmt.Sprintf("; %s: %d times", f, r.Faults[f])
		if r.Faults[f] == 0 {
			s += ", because the run ended before"
		}
	}
	if r.Note != "" {
		s += "; " + r.Note
	}
	return s
}

func codes(by map[string]int64) string {
	var list []string
	for _, code := range slices.Sorted(maps.Keys(by)) {
		list = append(list, fmt.Sprintf("%s: %d", code, by[code]))
	}
	if list == nil {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// run is a run of a workload.
type run struct {
	*Options
	d        *database.Database
	recorder *recorder // nil when nothing is recorded
	cert     *certificate
	order    ordering     // nil when the server is not asked for one
	first    *history.Txn // of setup, where that has a transaction
	breaks   bool         // connections do, at a COMMIT
	began    time.Time

	ids, values atomic.Int64
	stopped     atomic.Bool
	tally
}

// tally counts what the clients have met.
type tally struct {
	fates [history.Unknown + 1]atomic.Int64
	mu    sync.Mutex
	codes map[string]int64
	last  error // the last refusal
}

// Run runs the workload and records the history in a file, in the own format; with "" nothing is
// recorded. The tables and all else that it made on the server are gone at the end. When
// ctx ends, clients stop after their transactions, and what was recorded is complete.
func Run(ctx context.Context, o *Options, file string) (_ *Result, err error) {
	d, err := database.Open(ctx, o.DSN, o.YesScratch)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	if err := o.supported(d); err != nil {
		return nil, err
	}
	r := &run{began: time.Now(), Options: o, d: d, breaks: slices.Contains(o.Faults, faultCut), tally: tally{codes: map[string]int64{}}}
	if o.Serial {
		r.order = newOrdering(d, o.work)
	}
	place, err := r.prepare(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, place.clear(err)) }()
	if file != "" {
		if r.recorder, err = newRecorder(file); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, r.recorder.close()) }()
		if r.first != nil {
			if err := r.recorder.txn(r.first); err != nil {
				return nil, err
			}
		}
	}
	return r.main(ctx)
}

// main runs the clients, and asks for the certificate.
func (r *run) main(ctx context.Context) (*Result, error) {
	begin := time.Now()
	faults, err := r.clients(ctx)
	out := &Result{Version: r.d.Version, Level: r.level, Workload: r.work.name(), Sessions: r.Sessions, Took: time.Since(begin),
		Fates: Fates{r.fates[history.Committed].Load(), r.fates[history.Aborted].Load(), r.fates[history.Unknown].Load()},
		Codes: r.codes, Faults: faults, Stopped: ctx.Err() != nil}
	if r.breaks {
		out.Faults[faultCut] = int(out.Unknown)
	}
	if err != nil {
		return out, err
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), recoveryTime)
	defer cancel()
	if out.Note, err = r.look(end); err != nil || r.recorder == nil {
		return out, err
	}
	if r.order != nil {
		return out, r.order.facts(end, r)
	}
	if r.cert == nil {
		return out, nil
	}
	begin = time.Now()
	err = r.cert.recover(end, r)
	out.Recovery = time.Since(begin)
	return out, err
}

// recoveryTime is how long it may take to get the certificate.
const recoveryTime = 10 * time.Minute

// grace is how long clients may take to end their transactions.
const grace = 5 * time.Second

// clients runs the sessions until all have ended. It returns how often what went wrong.
func (r *run) clients(ctx context.Context) (faults map[string]int, err error) {
	hard, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	soft := ctx
	if r.Time > 0 {
		var end context.CancelFunc
		soft, end = context.WithTimeout(ctx, r.Time)
		defer end()
	}
	ended := make(chan error, r.Sessions)
	for s := range r.Sessions {
		go func() { ended <- newClient(r, s).main(hard) }()
	}
	trouble := newTrouble(r)
	trouble.start(hard)
	watch := time.NewTicker(patience)
	defer watch.Stop()
	committed, last := r.fates[history.Committed].Load(), (<-chan time.Time)(nil)
	for left := r.Sessions; left > 0; {
		select {
		case e := <-ended:
			left--
			if e != nil {
				err = errors.Join(err, e)
				r.stopped.Store(true)
			}
		case <-soft.Done():
			soft = context.Background()
			r.stopped.Store(true)
			last = time.After(grace)
		case <-last:
			cancel()
		case <-watch.C:
			now := r.fates[history.Committed].Load()
			if now == committed {
				err = errors.Join(err, r.stuck())
				r.stopped.Store(true)
				last = time.After(grace)
			}
			committed = now
		}
	}
	faults, e := trouble.end()
	return faults, errors.Join(err, e)
}

// stuck says that nothing commits any more.
func (r *run) stuck() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		return fmt.Errorf("no transaction has committed for %v: the server does not answer", patience)
	}
	return fmt.Errorf("no transaction has committed for %v; the server last said: %w", patience, r.last)
}

func (r *run) stopping() bool { return r.stopped.Load() }

func (r *run) count(f history.Fate) { r.fates[f].Add(1) }

// abortedBy notes why the server has refused.
func (r *run) abortedBy(e *database.Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.codes[e.Code]++
	r.last = e
}

// look lets the workload look at the tables after all sessions.
func (r *run) look(ctx context.Context) (string, error) {
	c, err := r.d.Connect(ctx, nil)
	if err != nil {
		return "", err
	}
	defer c.Close()
	return r.work.look(ctx, c)
}

// reserved is the part of the server that a run uses: its tables, and a lock that keeps
// other runs out of the database.
type reserved struct {
	r    *run
	lock database.Conn
}

// prepare makes the tables.
func (r *run) prepare(ctx context.Context) (*reserved, error) {
	c, err := r.d.Connect(ctx, nil)
	if err != nil {
		return nil, err
	}
	p := &reserved{r, c}
	if err := p.make(ctx); err != nil {
		return nil, errors.Join(err, p.clear(nil))
	}
	return p, nil
}

// lockName is the name of the lock, and of the slot for the log.
const lockName = "txmc_stress"

// lockNumber is the lock where locks are numbers.
const lockNumber = 0x74786d63

func (p *reserved) make(ctx context.Context) error {
	ask := "SELECT GET_LOCK('" + lockName + "', 0)"
	if p.r.d.Kind == scratch.Postgres {
		ask = fmt.Sprintf("SELECT pg_try_advisory_lock(%d)::int", lockNumber)
	}
	got, err := p.lock.Do(ctx, ask)
	if err != nil {
		return err
	}
	if got.Text(0, 0) != "1" {
		p.lock.Close()
		p.lock = nil
		return fmt.Errorf("another run of txmc stress uses the database %s", p.r.d.Name)
	}
	for _, table := range p.r.work.tables() {
		if _, err := p.lock.Do(ctx, "DROP TABLE IF EXISTS "+table); err != nil {
			return err
		}
	}
	for _, sql := range p.r.work.setup(p.r) {
		if _, err := p.lock.Do(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	if w, ok := p.r.work.(interface {
		afterSetup(context.Context, *run, database.Conn) error
	}); ok {
		if err := w.afterSetup(ctx, p.r, p.lock); err != nil {
			return err
		}
	}
	if o, ok := p.r.order.(*commits); ok {
		return o.prepare(ctx, p.r.d, p.lock)
	}
	if !p.r.Certificate {
		return nil
	}
	p.r.cert, err = newCertificate(ctx, p.lock)
	return err
}

// clear removes what the run has made, unless the server has gone with an error.
func (p *reserved) clear(failed error) error {
	if p.lock == nil {
		return nil
	}
	defer p.lock.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := p.r.d.Connect(ctx, nil)
	if err != nil {
		if failed != nil {
			return nil
		}
		return fmt.Errorf("the tables could not be removed: %w", err)
	}
	defer c.Close()
	if p.r.cert != nil {
		err = p.r.cert.drop(ctx, c)
	}
	if o, ok := p.r.order.(*commits); ok {
		_, e := c.Do(ctx, "DROP TABLE IF EXISTS "+endTable)
		err = errors.Join(err, e, o.clear(ctx, c))
	}
	for _, table := range p.r.work.tables() {
		_, e := c.Do(ctx, "DROP TABLE IF EXISTS "+table)
		err = errors.Join(err, e)
	}
	unlock := "SELECT RELEASE_LOCK('" + lockName + "')"
	if p.r.d.Kind == scratch.Postgres {
		unlock = "SELECT pg_advisory_unlock_all()"
	}
	p.lock.Do(ctx, unlock) // or it has broken, and the lock is gone
	return err
}
