package integration_test

import (
	"path/filepath"
	"slices"
	"testing"
)

// Libraries whose history tells of mistakes: txmc find finds these, and not what has mended them.

// Dex stores refresh tokens on PostgreSQL since its transactions are SERIALIZABLE (its issue 628: two
// updates of a row lost one). Without that two callers get one token, and FOR UPDATE, which was
// proposed (pull request 1370), helps as well.
func TestFindInDex(t *testing.T) {
	dir := withFiles(t, "github.com/dexidp/dex@v2.13.0+incompatible", map[string]string{
		"go.mod": `module github.com/dexidp/dex

require (
	github.com/cockroachdb/cockroach-go v0.0.0
	github.com/go-sql-driver/mysql v1.10.1
	github.com/lib/pq v1.12.3
	github.com/mattn/go-sqlite3 v0.0.0
	github.com/sirupsen/logrus v1.10.2
	gopkg.in/square/go-jose.v2 v2.6.0
)

replace github.com/cockroachdb/cockroach-go => ./other/cockroach

replace github.com/mattn/go-sqlite3 => ./other/sqlite3
`,
		// What dex calls of the drivers of other databases, as it called it then.
		"other/cockroach/go.mod":       "module github.com/cockroachdb/cockroach-go\n",
		"other/cockroach/crdb/crdb.go": "package crdb\n\nimport \"database/sql\"\n\nfunc ExecuteTx(*sql.DB, func(*sql.Tx) error) error { panic(\"no CockroachDB\") }\n",
		"other/sqlite3/go.mod":         "module github.com/mattn/go-sqlite3\n",
		"other/sqlite3/sqlite3.go":     "package sqlite3\n\ntype Error struct{ ExtendedCode int }\n\nfunc (Error) Error() string { return \"\" }\n\nconst ErrConstraintPrimaryKey = 1555\n",
		"storage/sql/tokens.go": `package sql

import (
	"database/sql"

	"github.com/sirupsen/logrus"

	"github.com/dexidp/dex/storage"
)

// Tokens are refresh tokens on PostgreSQL.
type Tokens struct{ c *conn }

// NewTokens returns them.
func NewTokens(db *sql.DB) *Tokens { return &Tokens{&conn{db: db, flavor: flavorPostgres, logger: logrus.New()}} }

// Rotate puts a new token in the place of the one that is used, and returns that.
func (t *Tokens) Rotate(id, next string) (used string, err error) {
	err = t.c.UpdateRefreshToken(id, func(r storage.RefreshToken) (storage.RefreshToken, error) {
		used, r.Token = r.Token, next
		return r, nil
	})
	return used, err
}
`}, "./storage/sql", "github.com/txmc/txmc/pg")
	args := []string{"--new=NewTokens", "--schema=" + sqlFile(t, `CREATE TABLE refresh_token (id text PRIMARY KEY, client_id text NOT NULL, scopes bytea NOT NULL, nonce text NOT NULL,
		claims_user_id text NOT NULL, claims_username text NOT NULL, claims_email text NOT NULL, claims_email_verified boolean NOT NULL, claims_groups bytea NOT NULL, connector_id text NOT NULL,
		connector_data bytea, token text NOT NULL DEFAULT '', created_at timestamptz NOT NULL DEFAULT '2020-01-01', last_used timestamptz NOT NULL DEFAULT '2020-01-01');`),
		"--seed=" + sqlFile(t, `INSERT INTO refresh_token (id, client_id, scopes, nonce, claims_user_id, claims_username, claims_email, claims_email_verified, claims_groups, connector_id, token)
			VALUES ('a', 'app', '["openid"]', 'n', 'ann', 'ann', 'ann@example.org', true, '[]', 'ldap', 'first');`), "./storage/sql"}
	check(t, finds(t, dir, args...), 0, 0)
	changed(t, filepath.Join(dir, "storage", "sql", "sql.go"), "`SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;`", "``")
	got := finds(t, dir, served(append(args, "--advice")...)...)
	happen(t, got)
	check(t, got, 2, 2, "Tokens.Rotate Tokens.Rotate")
	if !slices.Contains(got.advice, "lock") {
		t.Errorf("advice: %q", got.advice)
	}
}

const (
	gooseSchema = `CREATE TABLE price (id int PRIMARY KEY, cents int NOT NULL);
CREATE TABLE goose_db_version (id serial PRIMARY KEY, version_id bigint NOT NULL, is_applied boolean NOT NULL, tstamp timestamp NULL DEFAULT now());`
	gooseSeed = `INSERT INTO price VALUES (1, 100); INSERT INTO goose_db_version (version_id, is_applied, tstamp) VALUES (0, true, '2020-01-01');`
	migration = `fstest.MapFS{"00001_double.sql": {Data: []byte("-- +goose Up\nUPDATE price SET cents = cents * 2;\n")}}`
)

// Two processes that start together do a migration of goose's twice, each in a transaction that is
// all right by itself. Since goose can lock sessions it is done once; what is left to find is that
// one of them gives up when it has not got the lock in time.
func TestFindInGoose(t *testing.T) {
	args := []string{"--schema=" + sqlFile(t, gooseSchema), "--seed=" + sqlFile(t, gooseSeed)}
	t.Run("3.15.1", func(t *testing.T) {
		dir := withFiles(t, "github.com/pressly/goose/v3@v3.15.1", map[string]string{"prices.go": `package goose

import (
	"database/sql"
	"testing/fstest"
)

// Migrate does all migrations.
func Migrate(db *sql.DB) error {
	SetBaseFS(` + migration + `)
	SetLogger(NopLogger())
	if err := SetDialect("postgres"); err != nil {
		return err
	}
	return Up(db, ".")
}
`}, ".", "github.com/txmc/txmc/pg")
		got := finds(t, dir, served(args...)...)
		if !slices.Equal(got.ranks, []string{"data lost"}) || !slices.Equal(got.calls, []string{"Migrate Migrate"}) || got.confirmed == 0 {
			t.Errorf("%+v", got)
		}
		happen(t, got)
		check(t, finds(t, dir, append(args, "--no-whole")...), 0, 0)
	})
	t.Run("3.30.0", func(t *testing.T) {
		inFull(t)
		dir := withFiles(t, "github.com/pressly/goose/v3@v3.30.0", map[string]string{"prices.go": `package goose

import (
	"context"
	"database/sql"
	"testing/fstest"

	"github.com/pressly/goose/v3/lock"
)

// Migrate does all migrations, one process at a time.
func Migrate(db *sql.DB) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 2), lock.WithUnlockTimeout(1, 2))
	if err != nil {
		return err
	}
	p, err := NewProvider(DialectPostgres, db, ` + migration + `, WithSessionLocker(locker))
	if err == nil {
		_, err = p.Up(context.Background())
	}
	return err
}
`}, ".", "github.com/txmc/txmc/pg")
		if got := finds(t, dir, args...); slices.Contains(got.ranks, "data lost") || got.structures == 0 {
			t.Errorf("%+v", got)
		}
	})
}
