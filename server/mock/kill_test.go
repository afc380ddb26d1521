package mock

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestServeHere is no test: it is the server that TestKill kills.
func TestServeHere(t *testing.T) {
	dir := os.Getenv("TXMC_TEST_SERVE")
	if dir == "" {
		t.Skip("there is nothing to serve")
	}
	o := &Serving{Iso: "rc", Bias: "latest=1", Listen: "127.0.0.1:0", Connections: 10, MaxMessage: MaxMessageBytes,
		Schema: []string{filepath.Join(dir, "schema.sql")}, Record: filepath.Join(dir, "served.jsonl")}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	if err := o.Run(context.Background(), context.Background(), os.Stdout); err != nil {
		t.Fatal(err)
	}
}

// A server that is killed leaves nothing behind, and no half recording under its name; the
// next one begins with the schema's rows.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "schema.sql"), []byte(accounts), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestServeHere$")
		cmd.Env = append(os.Environ(), "TXMC_TEST_SERVE="+dir)
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
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if err := c.Ping(t.Context()); err == nil {
			t.Error("somebody answers")
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "served.jsonl")); err == nil {
		t.Error("half a recording is left")
	}
}
