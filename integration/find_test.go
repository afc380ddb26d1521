package integration_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/program/deadlinetest"
)

// What txmc find says of libraries, and of code that uses them. The libraries' own files are
// as they are published; beside them is a file that makes what methods are called on.

// anomalies is what a report comes to.
type anomalies struct {
	structures, confirmed int
	calls                 []string // of the anomalies
	ranks                 []string // of the anomalies, each once
	advice                []string // kinds
	why                   []string // others are not confirmed
	verdicts              []string // of a server on the anomalies
	there                 []string // what has become of the advice on a server
}

// finds runs txmc find.
func finds(t *testing.T, dir string, args ...string) anomalies {
	t.Helper()
	name, err := command()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), name, append([]string{"find", "--format=json"}, args...)...)
	cmd.Dir, cmd.Env = dir, os.Environ()
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("%v\n%s", err, said.String())
	}
	var r struct {
		Structures  int `json:"structures"`
		Confirmed   int `json:"confirmed"`
		Interrupted bool
		Findings    []struct {
			Calls     []string
			Rank      string
			Advice    []struct{ Kind, Server string }
			Violation struct {
				Confirmation struct{ Verdict string }
			}
		}
		Unconfirmed []struct{ Why string }
	}
	if err := json.Unmarshal(out, &r); err != nil || r.Interrupted {
		t.Fatal(err, r.Interrupted)
	}
	a := anomalies{structures: r.Structures, confirmed: r.Confirmed}
	for _, f := range r.Findings {
		if f.Rank == "deadlock" {
			continue // no cycle of dependencies: what these tests count
		}
		a.calls = append(a.calls, strings.Join(f.Calls, " "))
		a.ranks = append(a.ranks, f.Rank)
		for _, advice := range f.Advice {
			a.advice = append(a.advice, advice.Kind)
			a.there = append(a.there, advice.Server)
		}
		a.verdicts = append(a.verdicts, f.Violation.Confirmation.Verdict)
	}
	for _, u := range r.Unconfirmed {
		a.why = append(a.why, u.Why)
	}
	slices.Sort(a.calls)
	slices.Sort(a.ranks)
	a.calls, a.ranks = slices.Compact(a.calls), slices.Compact(a.ranks)
	return a
}

// asModule makes an unpacked library a module that txmc may be run in on both databases, with one
// more file.
func asModule(t *testing.T, module, file, code string) string {
	t.Helper()
	files := map[string]string{}
	if file != "" {
		files[file] = code
	}
	return withFiles(t, module, files, ".", "github.com/txmc/txmc/pg", "github.com/txmc/txmc/mysql/statements")
}

// withFiles makes an unpacked library a module that txmc may be run in, with what some packages
// need, and with more files. A module without go.mod has one among them.
func withFiles(t *testing.T, module string, files map[string]string, packages ...string) string {
	t.Helper()
	dir := unpacked(t, module)
	t.Setenv("GOFLAGS", "-mod=mod")
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	var sums []byte
	for _, from := range []string{filepath.Join(dir, "go.sum"), "go.sum", filepath.Join(root, "mysql", "go.sum")} {
		text, err := os.ReadFile(from)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		sums = append(sums, text...)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"mod", "edit", "-go=1.26.2", "-require=github.com/txmc/txmc@v0.0.0", "-replace=github.com/txmc/txmc=" + root}
	if slices.ContainsFunc(packages, func(p string) bool { return strings.HasPrefix(p, "github.com/txmc/txmc/mysql") }) {
		args = append(args, "-require=github.com/txmc/txmc/mysql@v0.0.0", "-replace=github.com/txmc/txmc/mysql="+filepath.Join(root, "mysql"))
	}
	edit := exec.CommandContext(t.Context(), "go", args...)
	edit.Dir = dir
	if out, err := edit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	list := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps", "-tags=gms_pure_go"}, packages...)...)
	list.Dir = dir
	if out, err := list.CombinedOutput(); err != nil {
		t.Skipf("what %s needs cannot be had: %v\n%s", module, err, out)
	}
	return dir
}

