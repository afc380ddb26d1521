package cluster

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
)

// A task that ends its process again and again becomes an error that names it.
func TestPoison(t *testing.T) {
	t.Parallel()
	c := open(t, &Options{Cluster: Embedded}, 2)
	c.calls = 0
	got := exploreOn(t.Context(), t, c, "ExploreCrash", request(isolation.CC), nil)
	var e report.Error
	if len(got.all[report.TypeError]) != 1 || json.Unmarshal(got.all[report.TypeError][0], &e) != nil {
		t.Fatalf("%q", got.all)
	}
	if e.Kind != "exited" || e.Package != "example.com/p" || e.Program != "ExploreCrash" || e.Iso != "cc" ||
		!strings.Contains(e.Message, "has ended the process that explores it 3 times") || !strings.Contains(e.Message, "exit status 7") ||
		!strings.Contains(e.Message, "it has printed: five increments") {
		t.Errorf("%+v", e)
	}
	r := got.results(t)["ExploreCrash cc"]
	if r.Complete || r.Stopped != "error" {
		t.Errorf("%+v", r)
	}
}

// What is wrong with a program is said as one process says it.
func TestProgramError(t *testing.T) {
	t.Parallel()
	c := open(t, &Options{Cluster: Embedded}, 1)
	got, want := exploreOn(t.Context(), t, c, "ExploreWrong", request(isolation.CC), nil), alone(t, "ExploreWrong", request(isolation.CC))
	var a, b report.Error
	for _, l := range []struct {
		lines *lines
		to    *report.Error
	}{{got, &a}, {want, &b}} {
		if len(l.lines.all[report.TypeError]) != 1 || json.Unmarshal(l.lines.all[report.TypeError][0], l.to) != nil {
			t.Fatalf("%q", l.lines.all)
		}
	}
	if a.Kind != b.Kind || a.At != b.At || a.Session != b.Session {
		t.Errorf("%+v, want %+v", a, b)
	}
}

// Violations, and every history, are those of one process; where the search stops at the
// first violation, it says so.
func TestViolations(t *testing.T) {
	t.Parallel()
	c := open(t, &Options{Cluster: Embedded}, 2)
	scopes := []explore.Scope{{All: true, List: true}, {All: true, Group: true}, {All: true}}
	for _, scope := range scopes[:deadlinetest.Of(3, 2)] {
		q := request(isolation.CC)
		q.Scope = scope
		got, want := exploreOn(t.Context(), t, c, "ExploreLost", q, nil), alone(t, "ExploreLost", q)
		same(t, got, want)
		for _, kind := range []string{report.TypeHistory, report.TypeViolation} {
			if a, b := sorted(got.all[kind]), sorted(want.all[kind]); len(a) != len(b) || !scope.Group && strings.Join(a, "") != strings.Join(b, "") {
				t.Errorf("%+v: %d lines of type %s, want %d, or others", scope, len(a), kind, len(b))
			}
		}
	}
	q := request(isolation.CC)
	q.Scope = explore.Scope{}
	got := exploreOn(t.Context(), t, c, "ExploreLost", q, nil)
	if r := got.results(t)["ExploreLost cc"]; r.Stopped != "violation" || r.Violations == 0 || len(got.all[report.TypeViolation]) != 1 {
		t.Errorf("%+v and %d violations", r, len(got.all[report.TypeViolation]))
	}
}

// Limits end a cluster's exploration as they end one process's.
func TestLimits(t *testing.T) {
	t.Parallel()
	c := open(t, &Options{Cluster: Embedded}, 2)
	q := request(isolation.CC)
	q.MaxHistories = 1000
	if r := exploreOn(t.Context(), t, c, "ExploreCounters", q, nil).results(t)["ExploreCounters cc"]; r.Histories != 1000 || r.Stopped != "max-histories" {
		t.Errorf("%+v", r)
	}
	timesOut(t, c, "ExploreMany", isolation.RC)
}

// A limit may stop a part at a level of a database. The part cannot be gone on with. But
// what it has met counts, even if it is the only part that there was.
func TestDatabaseLimits(t *testing.T) {
	t.Parallel()
	timesOut(t, open(t, &Options{Cluster: Embedded}, 2), "ExploreCounters", isolation.PgRC)
}

