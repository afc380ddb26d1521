// Package database connects to the database servers that txmc tests: by the DSN that a user
// gives, or to a throw-away server. It refuses databases that may be somebody's.
package database

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/server/scratch"
)

// Database is a scratch database on a server.
type Database struct {
	Kind    scratch.Kind // MariaDB stands for MySQL too
	Name    string
	Version string // such as PostgreSQL 15.18
	// Product is another one than those of Kind, whose protocol it speaks.
	Product Product
	// Server is the throw-away server; nil when the database is on another one.
	Server *scratch.Server

	dsn      string // that was given, of a database of PostgreSQL's
	postgres *pgconn.Config
	mysql    *mysql.Config
}

// Prefix begins the names of databases that may be used without asking.
const Prefix = "txmc_"

// Usage says what a DSN looks like.
const Usage = `give postgres:temp or mariadb:temp for a throw-away server, with settings as in postgres:temp?fsync=on, ` +
	`or an address such as postgres://user@host/txmc_db or mysql://user:password@host:3306/txmc_db`

// Open connects to the database of a DSN once. yes is the name of a database that may be
// used although its name does not begin with [Prefix].
func Open(ctx context.Context, dsn, yes string) (*Database, error) {
	d, err := parse(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if err := d.open(ctx, yes); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Database) open(ctx context.Context, yes string) error {
	if d.Server != nil {
		if err := d.create(ctx); err != nil {
			return err
		}
	} else if !strings.HasPrefix(d.Name, Prefix) && (yes == "" || yes != d.Name) {
		return fmt.Errorf("the database %q may be somebody's: create one whose name begins with %s, or say --yes-scratch=%s if nothing in it is needed",
			d.Name, Prefix, d.Name)
	}
	c, err := d.Connect(ctx, nil)
	if err != nil {
		return fmt.Errorf("cannot connect to %s: %w", d.Kind, err)
	}
	defer c.Close()
	return d.askVersion(ctx, c)
}

// parse understands a DSN, and starts the throw-away server that it asks for.
func parse(ctx context.Context, dsn string) (d *Database, err error) {
	kind, settings, temporary := strings.Cut(dsn, ":temp")
	switch scheme, _, _ := strings.Cut(dsn, ":"); {
	case temporary && (settings == "" || settings[0] == '?'):
		return throwAway(ctx, kind, strings.TrimPrefix(settings, "?"))
	case scheme == "postgres", scheme == "postgresql", strings.Contains(dsn, "host="), strings.Contains(dsn, "dbname="):
		d = &Database{Kind: scratch.Postgres, dsn: dsn}
		if d.postgres, err = pgconn.ParseConfig(dsn); err != nil {
			return nil, err
		}
		d.Name = d.postgres.Database
	case scheme == "mysql", scheme == "mariadb", strings.Contains(dsn, "@tcp("), strings.Contains(dsn, "@unix("):
		d = &Database{Kind: scratch.MariaDB}
		if d.mysql, err = parseMySQL(dsn); err != nil {
			return nil, err
		}
		d.Name = d.mysql.DBName
	default:
		return nil, fmt.Errorf("%q is no address of a database: %s", dsn, Usage)
	}
	if d.Name == "" {
		return nil, fmt.Errorf("the address names no database: %s", Usage)
	}
	return d, nil
}

// parseMySQL understands an URL and what the driver calls a DSN.
func parseMySQL(dsn string) (*mysql.Config, error) {
	if !strings.Contains(dsn, "://") {
		return mysql.ParseDSN(dsn)
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return nil, err
	}
	c := mysql.NewConfig()
	c.User = u.User.Username()
	c.Passwd, _ = u.User.Password()
	c.Net, c.Addr, c.DBName = "tcp", u.Host, strings.TrimPrefix(u.Path, "/")
	if u.Port() == "" {
		c.Addr = net.JoinHostPort(u.Hostname(), "3306")
	}
	return c, nil
}

// throwAway starts a server.
func throwAway(ctx context.Context, name, settings string) (*Database, error) {
	kind, ok := map[string]scratch.Kind{"postgres": scratch.Postgres, "postgresql": scratch.Postgres, "mariadb": scratch.MariaDB}[name]
	if !ok {
		return nil, fmt.Errorf("there are no throw-away servers of %q: %s", name, Usage)
	}
	values, err := url.ParseQuery(settings)
	if err != nil {
		return nil, fmt.Errorf("the settings %q: %w", settings, err)
	}
	set := map[string]string{}
	for k, v := range values {
		set[k] = v[len(v)-1]
	}
	d := &Database{Kind: kind, Name: Prefix + "scratch"}
	if d.Server, err = scratch.Start(ctx, kind, set); err != nil {
		return nil, err
	}
	return d, nil
}

// create makes the database of a throw-away server.
func (d *Database) create(ctx context.Context) error {
	at := func(name string) (err error) {
		if d.Kind == scratch.Postgres {
			d.dsn = d.Server.DSN(name)
			d.postgres, err = pgconn.ParseConfig(d.dsn)
			return err
		}
		d.mysql, err = mysql.ParseDSN(d.Server.DSN(name))
		return err
	}
	first := map[scratch.Kind]string{scratch.Postgres: "postgres", scratch.MariaDB: "mysql"}[d.Kind]
	if err := at(first); err != nil {
		return err
	}
	c, err := d.Connect(ctx, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Do(ctx, "CREATE DATABASE "+d.Name); err != nil {
		return err
	}
	return at(d.Name)
}

func (d *Database) askVersion(ctx context.Context, c Conn) error {
	q := "SELECT version()"
	if d.Kind == scratch.Postgres {
		q = "SHOW server_version"
	}
	r, err := c.Do(ctx, q)
	if err != nil {
		return err
	}
	version := r.Text(0, 0)
	switch {
	case d.Kind == scratch.Postgres:
		d.Version = "PostgreSQL " + version
	case strings.Contains(version, "MariaDB"):
		d.Version = "MariaDB " + version
	default:
		d.Version = "MySQL " + version
	}
	d.Version, _, _ = strings.Cut(d.Version, " (")
	d.Version, _, _ = strings.Cut(d.Version, "-")
	return d.askProduct(ctx, c)
}

// Product is a database that speaks the protocol of another one.
type Product string

// Those whose transactions are ordered by timestamps.
const (
	Cockroach Product = "CockroachDB"
	TiDB      Product = "TiDB"
	Yugabyte  Product = "YugabyteDB"
)

// askProduct looks whether a server is one of these. version() is CockroachDB CCL v23.1.11
// (x86_64-pc-linux-gnu, …), PostgreSQL 15.2-YB-2025.1.0.0-b0 on …, or 8.0.11-TiDB-v7.5.1.
func (d *Database) askProduct(ctx context.Context, c Conn) error {
	r, err := c.Do(ctx, "SELECT version()")
	if err != nil {
		return err
	}
	text := r.Text(0, 0)
	words := strings.Fields(text)
	switch {
	case strings.HasPrefix(text, string(Cockroach)):
		d.Product, d.Version = Cockroach, string(Cockroach)
		for _, w := range words {
			if strings.HasPrefix(w, "v") {
				d.Version += " " + w
				break
			}
		}
	case d.Kind == scratch.Postgres && strings.Contains(text, "-YB-"):
		_, version, _ := strings.Cut(words[min(1, len(words)-1)], "-YB-")
		d.Product, d.Version = Yugabyte, string(Yugabyte)+" "+version
	case d.Kind == scratch.MariaDB && strings.Contains(text, "-TiDB-"):
		_, version, _ := strings.Cut(text, "-TiDB-")
		d.Product, d.Version = TiDB, string(TiDB)+" "+version
	}
	return nil
}

// Close ends the throw-away server, if there is one.
func (d *Database) Close() error {
	if d.Server == nil {
		return nil
	}
	return d.Server.Close()
}
