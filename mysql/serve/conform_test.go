package serve_test

import (
	"context"
	"database/sql"
	"flag"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/semantics"
	"github.com/txmc/txmc/server/mock"
)

var (
	runs = flag.Int("runs", 25, "random runs at each level")
	seed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the random runs")
)

// Every history that is served to random clients on MySQL's protocol is within the level, by
// definition: the reference decides it.
func TestWithinLevel(t *testing.T) {
	for _, level := range isolation.Levels() {
		t.Run(level.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(*seed, uint64(level)))
			weaker, n := 0, 0
			for range deadlinetest.Until(t, *runs, func() bool { return level != isolation.RC || weaker > 0 }) {
				n++
				h := served(t, level, r)
				if !h.Satisfies(level) {
					t.Fatalf("not within %s: %v (-seed=%d)", level, h, *seed)
				}
				if !h.Satisfies(isolation.SER) {
					weaker++
				}
			}
			t.Logf("%d of %d histories are not serializable", weaker, n)
		})
	}
}

// served is what is served to two to four clients.
func served(t *testing.T, level isolation.Level, r *rand.Rand) *reference.History {
	t.Helper()
	s, address := start(t, mock.Options{Level: level, Seed: r.Uint64()})
	var mu sync.Mutex
	var all []*mock.Transaction
	s.KV().Record(func(x *mock.Transaction) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, x)
	})
	db := open(t, "root@tcp("+address+")/app")
	defer db.Close()
	var wg sync.WaitGroup
	for range 2 + r.IntN(3) {
		mine := rand.New(rand.NewPCG(r.Uint64(), 1))
		wg.Go(func() {
			c, err := db.Conn(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			for range 1 + mine.IntN(2) {
				if n := number(work(c, mine)); n != 0 && n != 1213 && n != 1062 {
					t.Errorf("error %d", n)
				}
			}
		})
	}
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	return historyOf(t, all)
}

// work is a random transaction.
func work(c *sql.Conn, r *rand.Rand) error {
	tx, err := c.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for range 1 + r.IntN(3) {
		id := 1 + r.IntN(2)
		var n int
		switch r.IntN(5) {
		case 0, 1:
			err = tx.QueryRow("SELECT balance FROM account WHERE id = ?", id).Scan(&n)
		case 2:
			err = tx.QueryRow("SELECT balance FROM account WHERE id = ? FOR UPDATE", id).Scan(&n)
		default:
			_, err = tx.Exec("UPDATE account SET balance = balance + ? WHERE id = ?", 1+r.IntN(1000), id)
		}
		if err != nil && err != sql.ErrNoRows {
			return err
		}
	}
	return tx.Commit()
}

// historyOf is the history in the words of the reference.
func historyOf(t *testing.T, all []*mock.Transaction) *reference.History {
	t.Helper()
	slices.SortFunc(all, func(a, b *mock.Transaction) int { return int(a.Number - b.Number) })
	h := &reference.History{Final: -1}
	sessions, vars := map[string]int{}, map[string]int{}
	writer, ids := map[int64]reference.ID{}, make([]reference.ID, len(all))
	for i, x := range all {
		at, ok := sessions[x.Session]
		if !ok {
			at = len(h.Sessions)
			sessions[x.Session] = at
			h.Sessions = append(h.Sessions, nil)
		}
		ids[i] = reference.ID{Session: at, Index: len(h.Sessions[at])}
		h.Sessions[at] = append(h.Sessions[at], reference.Log{Status: semantics.Aborted})
		for _, e := range x.Events {
			if e.Write {
				writer[e.Version] = ids[i]
			}
		}
	}
	for i, x := range all {
		l := &h.Sessions[ids[i].Session][ids[i].Index]
		if x.Committed {
			l.Status = semantics.Committed
		}
		for _, e := range x.Events {
			v, ok := vars[e.Key]
			if !ok {
				v = len(vars)
				vars[e.Key] = v
			}
			st := reference.Step{Write: e.Write, Var: v, Own: e.Own, Lock: e.Lock, From: reference.Init}
			if !e.Write && !e.Own && e.Version > 0 {
				from, ok := writer[e.Version]
				if !ok {
					t.Fatalf("a read of version %d, which nobody has written", e.Version)
				}
				st.From = from
			}
			l.Steps = append(l.Steps, st)
		}
	}
	return h
}