// timesOut explores a program that does not end in the time that it has. A busy machine may come
// to nothing in so short a time: then it has more.
func timesOut(t *testing.T, c *Cluster, name string, level isolation.Level) {
	t.Helper()
	q := request(level)
	for q.Timeout = 300 * time.Millisecond; ; q.Timeout *= 2 {
		r := exploreOn(t.Context(), t, c, name, q, nil).results(t)[name+" "+level.String()]
		if r.Stopped != "timeout" {
			t.Fatalf("%+v", r)
		}
		if r.Histories > 0 {
			return
		}
	}
}

func sorted(list [][]byte) (out []string) {
	for _, l := range list {
		out = append(out, string(l))
	}
	slices.Sort(out)
	return out
}

// A coordinator that is killed goes on from its checkpoint, on another cluster.
func TestResumed(t *testing.T) {
	t.Parallel()
	pattern := "ExploreCounters"
	if deadlinetest.Full() {
		pattern += "|ShoppingCartCase1"
	}
	resumes(t, pattern, isolation.CC, isolation.SER)
}

// resumes kills coordinators of an exploration, three times.
func resumes(t *testing.T, pattern string, levels ...isolation.Level) {
	t.Helper()
	q := request(levels...)
	want, resumed := alone(t, pattern, q), 0
	for range deadlinetest.Until(t, 1, func() bool { return resumed >= 2 }) {
		all, times := inLives(t, pattern, q, 256)
		same(t, all, want)
		resumed += times
	}
}

// inLives explores on clusters whose coordinators are killed, three times or until it is over,
// and tells what all of them said, and how often one went on.
func inLives(t *testing.T, pattern string, q harness.Request, calls int64) (all *lines, resumed int) {
	t.Helper()
	var left []byte
	all = &lines{all: map[string][][]byte{}}
	for kills := 3; ; kills-- {
		c := open(t, &Options{Cluster: Embedded}, 2)
		c.calls = calls
		q.Checkpoint = time.Millisecond
		q.Done = nil
		for name := range all.results(t) {
			program, iso, _ := strings.Cut(name, " ")
			q.Done = append(q.Done, explore.Place{Program: program, Iso: iso})
		}
		if q.Resume = ""; left != nil {
			resumed++
			q.Resume = filepath.Join(t.TempDir(), "resume.json")
			if err := os.WriteFile(q.Resume, append(append([]byte("["), left...), ']'), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		got := exploreOn(ctx, t, c, pattern, q, func(kind string) {
			if kind == explore.TypeCheckpoint {
				if seen++; seen == 2 && kills > 0 {
					cancel()
				}
			}
		})
		cancel()
		c.Close()
		if n := len(got.all[explore.TypeCheckpoint]); n > 0 {
			left = got.all[explore.TypeCheckpoint][n-1]
		}
		for _, kind := range []string{report.TypeResult, report.TypeHistory, report.TypeViolation} {
			all.all[kind] = append(all.all[kind], got.all[kind]...)
		}
		if len(got.all[harness.TypeEnd]) > 0 {
			return all, resumed
		}
	}
}

// Without a server there is an error that says what to do.
func TestNoServer(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.stop()
	_, err := Open(t.Context(), &Options{Cluster: s.url()}, 0, os.Stderr, t.Logf)
	if err == nil || !strings.Contains(err.Error(), s.url()) || !strings.Contains(err.Error(), "nats-server -js") {
		t.Error(err)
	}
	s.opts.JetStream = false
	s.start()
	if _, err = Open(t.Context(), &Options{Cluster: s.url()}, 0, os.Stderr, t.Logf); err == nil || !strings.Contains(err.Error(), "JetStream") {
		t.Error(err)
	}
}

// Credentials open a server, and wrong ones do not.
func TestCredentials(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.stop()
	file := func(name string) (string, string) {
		user, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		seed, _ := user.Seed()
		public, _ := user.PublicKey()
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, seed, 0o600); err != nil {
			t.Fatal(err)
		}
		return file, public
	}
	right, public := file("right")
	wrong, _ := file("wrong")
	s.opts.Nkeys = []*server.NkeyUser{{Nkey: public}}
	s.start()
	for _, test := range []struct{ creds, want string }{
		{right, ""}, {wrong, "other credentials"}, {"", "other credentials"},
		{filepath.Join(t.TempDir(), "none"), "no such file"},
	} {
		c, err := Open(t.Context(), &Options{Cluster: s.url(), ClusterCreds: test.creds}, 0, os.Stderr, t.Logf)
		if err == nil {
			c.Close()
		}
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// A worker that is another build is told so, and ends.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, test := range []struct {
		change func(*Identity)
		want   string
	}{
		{func(i *Identity) { i.Build = "another" }, "install the same on both"},
		{func(i *Identity) { i.Go = "go1.1" }, "with the same Go"},
		{func(i *Identity) { i.Platform = "plan9/mips" }, "built for plan9/mips"},
	} {
		var mu sync.Mutex
		var said []string
		c, err := Open(t.Context(), &Options{Cluster: s.url()}, 0, os.Stderr, func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			said = append(said, format)
		})
		if err != nil {
			t.Fatal(err)
		}
		c.workers.mu.Lock()
		test.change(&c.queue.identity)
		c.workers.mu.Unlock()
		w := &Worker{Goroutines: 1, Output: os.Stderr, Log: t.Logf}
		err = w.Work(t.Context(), context.Background(), &Options{Cluster: s.url()})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
		c.Close()
		mu.Lock()
		if len(said) == 0 || !strings.Contains(said[0], "refused") {
			t.Errorf("the coordinator says %q", said)
		}
		mu.Unlock()
	}
}

