// Package mariadb is MariaDB behind the proxy: the package proxy runs programs of package
// mysql on it. A server of MySQL speaks the same protocol; it has not been tried.
//
// Who waits is read in the report of InnoDB's monitor, which is of the moment. The tables of
// information_schema say it too, but the server keeps them for a tenth of a second after each
// look (trx0i_s.cc). So they are only asked who is waited for.
package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/server/proxy"
	"github.com/txmc/txmc/server/proxy/packet"
)

// Database is a database on a server.
type Database struct {
	config  *mysql.Config
	db      *sql.DB
	monitor *sql.Conn // looks who waits, and puts rows back
	keeper  *sql.Conn // has a snapshot open, which keeps what is deleted
	version string
	kept    kept
	looked  time.Time // at the tables that the server keeps
	broken  bool      // the monitor's connection has ended
}

// New returns the tasks on a server of MariaDB.
func New(at explore.OnServer) explore.Server {
	return proxy.NewTasks(at, func(ctx context.Context, dsn string) (proxy.Database, error) { return Connect(ctx, dsn) })
}

// Connect connects to a database of MariaDB's. The address is one of go-sql-driver/mysql.
func Connect(ctx context.Context, dsn string) (*Database, error) {
	config, err := parse(dsn)
	if err != nil {
		return nil, err
	}
	d := &Database{config: config}
	own := config.Clone()
	own.MultiStatements = true
	connector, err := mysql.NewConnector(own)
	if err != nil {
		return nil, err
	}
	d.db = sql.OpenDB(connector)
	for _, c := range []**sql.Conn{&d.monitor, &d.keeper} {
		if *c, err = d.db.Conn(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("cannot connect to the server: %w", err), d.db.Close())
		}
	}
	rows, err := d.query(ctx, "SELECT version()")
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.version = named(rows[0][0])
	if err := d.mayLook(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// parse understands an address, without what the proxy does not speak.
func parse(dsn string) (*mysql.Config, error) {
	c, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, err
	}
	if c.TLSConfig != "" && c.TLSConfig != "false" && c.TLSConfig != "preferred" {
		return nil, errors.New("programs do not run over TLS on this kind of server: leave out tls, or give the address of a socket")
	}
	c.TLSConfig, c.TLS = "", nil
	c.InterpolateParams, c.ParseTime = true, false
	c.Logger = silent{} // what breaks is told by errors
	return c, nil
}

type silent struct{}

func (silent) Print(...any) {}

// named is the server's name and version, such as MariaDB 10.11.19.
func named(version string) string {
	number, _, _ := strings.Cut(version, "-")
	if strings.Contains(version, "MariaDB") {
		return "MariaDB " + number
	}
	return "MySQL " + number
}

// mayLook is an error where the user may not see who waits.
func (d *Database) mayLook(ctx context.Context) error {
	_, err := d.status(ctx)
	if refused := (*mysql.MySQLError)(nil); errors.As(err, &refused) {
		return fmt.Errorf("who waits for whom cannot be seen: GRANT PROCESS ON *.* TO the user of the address: %w", err)
	}
	return err
}

// Dialect is that of MariaDB.
func (d *Database) Dialect() *proxy.Dialect { return &dialect }

// Version is the server's, as MariaDB 10.11.19.
func (d *Database) Version() string { return d.version }

// Deadlocks returns how long it takes at most until a deadlock is found: InnoDB looks for
// one when a wait begins.
func (d *Database) Deadlocks() (time.Duration, bool) { return 5 * time.Millisecond, true }

// Alive reports whether the server can be asked.
func (d *Database) Alive() bool { return !d.broken }

// Close ends the proxy's own connections.
func (d *Database) Close() error {
	d.broken = true
	d.monitor.Close()
	if d.keeper != nil {
		d.keeper.Close()
	}
	return d.db.Close()
}

// Clean never reports that a connection is as new: statements that were prepared go on
// counting.
func (d *Database) Clean(proxy.Link) bool { return false }

// Refusal is the server's answer to a connection that it has refused.
func (d *Database) Refusal(err error) []byte {
	var refused *mysql.MySQLError
	if !errors.As(err, &refused) {
		return nil
	}
	p := append([]byte{0xff, byte(refused.Number), byte(refused.Number >> 8), '#'}, "HY000"...)
	return packet.Make(2, append(p, refused.Message...))
}

// listed is where the report of InnoDB's monitor lists transactions, and block the
// beginning of each of them.
const (
	listed = "LIST OF TRANSACTIONS FOR EACH SESSION"
	block  = "\n---TRANSACTION "
)

var (
	lockWait = regexp.MustCompile(`(?m)^LOCK WAIT `)
	thread   = regexp.MustCompile(`(?m)^(?:MariaDB|MySQL) thread id (\d+),`)
)

// status is what InnoDB's monitor says of transactions.
func (d *Database) status(ctx context.Context) (string, error) {
	rows, err := d.query(ctx, "SHOW ENGINE INNODB STATUS")
	if err != nil {
		return "", err
	}
	_, text, _ := strings.Cut(rows[0][2], listed) // behind the last deadlock
	return text, nil
}

