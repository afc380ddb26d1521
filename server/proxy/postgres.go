package proxy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/access"
)

// Schema is the schema of the proxy's own, in which it keeps copies of tables.
const Schema = "txmc_scratch"

// deadlockTimeout is the time after which a wait is looked at for a deadlock, in
// milliseconds, where it can be set.
const deadlockTimeout = 1

// Postgres is a database on a server of PostgreSQL.
type Postgres struct {
	config  *pgconn.Config
	monitor *pgconn.PgConn // looks who waits, and puts rows back
	version string
	quick   bool          // deadlocks are found at once
	check   time.Duration // longer than a wait lasts before it is looked at for a deadlock
	kept    kept
	roles   roles
	safety  safety
}

var postgres = Dialect{
	Naming:   Naming{Of: isolation.PostgreSQL, Title: "PostgreSQL", Name: "postgres", Package: "pg", Code: "SQLSTATE"},
	Levels:   map[isolation.Level]isolation.Level{isolation.RC: isolation.PgRC, isolation.SI: isolation.PgRR, isolation.SER: isolation.PgSer},
	NoLevel:  "explore with --db=postgres, or at rc, si or ser, for which it has READ COMMITTED, REPEATABLE READ and SERIALIZABLE",
	Language: Language{Words: wire.Words, Kind: kindOf, Writes: writes, Locking: locking, Weaker: weaker, Known: known},
	Troubles: troubles,
}

// Connect connects to a database of PostgreSQL's.
func Connect(ctx context.Context, dsn string) (*Postgres, error) {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	s := &Postgres{config: config}
	own := config.Copy()
	own.RuntimeParams["application_name"] = Application
	if s.monitor, err = pgconn.ConnectConfig(ctx, own); err != nil {
		return nil, fmt.Errorf("cannot connect to the server: %w", err)
	}
	if err := s.learn(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// learn asks the server what it is, and what it lets its user do.
func (s *Postgres) learn(ctx context.Context) error {
	rows, err := s.query(ctx, "SELECT current_setting('server_version'), extract(epoch FROM current_setting('deadlock_timeout')::interval) * 1000")
	if err != nil {
		return err
	}
	s.version = "PostgreSQL " + strings.Fields(rows[0][0])[0]
	var ms float64
	if _, err := fmt.Sscan(rows[0][1], &ms); err != nil {
		return err
	}
	s.quick = s.run(ctx, fmt.Sprintf("SET %s = %d", deadlockSetting, deadlockTimeout)) == nil
	if s.quick {
		ms = deadlockTimeout
	}
	s.check = time.Duration(4 * ms * float64(time.Millisecond))
	return nil
}

// Dialect is that of PostgreSQL.
func (s *Postgres) Dialect() *Dialect { return &postgres }

// Version is the server's, as PostgreSQL 15.18.
func (s *Postgres) Version() string { return s.version }

// Deadlocks returns how long a wait lasts at most before it is looked at for a deadlock.
func (s *Postgres) Deadlocks() (time.Duration, bool) { return s.check, s.quick }

// Alive reports whether the server can be asked.
func (s *Postgres) Alive() bool { return !s.monitor.IsClosed() }

// Close ends the proxy's own connection. What a program has made outside of the database goes before.
func (s *Postgres) Close() error {
	ended, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	var err error
	if len(s.roles.made) > 0 && s.Alive() {
		err = s.dropRoles(ended)
	}
	return errors.Join(err, s.monitor.Close(ended))
}

// Clean discards what a session has set.
func (s *Postgres) Clean(l Link) bool { return l.Run("DISCARD ALL") == nil && l.Status() == 'I' }

// Refusal is the server's answer to a connection that it has refused.
func (s *Postgres) Refusal(err error) []byte {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return nil
	}
	out, err := (&pgproto3.ErrorResponse{Severity: refused.Severity, Code: refused.Code, Message: refused.Message}).Encode(nil)
	if err != nil {
		return nil
	}
	return out
}

// Waits asks pg_blocking_pids, and for DEFERRABLE transactions that wait for a snapshot
// pg_safe_snapshot_blocking_pids.
func (s *Postgres) Waits(ctx context.Context, busy []Link, sent []*access.Sent) ([][]string, error) {
	var ask []string
	for _, l := range busy {
		ask = append(ask, fmt.Sprintf("(pg_blocking_pids(%[1]s) || pg_safe_snapshot_blocking_pids(%[1]s))::text", l.ID()))
	}
	ask = append(ask, "(SELECT string_agg(pid::text, ',') FROM pg_stat_activity WHERE wait_event = 'SafeSnapshot')")
	rows, err := s.query(ctx, "SELECT "+strings.Join(ask, ", "))
	if err != nil {
		return nil, err
	}
	waits := make([][]string, len(busy))
	unsafe := strings.Split(rows[0][len(busy)], ",")
	for k, l := range busy {
		if list := strings.Trim(rows[0][k], "{}"); list != "" {
			waits[k] = strings.Split(list, ",")
		} else if slices.Contains(unsafe, l.ID()) && s.safety.lasts(l.ID(), sent) {
			waits[k] = []string{}
		}
	}
	return waits, nil
}

// Blockers asks the same for one.
func (s *Postgres) Blockers(ctx context.Context, l Link) ([]string, error) {
	waits, err := s.Waits(ctx, []Link{l}, nil)
	if err != nil {
		return nil, err
	}
	return waits[0], nil
}

// Describe says what processes are.
func (s *Postgres) Describe(ctx context.Context, ids []string) string {
	rows, err := s.query(ctx, `SELECT string_agg(format('process %s (%s, %s)', a.pid, a.application_name, a.state), ', ')
		FROM pg_stat_activity a WHERE a.pid = ANY ('{`+strings.Join(ids, ",")+"}')")
	if err != nil {
		return ""
	}
	return rows[0][0]
}

// End ends processes.
func (s *Postgres) End(ctx context.Context, links []Link) error {
	var ends []string
	for _, l := range links {
		ends = append(ends, "pg_terminate_backend("+l.ID()+")")
	}
	_, err := s.query(ctx, "SELECT "+strings.Join(ends, ", "))
	return err
}

// run runs statements on the proxy's own connection.
func (s *Postgres) run(ctx context.Context, sql string) error {
	_, err := s.monitor.Exec(ctx, sql).ReadAll()
	return err
}

// query returns the rows of a statement, as text.
func (s *Postgres) query(ctx context.Context, sql string) (rows [][]string, err error) {
	results, err := s.monitor.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		for _, cells := range r.Rows {
			row := make([]string, len(cells))
			for i, cell := range cells {
				row[i] = string(cell)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}