// Without encryption and credentials a server has to be on this machine.
func TestAddresses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		o    Options
		want string
	}{
		{Options{}, ""},
		{Options{Cluster: "embedded"}, ""},
		{Options{Cluster: "nats://127.0.0.1:4222,nats://localhost,nats://[::1]:4222"}, ""},
		{Options{Cluster: "nats://10.0.0.1:4222"}, "it needs encryption: tls://10.0.0.1:4222 or --cluster-ca=FILE; and credentials"},
		{Options{Cluster: "tls://10.0.0.1:4222"}, "it needs credentials"},
		{Options{Cluster: "nats://10.0.0.1", ClusterCreds: file}, "it needs encryption"},
		{Options{Cluster: "tls://10.0.0.1", ClusterCreds: file}, ""},
		{Options{Cluster: "nats://10.0.0.1", ClusterCert: file, ClusterKey: file}, ""},
		{Options{Cluster: "nats://127.0.0.1.example.com"}, "not on this machine"},
		{Options{Cluster: "nats://127.0.0.1,nats://a:secret@db"}, "a:xxxxx@db"},
		{Options{Cluster: "http://127.0.0.1"}, "no protocol of NATS"},
		{Options{Cluster: "somewhere"}, "no address"},
		{Options{Cluster: "tls://db", ClusterCert: file}, "go together"},
		{Options{Cluster: "tls://db", ClusterCreds: file + "none"}, "--cluster-creds"},
		{Options{ClusterCreds: file}, "go with --cluster"},
		{Options{Cluster: "embedded", ClusterCA: file}, "no use for"},
	} {
		err := test.o.Check()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.o, err, test.want)
		}
	}
}

// A server may name others, which need not be on this machine. They are not connected to.
func TestOtherServers(t *testing.T) {
	t.Parallel()
	s, other := newServer(t), newServer(t)
	for _, one := range []*testServer{s, other} {
		one.stop()
		one.opts.JetStream, one.opts.Cluster = false, server.ClusterOpts{Name: "several", Host: "127.0.0.1", Port: -1}
	}
	s.start()
	other.opts.ClientAdvertise = "198.18.0.9:4222"
	other.opts.Routes = []*url.URL{{Scheme: "nats", Host: s.now.ClusterAddr().String()}}
	other.start()
	for s.now.NumRoutes() == 0 || other.now.NumRoutes() == 0 {
		time.Sleep(time.Millisecond)
	}
	conn, err := (&Options{Cluster: s.url()}).connect("test", t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if others := conn.DiscoveredServers(); len(others) > 0 {
		t.Errorf("the client may go to %v", others)
	}
}

// Binaries that nobody has used for long leave the cache.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	old, used, other := filepath.Join(dir, "harness-1.exe"), filepath.Join(dir, "harness-2.exe"), filepath.Join(dir, "other")
	for _, file := range []string{old, used, other} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := filepath.Join(dir, "files-1")
	if err := os.MkdirAll(filepath.Join(files, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-unused - time.Hour)
	for _, file := range []string{old, other, files} {
		if err := os.Chtimes(file, long, long); err != nil {
			t.Fatal(err)
		}
	}
	prune(dir, time.Now().Add(-unused))
	for file, want := range map[string]bool{old: false, used: true, other: true, files: false} {
		if _, err := os.Stat(file); (err == nil) != want {
			t.Errorf("%s: %v", file, err)
		}
	}
}
