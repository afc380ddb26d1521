package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/txmc/txmc/bench"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// fewKills are as many as show that a killed worker costs no count.
const fewKills = 2

var (
	allFlag      = flag.Bool("clients", false, "explore all clients of the benchmark, with 1 to 8 workers")
	killsFlag    = flag.Int("kills", fewKills, "how many workers are killed")
	restartsFlag = flag.Int("restarts", 1, "how often the server is restarted")
)

// workerVariable, of a process that the tests start, says that it is a worker with these
// options, as JSON.
const workerVariable = "TXMC_TEST_WORKER"

// TestMain is a harness or a worker when it is started as one.
func TestMain(m *testing.M) {
	if _, child := os.LookupEnv(harness.Variable); child {
		harness.Main(programs()...)
	}
	if options, child := os.LookupEnv(workerVariable); child {
		os.Exit(explorePart(options))
	}
	os.Exit(m.Run())
}

func explorePart(options string) int {
	o := &Options{}
	if err := json.Unmarshal([]byte(options), o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	soft, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	w := &Worker{Goroutines: 1, ackWait: testWait, Output: os.Stderr, Log: func(string, ...any) {}}
	if err := w.Work(soft, context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// testWait is how long a worker may be silent in tests.
const testWait = 2 * time.Second

// chosen are the programs whose names match.
func chosen(pattern string) (list []harness.Program) {
	match := regexp.MustCompile(pattern)
	for _, p := range programs() {
		if match.MatchString(p.Name) {
			list = append(list, p)
		}
	}
	return list
}

// names are the names of programs.
func names(list []harness.Program) (out []string) {
	for _, p := range list {
		out = append(out, p.Name)
	}
	return out
}

// programs are the clients of the benchmark, and some more.
func programs() []harness.Program {
	clients, err := bench.Load(bench.Own(), bench.Apps())
	if err != nil {
		panic(err)
	}
	list := []harness.Program{
		{Name: "ExploreCounters", Explore: counters(3, 3, 2)}, {Name: "ExploreMany", Explore: counters(4, 2, 1)}, {Name: "ExploreLarge", Explore: counters(5, 2, 1)},
		{Name: "ExploreCrash", Explore: crashing}, {Name: "ExploreWrong", Explore: wrong}, {Name: "ExploreLost", Explore: lost},
		{Name: "ExploreNeeding", Explore: needing}, {Name: "ExploreAlike", Explore: customers}, {Name: "ExploreUnlike", Explore: unlike},
		{Name: "ExploreCrowd", Explore: crowd(false)}, {Name: "ExploreSomeCrowd", Explore: crowd(true)},
	}
	for _, c := range clients {
		name := "Explore" + strings.ToUpper(c.App.Name[:1]) + c.App.Name[1:] + strings.ToUpper(c.Name[:1]) + c.Name[1:]
		list = append(list, harness.Program{Name: name, Explore: c.Explore})
	}
	return list
}

func counters(sessions, txns, vars int) func(*program.Program) {
	return func(p *program.Program) {
		var list []*program.Var[int]
		for i := range vars {
			list = append(list, program.NewVar(p, fmt.Sprint("x", i), 0))
		}
		for i := range sessions {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				for k := range txns {
					s.Txn("inc", func(tx *program.Tx) error {
						x := list[(i+k)%vars]
						x.Set(tx, x.Get(tx)+1)
						return nil
					})
				}
			})
		}
	}
}

// lost loses updates, in many ways.
func lost(p *program.Program) {
	counters(3, 2, 2)(p)
	p.Final("sum", func(tx *program.Tx) error {
		n := tx.Read("x0").(int) + tx.Read("x1").(int)
		return program.Assertf(n > 4, "%d increments", n)
	})
}

// crashing ends its process when it has read a certain value.
func crashing(p *program.Program) {
	counters(3, 2, 1)(p)
	p.Invariant("any", func(*program.Outcome) error { return nil }) // else it is run before, to see what it asserts
	p.Session("end", func(s *program.Session) {
		s.Txn("look", func(tx *program.Tx) error {
			if tx.Read("x0").(int) == 5 {
				fmt.Fprintln(os.Stderr, "five increments")
				os.Exit(7)
			}
			return nil
		})
	})
}

// wrong does not repeat itself.
func wrong(p *program.Program) {
	x := program.NewVar(p, "x", 0)
	for _, name := range []string{"a", "b"} {
		p.Session(name, func(s *program.Session) {
			s.Txn("once", func(tx *program.Tx) error {
				x.Set(tx, x.Get(tx)+int(time.Now().UnixNano()%1000))
				return nil
			})
		})
	}
}

// testServer is a server of NATS on this machine that can be restarted.
type testServer struct {
	t    *testing.T
	opts server.Options
	now  *server.Server
}

// given are the ports of servers: one that is stopped for a while keeps its own.
var given sync.Map

// freePort is a port that no server has had.
func freePort(t *testing.T) int {
	t.Helper()
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		l.Close()
		if _, had := given.LoadOrStore(port, true); !had {
			return port
		}
	}
}