// served are arguments that have anomalies, and the advice on them, run on a PostgreSQL too: in full, and where
// there is one.
func served(args ...string) []string {
	servers, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(servers) == 0 || !deadlinetest.Full() {
		return args
	}
	return append(slices.Clip(args), "--confirm=postgres:temp", "--advice")
}

// happen checks that anomalies that were served happen on the server, and that what is advised helps there.
func happen(t *testing.T, got anomalies) {
	t.Helper()
	if len(served()) == 0 {
		return
	}
	for i, v := range got.verdicts {
		if v != "confirmed" {
			t.Errorf("on a server anomaly %d is %q", i+1, v)
		}
	}
	for i, helps := range got.there {
		if !strings.HasPrefix(helps, "helps on PostgreSQL") {
			t.Errorf("advice %d (%s) on a server: %s", i+1, got.advice[i], helps)
		}
	}
	t.Logf("%d anomalies happen on a server, %d changes help there", len(got.verdicts), len(got.there))
}

// inFull skips a test that takes minutes when tests are to be short.
func inFull(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes minutes")
	}
}

// changed puts a text in the place of another one in a file of an unpacked library.
func changed(t *testing.T, file, text, with string) {
	t.Helper()
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	after := strings.Replace(string(before), text, with, 1)
	if after == string(before) {
		t.Fatalf("%s has no %s", filepath.Base(file), text)
	}
	if err = os.Chmod(filepath.Dir(file), 0o755); err == nil {
		err = os.Remove(file)
	}
	if err == nil {
		err = os.WriteFile(file, []byte(after), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sqlFile writes SQL to a file.
func sqlFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "text.sql")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func check(t *testing.T, got anomalies, structures, confirmed int, calls ...string) {
	t.Helper()
	if got.structures != structures || got.confirmed != confirmed || !slices.Equal(got.calls, calls) {
		t.Errorf("%d structures, %d confirmed, anomalies of %q; not %d, %d, %q", got.structures, got.confirmed, got.calls, structures, confirmed, calls)
	}
}

// goqite takes a message by an UPDATE with a query in it, in transactions that ask for
// SERIALIZABLE since it is on PostgreSQL. Without that level two take the same message.
func TestFindInGoqite(t *testing.T) {
	inFull(t)
	dir := asModule(t, "maragu.dev/goqite@v0.4.0", "postgres_queue.go", `package goqite

import "database/sql"

// NewPostgreSQL is a queue on PostgreSQL.
func NewPostgreSQL(db *sql.DB) *Queue { return New(NewOpts{DB: db, Name: "a", SQLFlavor: SQLFlavorPostgreSQL}) }
`)
	args := []string{"--new=NewPostgreSQL", "--length=2", "--schema=" + sqlFile(t, `CREATE TABLE goqite (id text PRIMARY KEY DEFAULT 'new', created timestamptz NOT NULL DEFAULT now(),
		updated timestamptz NOT NULL DEFAULT now(), queue text NOT NULL, body bytea NOT NULL, timeout timestamptz NOT NULL DEFAULT now(), received integer NOT NULL DEFAULT 0, priority integer NOT NULL DEFAULT 0);`),
		"--seed=" + sqlFile(t, `INSERT INTO goqite (id, queue, body, timeout, created) VALUES ('a', 'a', 'x', '2020-01-01', '2020-01-01'), ('b', 'a', 'y', '2020-01-01', '2020-01-02');`)}
	check(t, finds(t, dir, args...), 0, 0)

	changed(t, filepath.Join(dir, "internal", "sql", "tx.go"), "Isolation: sql.LevelSerializable", "")
	got := finds(t, dir, served(args...)...)
	if !slices.Contains(got.calls, "Queue.Receive Queue.Receive") {
		t.Errorf("without SERIALIZABLE: %+v", got)
	}
	happen(t, got)
}

// The stores of sessions of scs send one statement a call: nothing goes wrong. Of MySQL's no
// cycle is left, of PostgreSQL's six that none of the runs shows.
func TestFindInSessionStores(t *testing.T) {
	const module = "github.com/alexedwards/scs/"
	t.Run("mysql", func(t *testing.T) {
		dir := asModule(t, module+"mysqlstore@v0.0.0-20250417082927-ab20b3feb5e9", "", "")
		check(t, finds(t, dir, "--db=mysql", "--new=NewWithCleanupInterval", "--schema="+sqlFile(t, `CREATE TABLE sessions (token CHAR(43) PRIMARY KEY, data BLOB NOT NULL, expiry TIMESTAMP(6) NOT NULL);`)), 0, 0)
	})
	t.Run("postgres", func(t *testing.T) {
		dir := asModule(t, module+"pgxstore@v0.0.0-20240316134038-7e11d57e8885", "", "")
		check(t, finds(t, dir, "--schema="+sqlFile(t, `CREATE TABLE sessions (token TEXT PRIMARY KEY, data BYTEA NOT NULL, expiry TIMESTAMPTZ NOT NULL);`)), 6, 0)
	})
}

// Packages of other modules are looked at where they are: the generated program is in the module
// of the user's directory, which may not import what is internal to others.
func TestFindElsewhere(t *testing.T) {
	sessions := sqlFile(t, `CREATE TABLE sessions (token TEXT PRIMARY KEY, data BYTEA NOT NULL, expiry TIMESTAMPTZ NOT NULL);`)
	check(t, finds(t, ".", "--schema="+sessions, "github.com/alexedwards/scs/pgxstore"), 6, 0)

	name, err := command()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"find", "--length=2", "github.com/riverqueue/river/riverdriver/riverpgxv5/internal/dbsqlc"}
	for _, file := range riverSchema(t, unpacked(t, "github.com/riverqueue/river/riverdriver/riverpgxv5@v0.51.1")) {
		args = append(args, "--schema="+file)
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = os.Environ()
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "is an internal package of another module, which cannot be imported: copy that module") {
		t.Errorf("%v\n%s", err, out)
	}
}

// riverSchema lists the files that make River's tables.
func riverSchema(t *testing.T, module string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(module, "migration", "main", "*.up.sql"))
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	return files
}

