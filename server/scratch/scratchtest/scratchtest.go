// Package scratchtest gives tests throw-away servers.
package scratchtest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/txmc/txmc/server/scratch"
)

// Need skips a test where a server is not installed. Servers are in memory where there is
// enough of it.
func Need(t testing.TB, kind scratch.Kind) {
	t.Helper()
	if err := scratch.Installed(kind); err != nil {
		t.Skip(err)
	}
}

// Start starts a server that ends with the test. It skips the test where the server is not
// installed.
func Start(t testing.TB, kind scratch.Kind, settings map[string]string) *scratch.Server {
	t.Helper()
	Need(t, kind)
	s, err := scratch.Start(t.Context(), kind, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// shared are the servers of Shared, by kind and settings.
var shared struct {
	sync.Mutex
	servers map[string]*scratch.Server // nil: Main does not run
}

// Shared is a server that the package's tests have one after another, or at the same time in
// databases of their own. The first one starts it, and [Main] ends it. To start one takes a
// quarter of a second of processor time.
func Shared(t testing.TB, kind scratch.Kind, settings map[string]string) *scratch.Server {
	t.Helper()
	Need(t, kind)
	shared.Lock()
	defer shared.Unlock()
	if shared.servers == nil {
		t.Fatal("scratchtest.Main does not run the tests: nothing would end a shared server")
	}
	key := fmt.Sprint(kind, settings)
	if s := shared.servers[key]; s != nil {
		return s
	}
	s, err := scratch.Start(context.WithoutCancel(t.Context()), kind, settings)
	if err != nil {
		t.Fatal(err)
	}
	shared.servers[key] = s
	return s
}

// Main is the TestMain of a package with shared servers.
func Main(m *testing.M) {
	shared.servers = map[string]*scratch.Server{}
	code := m.Run()
	for _, s := range shared.servers {
		if err := s.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}
