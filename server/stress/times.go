package stress

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/server/database"
)

// The timestamps of TiDB's transactions. Its variable tidb_last_txn_info tells the timestamps of
// the connection's last transaction, as JSON (PingCAP, "System Variables", since TiDB 4.0.9).
// start_ts is the time of the state that it has read. commit_ts is 0 when it has written nothing.
// Both are those of snapshot isolation: a transaction sees what others have committed up to its
// start.

// times records them.
type times struct {
	latest  atomic.Int64 // for transactions that have none, as they have aborted
	unknown atomic.Int64
}

func (*times) before(context.Context, *client) error { return nil }

// after asks for the timestamps of a transaction that has committed. Nobody tells those of one
// whose connection has broken.
func (o *times) after(ctx context.Context, c *client, fate history.Fate) error {
	if fate != history.Committed {
		o.unknown.Add(1)
		return nil
	}
	r, err := c.conn.Do(ctx, "SELECT @@tidb_last_txn_info")
	var answer *database.Error
	if errors.As(err, &answer) {
		return fmt.Errorf("%s tells no timestamps: %w", c.d.Version, answer)
	}
	if err != nil {
		c.disconnect()
		o.unknown.Add(1)
		return nil
	}
	var info struct {
		Start  int64 `json:"start_ts"`
		Commit int64 `json:"commit_ts"`
	}
	text := r.Text(0, 0)
	switch err := json.Unmarshal([]byte(text), &info); {
	case err != nil || info.Start <= 0:
		return wrongAnswer(fmt.Sprintf("the timestamps of a transaction are %q", text))
	case info.Commit == 0 && writes(&c.txn):
		return wrongAnswer(fmt.Sprintf("%s tells no time of the commit of a transaction that has written: %s", c.d.Version, text))
	case info.Commit == 0:
		info.Commit = info.Start
	}
	c.txn.Timed, c.txn.Start, c.txn.Commit = true, info.Start, info.Commit
	o.latest.Store(info.Commit)
	return nil
}

// aborted gives timestamps to a transaction that had no effect, as all of a history have some.
func (o *times) aborted(t *history.Txn) {
	at := o.latest.Load()
	t.Timed, t.Start, t.Commit = true, at, at
}

func (o *times) facts(context.Context, *run) error {
	if n := o.unknown.Load(); n > 0 {
		return fmt.Errorf("--serial: connections broke at COMMIT, and nobody tells the timestamps of their %d transactions any more: run again, or without --serial", n)
	}
	return nil
}
