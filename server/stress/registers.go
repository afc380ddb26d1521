package stress

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"github.com/txmc/txmc/server/database"
)

// registers read and write rows. Each write has a value of its own.
type registers struct {
	quiet
	plain
	label string
	reads float64
}

const registersTable = "txmc_stress_registers"

func (w *registers) name() string     { return w.label }
func (w *registers) tables() []string { return []string{registersTable} }

func (w *registers) setup(r *run) []string {
	return append([]string{"CREATE TABLE " + registersTable + " (k int PRIMARY KEY, v bigint NOT NULL)"},
		rows(r.Keys, "INSERT INTO "+registersTable, func(k int) string { return fmt.Sprintf("(%d, 0)", k) })...)
}

func (w *registers) transaction(ctx context.Context, c *client) error {
	for range c.Ops {
		if err := w.op(ctx, c, int(c.key()), c.rng.Float64() < w.reads); err != nil {
			return err
		}
	}
	return nil
}

// op reads or writes a row.
func (w *registers) op(ctx context.Context, c *client, key int, read bool) error {
	name := strconv.Itoa(key)
	if read {
		r, err := c.do(ctx, "SELECT v FROM %s WHERE k = %d", registersTable, key)
		if err != nil {
			return err
		}
		return c.sawRow(name, r)
	}
	v := c.unique()
	if _, err := c.do(ctx, "UPDATE %s SET v = %d WHERE k = %d", registersTable, v, key); err != nil {
		return err
	}
	c.wrote(name, v)
	return nil
}

// sawRow records a read of a row that is always there.
func (c *client) sawRow(key string, r database.Result) error {
	if len(r.Rows) != 1 {
		return wrongAnswer(fmt.Sprintf("%s, a row that is never deleted, was not found", key))
	}
	return c.saw(key, r.Text(0, 0))
}

func (w *registers) log() logReader { return logOf(w) }

func (w *registers) version(_ string, row map[string]sql.NullString) (key string, value int64, ok bool) {
	return keyed("", "k", row)
}

// keyed is the version of a row whose key is in a column and whose value is in v.
func keyed(prefix, column string, row map[string]sql.NullString) (key string, value int64, ok bool) {
	value, err := strconv.ParseInt(row["v"].String, 10, 64)
	return prefix + row[column].String, value, err == nil && value != 0
}

// skew reads both rows of a pair and writes one of them: write skew, where the level allows it.
type skew struct{ registers }

func (w *skew) name() string { return "skew" }

func (w *skew) transaction(ctx context.Context, c *client) error {
	pair := min(2*(int(c.key())/2), c.Keys-2)
	for i := range 2 {
		if err := w.op(ctx, c, pair+i, true); err != nil {
			return err
		}
	}
	return w.op(ctx, c, pair+c.rng.IntN(2), false)
}

// bank has accounts. Transfers read two accounts and write both: so the sum stays.
// Audits read as many accounts as a transaction has operations, in one statement. A row
// has a version besides its balance.
type bank struct {
	plain
	accounts int
}

const (
	bankTable = "txmc_stress_accounts"
	deposit   = 100 // in each account at first
)

func (w *bank) name() string     { return "bank" }
func (w *bank) tables() []string { return []string{bankTable} }

func (w *bank) setup(r *run) []string {
	w.accounts = r.Keys
	return append([]string{"CREATE TABLE " + bankTable + " (k int PRIMARY KEY, balance bigint NOT NULL, v bigint NOT NULL)"},
		rows(w.accounts, "INSERT INTO "+bankTable, func(k int) string { return fmt.Sprintf("(%d, %d, 0)", k, deposit) })...)
}

func (w *bank) transaction(ctx context.Context, c *client) error {
	if c.rng.IntN(5) == 0 {
		return w.audit(ctx, c)
	}
	from, to := int(c.key()), int(c.key())
	if from == to {
		to = (from + 1) % w.accounts
	}
	a, err := w.balance(ctx, c, from)
	if err != nil {
		return err
	}
	b, err := w.balance(ctx, c, to)
	if err != nil {
		return err
	}
	amount := 1 + c.rng.Int64N(10)
	if err := w.set(ctx, c, from, a-amount); err != nil {
		return err
	}
	return w.set(ctx, c, to, b+amount)
}

func (w *bank) balance(ctx context.Context, c *client, k int) (int64, error) {
	r, err := c.do(ctx, "SELECT v, balance FROM %s WHERE k = %d", bankTable, k)
	if err != nil {
		return 0, err
	}
	if err := c.sawRow(account(k), r); err != nil {
		return 0, err
	}
	return strconv.ParseInt(r.Text(0, 1), 10, 64)
}

func (w *bank) set(ctx context.Context, c *client, k int, balance int64) error {
	v := c.unique()
	if _, err := c.do(ctx, "UPDATE %s SET balance = %d, v = %d WHERE k = %d", bankTable, balance, v, k); err != nil {
		return err
	}
	c.wrote(account(k), v)
	return nil
}

func (w *bank) audit(ctx context.Context, c *client) error {
	from := int(c.key())
	r, err := c.do(ctx, "SELECT v, k FROM %s WHERE k BETWEEN %d AND %d ORDER BY k", bankTable, from, from+c.Ops-1)
	if err != nil {
		return err
	}
	for i := range r.Rows {
		if err := c.saw("account "+r.Text(i, 1), r.Text(i, 0)); err != nil {
			return err
		}
	}
	return nil
}

func account(k int) string { return "account " + strconv.Itoa(k) }

// look adds up the balances.
func (w *bank) look(ctx context.Context, c database.Conn) (string, error) {
	r, err := c.Do(ctx, "SELECT sum(balance) FROM "+bankTable)
	if err != nil {
		return "", err
	}
	if is, was := r.Text(0, 0), strconv.Itoa(w.accounts*deposit); is != was {
		return fmt.Sprintf("the sum of the balances is %s, it was %s", is, was), nil
	}
	return "", nil
}

func (w *bank) log() logReader { return logOf(w) }

func (w *bank) version(_ string, row map[string]sql.NullString) (key string, value int64, ok bool) {
	return keyed("account ", "k", row)
}
