package integration_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/server/mock"
)

// publicSuite is the tests of a module, and what they need.
type publicSuite struct {
	module, environment string
	schema              string
	file                string // of the module, with the schema
	level               isolation.Level
	args                []string // of go test
}

// The tests of public modules pass against the mock server, as they are. At ser these are
// sessions of web applications in a table, and locks by advisory locks. Where the server
// answers as PostgreSQL it is a queue of jobs, but for two tests that change the schema.
// These look with one connection for what they have just written with another one, which a
// level alone does not promise.
func TestPublicSuites(t *testing.T) {
	for _, suite := range []publicSuite{
		{module: "github.com/alexedwards/scs/pgxstore@v0.0.0-20240316134038-7e11d57e8885", environment: "SCS_POSTGRES_TEST_DSN", schema: `
			CREATE TABLE sessions (token TEXT PRIMARY KEY, data BYTEA NOT NULL, expiry TIMESTAMPTZ NOT NULL);
			CREATE INDEX sessions_expiry_idx ON sessions (expiry);`, level: isolation.SER, args: []string{"./..."}},
		{module: "github.com/allisson/go-pglock/v3@v3.0.0", environment: "DATABASE_URL", level: isolation.SER, args: []string{"./..."}},
		{module: "github.com/vgarvardt/gue/v5@v5.7.1", environment: "TEST_POSTGRES", file: "migrations/schema.sql", level: isolation.PgRC,
			args: []string{"-skip=^(TestMultiSchema|TestJobIDMigration)$", "."}},
	} {
		t.Run(suite.module, func(t *testing.T) {
			dir := unpacked(t, suite.module)
			if suite.file != "" {
				b, err := os.ReadFile(filepath.Join(dir, suite.file))
				if err != nil {
					t.Fatal(err)
				}
				suite.schema = string(b)
			}
			s, err := mock.NewServer(mock.Options{Level: suite.level, Seed: 1}, pg.Schema(suite.schema))
			if err != nil {
				t.Fatal(err)
			}
			l, err := mock.Listen("127.0.0.1:0", false)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error)
			go func() { done <- s.Serve(ctx, l) }()
			test := exec.CommandContext(t.Context(), "go", append([]string{"test", "-count=1", "-mod=mod"}, suite.args...)...)
			test.Dir = dir
			test.Env = append(os.Environ(), suite.environment+"="+mock.DSN(l), "GOWORK=off", "GOFLAGS=")
			out, err := test.CombinedOutput()
			cancel()
			if stopped := <-done; err != nil || stopped != nil {
				t.Errorf("%v, %v\n%s", err, stopped, out)
			}
		})
	}
}

// unpacked is a copy of a module: go test writes into its go.sum.
func unpacked(t *testing.T, module string) string {
	t.Helper()
	download := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	download.Dir = t.TempDir()
	out, err := download.Output()
	var got struct{ Dir string }
	if err != nil || json.Unmarshal(out, &got) != nil || got.Dir == "" {
		t.Skipf("%s cannot be had: %v", module, err)
	}
	dir := filepath.Join(t.TempDir(), "suite")
	if err := os.CopyFS(dir, os.DirFS(got.Dir)); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{".", "go.mod", "go.sum"} {
		if err := os.Chmod(filepath.Join(dir, file), 0o755); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err) // old modules have no go.mod
		}
	}
	return dir
}
