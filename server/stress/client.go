package stress

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/server/database"
	"github.com/txmc/txmc/server/scratch"
)

// client is a session: transactions one after another on a connection, which is opened again
// when it breaks.
type client struct {
	*run
	name    string
	rng     *rand.Rand
	key     func() int32
	conn    database.Conn
	second  database.Conn // for transactions on the same snapshot; nil until it is needed
	breaker *breaker
	txn     history.Txn
	atEnd   []func(history.Fate) // of the transaction
	commits int                  // that were sent
	at      stamped              // the transaction, where the server orders them
}

func newClient(r *run, session int) *client {
	rng := rand.New(rand.NewPCG(r.Seed, uint64(session)))
	return &client{run: r, name: strconv.Itoa(session), rng: rng, key: r.distribution.Chooser(r.Keys, rng)}
}

// main runs transactions until so many have committed, or the run stops.
func (c *client) main(ctx context.Context) error {
	defer c.disconnect()
	for done := 0; done < c.Txns && !c.stopping(); {
		if c.conn == nil {
			if err := c.connect(ctx); err != nil {
				return err
			}
			continue
		}
		fate, err := c.transaction(ctx)
		if err != nil {
			return err
		}
		if fate != history.Aborted {
			done++
		}
	}
	return nil
}

// patience is how long the server may be unreachable, and how long no transaction may
// commit.
const patience = time.Minute

