package cluster

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

const (
	neededVariable = "TXMC_TEST_NEEDED"
	neededDir      = "testdata/needed" // which is there in the package's directory only
)

// needing has as many sessions as a file says that it needs.
func needing(p *program.Program) {
	dir := neededDir
	if elsewhere := os.Getenv(neededVariable); elsewhere != "" {
		dir = elsewhere
	}
	text, err := os.ReadFile(filepath.Join(dir, "sessions"))
	if err != nil {
		panic(err)
	}
	if _, err := os.UserCacheDir(); err != nil {
		panic(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		panic(err)
	}
	p.Needs(program.Needed{Variable: neededVariable, Dir: neededDir})
	counters(n, 2, 1)(p)
}

// A worker needs nothing but txmc: the files that a program needs come to it, and where it has
// no cache directory they have one.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c, elsewhere := s.open(), t.TempDir()
	startWorker(t, &Options{Cluster: s.url()}, "sh", "-c", fmt.Sprintf(`cd '%s' && exec env -u HOME -u XDG_CACHE_HOME "$0"`, elsewhere))
	q := request(isolation.CC, isolation.PgRC)
	same(t, exploreOn(t.Context(), t, c, "ExploreNeeding", q, nil), alone(t, "ExploreNeeding", q))
}

// Workers of this process take the binary where it is: the server's store gets none.
func TestNear(t *testing.T) {
	t.Parallel()
	c := open(t, &Options{Cluster: Embedded}, 1)
	q := request(isolation.SER)
	same(t, exploreOn(t.Context(), t, c, "ExploreMany", q, nil), alone(t, "ExploreMany", q))
	objects, err := c.js.ObjectStore(t.Context(), binBucket)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := objects.List(t.Context()); !errors.Is(err, jetstream.ErrNoObjectsFound) {
		t.Errorf("%d objects, %v", len(list), err)
	}
}

func TestPack(t *testing.T) {
	dir := t.TempDir()
	from, archive := filepath.Join(dir, "from"), filepath.Join(dir, "archive")
	if err := os.MkdirAll(filepath.Join(from, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "one", "b": strings.Repeat("two", 1000), "c": ""}
	for name, text := range want {
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var packed bytes.Buffer
	if err := pack(&packed, from); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second is there already
		if err := unpack(archive, filepath.Join(dir, "to")); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, "to"))
	if err != nil || len(entries) != len(want) {
		t.Errorf("%v, %v", entries, err)
	}
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join(dir, "to", name)); err != nil || string(got) != text {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "unpack-*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// An archive has nothing to say of other directories, and a damaged one leaves nothing.
func TestUnpackOthers(t *testing.T) {
	for _, name := range []string{"../out", "/tmp/out", "below/out", "..", "."} {
		dir := t.TempDir()
		var packed bytes.Buffer
		w := tar.NewWriter(&packed)
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte{'x'}); err != nil {
			t.Fatal(err)
		}
		archive := filepath.Join(dir, "archive")
		for _, end := range []int{packed.Len(), 100} {
			if err := os.WriteFile(archive, packed.Bytes()[:end], 0o600); err != nil {
				t.Fatal(err)
			}
			if err := unpack(archive, filepath.Join(dir, "to")); err == nil {
				t.Errorf("%q was unpacked", name)
			}
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%q has left %v, %v", name, entries, err)
		}
	}
}