// Waits reads the report of InnoDB's monitor, and for locks of tables and names the list of
// processes.
func (d *Database) Waits(ctx context.Context, busy []proxy.Link, sent []*access.Sent) ([][]string, error) {
	for _, q := range sent {
		if strings.Contains(q.Messages, strings.TrimSpace(block)) { // the report has the texts of statements
			return d.slowly(ctx, busy)
		}
	}
	text, err := d.status(ctx)
	if err != nil {
		return nil, err
	}
	waits := map[string]bool{}
	for _, b := range strings.Split(text, block)[1:] {
		if at := thread.FindStringSubmatchIndex(b); at != nil && lockWait.MatchString(b[:at[0]]) {
			waits[b[at[2]:at[3]]] = true
		}
	}
	return d.withTables(ctx, busy, waits)
}

// slowly asks the tables that the server keeps.
func (d *Database) slowly(ctx context.Context, busy []proxy.Link) ([][]string, error) {
	rows, err := d.look(ctx, "SELECT trx_mysql_thread_id FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'")
	if err != nil {
		return nil, err
	}
	waits := map[string]bool{}
	for _, row := range rows {
		waits[row[0]] = true
	}
	return d.withTables(ctx, busy, waits)
}

// withTables are the waits for locks of rows, and for those of tables and names.
func (d *Database) withTables(ctx context.Context, busy []proxy.Link, waits map[string]bool) ([][]string, error) {
	list := make([][]string, len(busy))
	var others []string
	for k, l := range busy {
		if waits[l.ID()] {
			list[k] = []string{}
		} else {
			others = append(others, l.ID())
		}
	}
	if len(others) == 0 {
		return list, nil
	}
	rows, err := d.query(ctx, "SELECT id FROM information_schema.PROCESSLIST WHERE id IN ("+strings.Join(others, ",")+
		") AND (state = 'User lock' OR state LIKE 'Waiting for %lock%')")
	for _, row := range rows {
		for k, l := range busy {
			if l.ID() == row[0] {
				list[k] = []string{}
			}
		}
	}
	return list, err
}

// keeps is how long the server keeps the tables of locks after a look.
const keeps = 110 * time.Millisecond

// look asks tables that the server keeps, once they are of the moment.
func (d *Database) look(ctx context.Context, text string) ([][]string, error) {
	select {
	case <-time.After(time.Until(d.looked.Add(keeps))):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	rows, err := d.query(ctx, text)
	d.looked = time.Now()
	return rows, err
}

// Blockers asks the tables of InnoDB's locks. MySQL has them elsewhere since version 8.
func (d *Database) Blockers(ctx context.Context, l proxy.Link) (ids []string, err error) {
	ask := `SELECT DISTINCT b.trx_mysql_thread_id FROM information_schema.INNODB_LOCK_WAITS w
		JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id
		JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id WHERE r.trx_mysql_thread_id = ` + l.ID()
	if strings.HasPrefix(d.version, "MySQL") {
		ask = `SELECT DISTINCT b.processlist_id FROM performance_schema.data_lock_waits w
			JOIN performance_schema.threads r ON r.thread_id = w.requesting_thread_id
			JOIN performance_schema.threads b ON b.thread_id = w.blocking_thread_id WHERE r.processlist_id = ` + l.ID()
	}
	rows, err := d.look(ctx, ask)
	for _, row := range rows {
		ids = append(ids, row[0])
	}
	return ids, err
}

// Describe says what connections are.
func (d *Database) Describe(ctx context.Context, ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	rows, err := d.query(ctx, `SELECT group_concat(concat('process ', id, ' (', user, ', ', command, ')') SEPARATOR ', ')
		FROM information_schema.PROCESSLIST WHERE id IN (`+strings.Join(ids, ",")+")")
	if err != nil {
		return ""
	}
	return rows[0][0]
}

// End ends connections.
func (d *Database) End(ctx context.Context, links []proxy.Link) error {
	const gone = 1094 // of an id that nobody has
	var errs []error
	for _, l := range links {
		err := d.run(ctx, "KILL CONNECTION "+l.ID())
		if refused := (*mysql.MySQLError)(nil); errors.As(err, &refused) && refused.Number == gone {
			continue
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// run runs statements on the proxy's own connection.
func (d *Database) run(ctx context.Context, text string) error {
	_, err := d.monitor.ExecContext(ctx, text)
	return d.heard(err)
}

// heard notes that the connection is of no more use.
func (d *Database) heard(err error) error {
	if refused := (*mysql.MySQLError)(nil); err != nil && !errors.As(err, &refused) {
		d.broken = true
	}
	return err
}

// query returns the rows of a statement, as text.
func (d *Database) query(ctx context.Context, text string) (list [][]string, err error) {
	rows, err := d.monitor.QueryContext(ctx, text)
	if err != nil {
		return nil, d.heard(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		cells, to := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range cells {
			to[i] = &cells[i]
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = c.String
		}
		list = append(list, row)
	}
	return list, d.heard(rows.Err())
}
