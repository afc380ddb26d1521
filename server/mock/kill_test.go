package mock

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/program/deadlinetest"
)

// TestServeHere is no test: it is the server that TestKill kills.
func TestServeHere(t *testing.T) {
	dir := os.Getenv("TXMC_TEST_SERVE")
	if dir == "" {
		t.Skip("there is nothing to serve")
	}
	o := &Serving{Iso: "rc", Bias: "latest=1", Listen: "127.0.0.1:0", Connections: 10, MaxMessage: MaxMessageBytes,
		Schema: []string{filepath.Join(dir, "schema.sql")}, Record: os.Getenv("TXMC_TEST_RECORD")}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	if err := o.Run(context.Background(), context.Background(), os.Stdout); err != nil {
		t.Fatal(err)
	}
}

// A server that is killed leaves what it has recorded, but for the last second: whole
// transactions, which can be read, compressed or not. The next one begins with the schema's
// rows.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "schema.sql"), []byte(accounts), 0o644); err != nil {
		t.Fatal(err)
	}
	names := []string{"served.jsonl.gz", "served.jsonl"}
	for _, name := range names[:deadlinetest.Of(2, 1)] {
		record := filepath.Join(dir, name)
		kill(t, dir, record)
		f, err := judge.Load(t.Context(), record, nil, true)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if f.Transactions == 0 {
			t.Errorf("%s: nothing is recorded", name)
		}
	}
}

// kill serves, and kills the server when it has recorded an update.
func kill(t *testing.T, dir, record string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServeHere$")
	cmd.Env = append(os.Environ(), "TXMC_TEST_SERVE="+dir, "TXMC_TEST_RECORD="+record)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	c, err := pgx.Connect(t.Context(), strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	var balance int
	if err := c.QueryRow(t.Context(), `SELECT balance FROM account WHERE id = 1`).Scan(&balance); err != nil || balance != 100 {
		t.Errorf("it begins with %d, %v", balance, err)
	}
	if _, err := c.Exec(t.Context(), `UPDATE account SET balance = 7 WHERE id = 1`); err != nil {
		t.Error(err)
	}
	for { // until it has been written; go test ends what never happens
		if info, err := os.Stat(record); err == nil && info.Size() > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if err := c.Ping(t.Context()); err == nil {
		t.Error("somebody answers")
	}
}