func newServer(t *testing.T) *testServer {
	t.Helper()
	s := &testServer{t: t, opts: server.Options{Host: "127.0.0.1", Port: freePort(t), JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true}}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *testServer) start() {
	s.t.Helper()
	opts := s.opts
	now, err := server.NewServer(&opts)
	if err != nil {
		s.t.Fatal(err)
	}
	go now.Start()
	if !now.ReadyForConnections(time.Minute) {
		s.t.Fatal("the server does not begin")
	}
	s.now = now
}

func (s *testServer) stop() {
	s.now.Shutdown()
	s.now.WaitForShutdown()
}

func (s *testServer) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", s.opts.Port) }

// startWorker starts a worker in a process of its own.
func (s *testServer) startWorker() *exec.Cmd {
	s.t.Helper()
	return startWorker(s.t, &Options{Cluster: s.url()})
}

// startWorker starts a worker in a process of its own, by a command that runs others if
// there is one.
func startWorker(t *testing.T, o *Options, by ...string) *exec.Cmd {
	t.Helper()
	options, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	line := append(by, os.Args[0])
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Env = append(os.Environ(), workerVariable+"="+string(options))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with its harness
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	return cmd
}

// kill kills a worker and waits for its end.
func kill(cmd *exec.Cmd) {
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	cmd.Wait()
}

func (s *testServer) open() *Cluster {
	s.t.Helper()
	return open(s.t, &Options{Cluster: s.url()}, 0)
}

// open opens a cluster whose tasks are small.
func open(t *testing.T, o *Options, workers int) *Cluster {
	t.Helper()
	c, err := Open(t.Context(), o, workers, os.Stderr, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.calls = 256
	return c
}

// request asks for the levels.
func request(levels ...isolation.Level) harness.Request {
	o := explore.Defaults()
	o.Levels, o.MaxOps, o.MaxTreeBytes, o.Patience = levels, 1000, 256<<20, time.Minute
	return harness.Request{Version: harness.Version, Package: "example.com/p", Options: o, Scope: explore.Scope{All: true, Group: true}}
}

// lines are those of a run, by type.
type lines struct {
	mu   sync.Mutex
	all  map[string][][]byte
	each func(kind string) // told of each
}

func (l *lines) add(line []byte) error {
	l.mu.Lock()
	kind := report.Type(line)
	l.all[kind] = append(l.all[kind], slices.Clone(line))
	l.mu.Unlock()
	if l.each != nil {
		l.each(kind)
	}
	return nil
}

// results are what a run says, by program and level.
func (l *lines) results(t *testing.T) map[string]report.Result {
	t.Helper()
	out := map[string]report.Result{}
	for _, line := range l.all[report.TypeResult] {
		var r report.Result
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		out[r.Program+" "+r.Iso] = r
	}
	return out
}

// exploreOn explores the programs on a cluster.
func exploreOn(ctx context.Context, t *testing.T, c *Cluster, pattern string, q harness.Request, each func(kind string)) *lines {
	t.Helper()
	l := &lines{all: map[string][][]byte{}, each: each}
	if q.Programs = names(chosen(pattern)); len(q.Programs) == 0 {
		t.Fatalf("no program is one of %s", pattern)
	}
	h := &load.Harness{Binary: os.Args[0], Dir: "."}
	var exit *exec.ExitError
	if err := c.Run(ctx, nil, h, q, os.Stderr, l.add); err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		t.Fatal(err)
	}
	return l
}

// alone explores the programs in this process.
func alone(t *testing.T, pattern string, q harness.Request) *lines {
	t.Helper()
	l := &lines{all: map[string][][]byte{}}
	o := q.Options
	o.Workers = 1
	r := &explore.Run{Package: q.Package, Options: o, Scope: q.Scope, Sink: collecting{l, t}}
	r.Programs(t.Context(), chosen(pattern))
	return l
}

type collecting struct {
	*lines
	t *testing.T
}

func (c collecting) Turn(string, string, *dpor.Exploration) {}

func (c collecting) Event(event any) {
	line, err := report.Line(event)
	if err != nil {
		c.t.Fatal(err)
	}
	c.add(line)
}

// same checks that two runs have the same results, but for the time.
func same(t *testing.T, got, want *lines) {
	t.Helper()
	a, b := got.results(t), want.results(t)
	if len(a) != len(b) || len(b) == 0 {
		t.Errorf("%d results, want %d: %v", len(a), len(b), slices.Sorted(maps.Keys(a)))
	}
	for name, r := range b {
		if x, y := plain(a[name]), plain(r); x != y {
			t.Errorf("%s:\n%s, want\n%s", name, x, y)
		}
	}
}

func plain(r report.Result) string {
	r.Seconds, r.PeakBytes = 0, 0
	if r.Iso == "pg-ser" || r.Symmetry != nil && r.States > 0 { // the number of states can depend on the order in which they are visited, or on who is pinned
		r.Explored, r.States = 0, 0
	}
	slices.SortFunc(r.Causes, func(a, b report.Group) int { return strings.Compare(a.Cause, b.Cause) })
	data, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