// Some orders leave their delivery to River, and some orders use sqlc's queries. Both lose an
// update where the row is not locked, and do not where it is locked.
func TestFindInCallers(t *testing.T) {
	inFull(t)
	var schemas []string
	module := unpacked(t, "github.com/riverqueue/river/riverdriver/riverpgxv5@v0.51.1")
	for _, file := range append([]string{sqlFile(t, "CREATE TABLE piece (id int PRIMARY KEY, amount int NOT NULL CHECK (amount >= 0));")}, riverSchema(t, module)...) {
		schemas = append(schemas, "--schema="+file)
	}
	// River's statements are known from runs, and have structures of their own.
	check(t, finds(t, ".", append(schemas, "./riverorders")...), 13, 4, "Shop.Order Shop.Order", "Shop.Order Shop.OrderLocked")
	got := finds(t, ".", served("./sqlcorders")...)
	check(t, got, 4, 4, "Order Order", "Order OrderLocked")
	happen(t, got)
}

// River's queries, as sqlc has made them for pgx, take what leads to the database as an argument.
// Two of them at once have cycles of statements that look for many rows; none shows.
func TestFindInRiver(t *testing.T) {
	dir := asModule(t, "github.com/riverqueue/river/riverdriver/riverpgxv5@v0.51.1", "", "")
	args := []string{"--length=2"}
	for _, file := range riverSchema(t, dir) {
		args = append(args, "--schema="+file)
	}
	out := finds(t, dir, append(args, "./internal/dbsqlc")...)
	check(t, out, 18, 0)
	for _, why := range out.why {
		if why != "every outcome of the runs is that of a serial order" {
			t.Errorf("not run: %s", why)
		}
	}
}