// connect opens a connection. A server that was killed starts again.
func (c *client) connect(ctx context.Context) error {
	since := time.Now()
	for {
		c.breaker = &breaker{half: c.commits/cutEvery%2 == 0}
		conn, err := c.d.Connect(ctx, c.breaker.wrap)
		if err == nil {
			if err = c.prepare(ctx, conn); err == nil {
				c.conn = conn
				return nil
			}
			conn.Close()
		}
		switch {
		case c.stopping():
			return nil
		case time.Since(since) > patience:
			return fmt.Errorf("session %s cannot connect for %v: %w", c.name, patience, err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// prepare sets the level of a connection, and how long it waits for locks.
func (c *client) prepare(ctx context.Context, conn database.Conn) error {
	level, wait := "SET SESSION TRANSACTION ISOLATION LEVEL ", "SET SESSION innodb_lock_wait_timeout = 5"
	if c.d.Kind == scratch.Postgres {
		level, wait = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL ", "SET lock_timeout = '5s'"
	}
	if _, err := conn.Do(ctx, wait); err != nil {
		return err
	}
	if c.level == "" {
		return nil
	}
	_, err := conn.Do(ctx, level+c.level)
	return err
}

// shadow is the connection for transactions on the same snapshot.
func (c *client) shadow(ctx context.Context) (_ database.Conn, err error) {
	if c.second == nil {
		c.second, err = c.d.Connect(ctx, nil)
	}
	return c.second, err
}

// noShadow closes it, after an error.
func (c *client) noShadow() {
	c.second.Close()
	c.second = nil
}

func (c *client) disconnect() {
	for _, conn := range []*database.Conn{&c.conn, &c.second} {
		if *conn != nil {
			(*conn).Close()
			*conn = nil
		}
	}
}

// transaction runs and records a transaction. The error ends the run.
func (c *client) transaction(ctx context.Context) (history.Fate, error) {
	c.txn = history.Txn{Session: c.name, ID: strconv.FormatInt(c.ids.Add(1), 10), Ops: c.txn.Ops[:0]}
	c.txn.Real = history.Interval{Known: true, Called: c.elapsed(), Returned: history.Never}
	fate, err := c.attempt(ctx)
	if err != nil {
		return fate, err
	}
	if c.txn.Fate = fate; fate != history.Unknown {
		c.txn.Real.Returned = c.elapsed()
	}
	if o, ok := c.order.(*times); ok && fate == history.Aborted {
		o.aborted(&c.txn)
	}
	c.count(fate)
	for _, do := range c.atEnd {
		do(fate)
	}
	c.atEnd = c.atEnd[:0]
	if c.recorder == nil {
		return fate, nil
	}
	return fate, c.recorder.txn(&c.txn)
}

// elapsed is the time since the run began, in nanoseconds, for all clients by one clock.
func (c *client) elapsed() int64 { return time.Since(c.began).Nanoseconds() }

// attempt runs a transaction. A connection that breaks before COMMIT was sent aborts it; of
// one that breaks at COMMIT nobody knows.
func (c *client) attempt(ctx context.Context) (history.Fate, error) {
	_, err := c.conn.Do(ctx, "BEGIN")
	if err == nil {
		err = c.work.transaction(ctx, c)
	}
	if err != nil {
		return history.Aborted, c.failed(ctx, err)
	}
	if c.order != nil {
		if err := c.order.before(ctx, c); err != nil {
			return history.Aborted, c.failed(ctx, err)
		}
	}
	fate, err := c.commit(ctx)
	if err == nil && c.order != nil && fate != history.Aborted {
		err = c.order.after(ctx, c, fate)
	}
	return fate, err
}

// commit ends a transaction.
func (c *client) commit(ctx context.Context) (history.Fate, error) {
	if c.cuts() {
		c.breaker.arm()
	}
	_, err := c.conn.Do(ctx, "COMMIT")
	if err == nil {
		return history.Committed, nil
	}
	var answer *database.Error
	if errors.As(err, &answer) && refused(answer.Code) {
		return history.Aborted, c.failed(ctx, err)
	}
	c.disconnect()
	return history.Unknown, nil
}

// failed rolls back after an error. What the server says of its transactions and of its own
// end is part of the test; what it says of the statements is an error of the workload.
func (c *client) failed(ctx context.Context, err error) error {
	var wrong wrongAnswer
	if errors.As(err, &wrong) {
		return wrong
	}
	var answer *database.Error
	if !errors.As(err, &answer) {
		c.disconnect()
		return nil
	}
	c.abortedBy(answer)
	if wrongStatement(answer.Code) {
		return fmt.Errorf("%s refuses a statement of the workload: %w", c.d.Version, answer)
	}
	if _, err := c.conn.Do(ctx, "ROLLBACK"); err != nil {
		c.disconnect()
	}
	return nil
}

// wrongAnswer is something that a database cannot have stored.
type wrongAnswer string

func (w wrongAnswer) Error() string { return string(w) }

// refused reports whether an error of COMMIT means that the transaction has no effect.
// These are class 40, transaction rollback; class 23, constraints that are deferred;
// and MySQL's errors on deadlocks, lock waits and snapshots.
func refused(code string) bool {
	if len(code) == 5 {
		return strings.HasPrefix(code, "40") || strings.HasPrefix(code, "23")
	}
	return code == "1213" || code == "1205" || code == "1020"
}

// wrongStatement reports whether an error is of the statement as such: class 42 of SQLSTATE,
// syntax errors and access rules, class 22, data exceptions, and MySQL's like them.
func wrongStatement(code string) bool {
	switch code {
	case "1044", "1045", "1049", "1054", "1064", "1142", "1146":
		return true
	}
	return len(code) == 5 && (strings.HasPrefix(code, "42") || strings.HasPrefix(code, "22") || strings.HasPrefix(code, "0A"))
}

// do runs a statement of the transaction.
func (c *client) do(ctx context.Context, format string, args ...any) (database.Result, error) {
	return c.conn.Do(ctx, fmt.Sprintf(format, args...))
}

// op records an operation.
func (c *client) op(kind history.Kind, key string, v history.Value) {
	c.txn.Ops = append(c.txn.Ops, history.Op{Kind: kind, Key: key, Value: v})
}

// saw records a read; 0 and NULL are the initial value.
func (c *client) saw(key, value string) error {
	v := history.Value{Kind: history.Initial}
	if value != "" && value != "0" {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return wrongAnswer(fmt.Sprintf("the value of %s is %q, which is no number", key, value))
		}
		v = history.Value{Num: n}
	}
	c.op(history.Read, key, v)
	return nil
}

// wrote records a write.
func (c *client) wrote(key string, value int64) { c.op(history.Write, key, history.Value{Num: value}) }

// unique is a value that nobody else writes.
func (c *client) unique() int64 { return c.values.Add(1) }

// cutEvery is how many COMMITs of a session a connection lasts, where connections break.
const cutEvery = 50

// cuts reports whether the connection is to break at this COMMIT.
func (c *client) cuts() bool {
	c.commits++
	return c.breaks && c.commits%cutEvery == 0
}
