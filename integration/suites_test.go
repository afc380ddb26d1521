package integration_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/server/mock"
)

// The tests of public modules pass against the mock server at ser, as they are: sessions
// of web applications in a table, and locks by advisory locks.
func TestPublicSuites(t *testing.T) {
	for _, suite := range []struct{ module, environment, schema string }{
		{"github.com/alexedwards/scs/pgxstore@v0.0.0-20240316134038-7e11d57e8885", "SCS_POSTGRES_TEST_DSN", `
			CREATE TABLE sessions (token TEXT PRIMARY KEY, data BYTEA NOT NULL, expiry TIMESTAMPTZ NOT NULL);
			CREATE INDEX sessions_expiry_idx ON sessions (expiry);`},
		{"github.com/allisson/go-pglock/v3@v3.0.0", "DATABASE_URL", ""},
	} {
		t.Run(suite.module, func(t *testing.T) {
			dir := unpacked(t, suite.module)
			s, err := mock.NewServer(mock.Options{Level: isolation.SER, Seed: 1}, pg.Schema(suite.schema))
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
			test := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-mod=mod", "./...")
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
		if err := os.Chmod(filepath.Join(dir, file), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
