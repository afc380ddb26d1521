package stress

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/server/database"
)

// The order of versions, from PostgreSQL's log by logical decoding: a replication slot of
// our own and its plugin test_decoding, which comes with the server and is read by SQL
// functions. Transactions come in the order of their commits, and changes in the order of
// the statements. Two versions of a row never are of transactions that overlap: the row is
// locked up to the commit. So a key's versions stand in the log in their order. The log
// tells only the key of a deleted row: a message that the client writes into the log tells
// the version.

// certificate reads the log.
type certificate struct{ slot string }

// messages is the prefix of messages in the log.
const messages = "txmc_stress"

// newCertificate makes the slot: the log is kept from here on.
func newCertificate(ctx context.Context, c database.Conn) (*certificate, error) {
	r, err := c.Do(ctx, "SELECT 'txmc_stress_' || oid FROM pg_database WHERE datname = current_database()")
	if err != nil {
		return nil, err
	}
	p := &certificate{r.Text(0, 0)}
	if err := p.drop(ctx, c); err != nil { // of a run that was killed
		return nil, err
	}
	if _, err = c.Do(ctx, fmt.Sprintf("SELECT pg_create_logical_replication_slot('%s', 'test_decoding')", p.slot)); err != nil {
		return nil, fmt.Errorf("--certificate: there is no replication slot for the server's log, which needs wal_level=logical and a user with REPLICATION: %w", err)
	}
	return p, nil
}

// drop removes the slot, if it is there.
func (p *certificate) drop(ctx context.Context, c database.Conn) error {
	_, err := c.Do(ctx, fmt.Sprintf("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '%s' AND NOT active", p.slot))
	return err
}

// atOnce is how many changes are read at a time.
const atOnce = 50000

// recover reads the log, and writes the orders of versions, and what else belongs to the
// certificate, to the history.
func (p *certificate) recover(ctx context.Context, r *run) error {
	c, err := r.d.Connect(ctx, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	log := r.work.(recoverable).log() // as Options.Check has seen
	for {
		changes, err := c.Do(ctx, fmt.Sprintf("SELECT data FROM pg_logical_slot_get_changes('%s', NULL, %d, 'include-xids', '0')", p.slot, atOnce))
		if err != nil {
			return fmt.Errorf("reading the server's log: %w", err)
		}
		if len(changes.Rows) == 0 {
			break
		}
		for i := range changes.Rows {
			if err := log.line(changes.Text(i, 0)); err != nil {
				return fmt.Errorf("the server's log: %w", err)
			}
		}
	}
	return log.facts(ctx, c, r.recorder.fact)
}

// A logReader makes facts of the server's log.
type logReader interface {
	// line reads a line of test_decoding.
	line(line string) error
	// facts are those of all lines, and what else belongs to the certificate.
	facts(ctx context.Context, c database.Conn, put func(history.Fact) error) error
}

// versionLog is the log of a workload of txmc's own, which says of each row what it is.
type versionLog struct {
	of      versioned
	orders  map[string][]history.Value
	deleted []history.Deletion
}

func logOf(w versioned) *versionLog { return &versionLog{of: w, orders: map[string][]history.Value{}} }

func (l *versionLog) line(line string) error {
	if v, at, ok := change(l.of, line); ok {
		l.orders[v.Key] = append(l.orders[v.Key], v.Value)
		if at > 0 {
			l.deleted = append(l.deleted, history.Deletion{Version: v, At: at})
		}
	}
	return nil
}

func (l *versionLog) facts(_ context.Context, _ database.Conn, put func(history.Fact) error) error {
	if err := putOrders(l.orders, l.deleted, put); err != nil {
		return err
	}
	return l.of.facts(put)
}

// putOrders writes the orders of versions, and which of them stand for deleted rows.
func putOrders(orders map[string][]history.Value, deleted []history.Deletion, put func(history.Fact) error) error {
	for _, key := range slices.Sorted(maps.Keys(orders)) {
		if err := put(history.Fact{Key: key, Versions: orders[key]}); err != nil {
			return err
		}
	}
	if deleted == nil {
		return nil
	}
	return put(history.Fact{Deleted: deleted})
}

// change understands a line of test_decoding. It is false when the line is of no version
// of a workload. For a deletion it returns the number of its transaction.
//
//	table public.txmc_stress_registers: UPDATE: k[integer]:5 v[bigint]:17
//	message: transactional: 1 prefix: txmc_stress, sz: 9 content:item 5=18@750
func change(w versioned, line string) (v history.Version, at int64, ok bool) {
	if v, at, ok := message(line); ok {
		return v, at, true
	}
	table, what, columns, ok := changed(line)
	if !ok || what != "INSERT" && what != "UPDATE" || !strings.HasPrefix(table, "txmc_stress_") {
		return v, 0, false
	}
	row, err := decoded(columns)
	if err != nil {
		return v, 0, false
	}
	v.Key, v.Value.Num, ok = w.version(table, row)
	return v, 0, ok
}

// message understands what a client has written into the log: a version that stands for a
// deleted row, and the number of the transaction.
func message(line string) (v history.Version, at int64, ok bool) {
	rest, found := strings.CutPrefix(line, "message: transactional: 1 prefix: "+messages+",")
	_, content, _ := strings.Cut(rest, " content:")
	end := strings.LastIndexByte(content, '=')
	if !found || end < 0 {
		return v, 0, false
	}
	text, number, _ := strings.Cut(content[end+1:], "@")
	value, err1 := strconv.ParseInt(text, 10, 64)
	at, err2 := strconv.ParseInt(number, 10, 64)
	return history.Version{Key: content[:end], Value: history.Value{Num: value}}, at, err1 == nil && err2 == nil
}

// changed takes a line about a row apart.
func changed(line string) (table, what, columns string, ok bool) {
	rest, found := strings.CutPrefix(line, "table ")
	table, rest, found2 := strings.Cut(rest, ": ")
	what, columns, found3 := strings.Cut(rest, ": ")
	if _, name, found := strings.Cut(table, "."); found {
		table = name
	}
	return table, what, columns, found && found2 && found3
}

// decoded reads columns: name[type]:value, where a text stands in quotes, and null is NULL. For
// an UPDATE whose old row is there too, it reads the new one.
func decoded(columns string) (map[string]sql.NullString, error) {
	columns = strings.TrimPrefix(columns, "old-key: ")
	row := map[string]sql.NullString{}
	for columns != "" {
		if rest, ok := strings.CutPrefix(columns, "new-tuple: "); ok {
			columns = rest
			clear(row)
		}
		name, rest, ok := strings.Cut(columns, "[")
		_, rest, ok2 := strings.Cut(rest, "]:")
		if !ok || !ok2 {
			return nil, fmt.Errorf("expected name[type]:value, got %.40q", columns)
		}
		null := rest == "null" || strings.HasPrefix(rest, "null ")
		value, rest := cutValue(strings.TrimPrefix(rest, "B")) // of bits
		row[name], columns = sql.NullString{String: value, Valid: !null}, strings.TrimPrefix(rest, " ")
	}
	return row, nil
}

// cutValue cuts off a value, without its quotes.
func cutValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, "'") {
		value, rest, _ = strings.Cut(s, " ")
		return value, rest
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] != '\'':
			b.WriteByte(s[i])
		case i+1 < len(s) && s[i+1] == '\'':
			b.WriteByte('\'')
			i++
		default:
			return b.String(), s[i+1:]
		}
	}
	return b.String(), ""
}
