package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/advise"
	"github.com/txmc/txmc/explore/replay"
	"github.com/txmc/txmc/report"
)

// maxStack is how large a goroutine's stack may grow, in bytes. Go itself lets it
// grow to 1 GB, and moves it at each doubling, frame by frame: endless recursion
// takes most of a minute to get there.
const maxStack = 64 << 20

// Program is an Explore function and its name.
type Program = explore.Program

// Main explores the programs as the environment tells it to, reports on
// [Descriptor], and ends the process. An interrupt ends it early, with the
// counts so far.
func Main(programs ...Program) { MainOn(nil, programs...) }

// MainOn is Main for programs that a request may run on a real server, which the function
// given has. Only programs that are built for it have one: it needs a driver.
func MainOn(server func(explore.OnServer) explore.Server, programs ...Program) {
	text, ok := os.LookupEnv(Variable)
	if !ok {
		fatal("this program was built by \"txmc explore\", which runs it; it does nothing by itself")
	}
	os.Unsetenv(Variable)
	request, err := parse([]byte(text))
	if err != nil {
		fatal(fmt.Sprintf("%s does not hold the options: %v", Variable, err))
	}
	keepToSelf(Descriptor)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	SpareMemory()
	debug.SetMaxStack(maxStack)
	out := newStream(os.NewFile(Descriptor, "reports"))
	if err := run(ctx, request, out, server, programs); err != nil {
		out.send(report.NewError(request.Package, "", "", err))
	}
	out.send(End{TypeEnd})
	out.flush()
	// Client code may be stuck in a goroutine that nothing else can end.
	os.Exit(0)
}

// parse reads the request. It reads no more of another version's request, which may
// name what this version does not know.
func parse(text []byte) (*Request, error) {
	var version struct {
		Version int    `json:"version"`
		Package string `json:"package"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, err
	}
	request := &Request{Version: version.Version, Package: version.Package}
	if version.Version != Version {
		return request, nil
	}
	return request, json.Unmarshal(text, request)
}

// run does what the request says.
func run(ctx context.Context, q *Request, out *stream, server func(explore.OnServer) explore.Server, programs []Program) error {
	if q.Version != Version {
		return fmt.Errorf("the txmc command and the module's github.com/txmc/txmc do not fit "+
			"(protocol %d and %d): install the command in the version that go.mod names, or update go.mod", q.Version, Version)
	}
	if q.Programs != nil {
		programs = slices.DeleteFunc(programs, func(p Program) bool { return !slices.Contains(q.Programs, p.Name) })
	}
	s := &sink{out: out}
	go s.tick()
	var on explore.Server
	if q.Server.DSN != "" {
		if server == nil {
			return errors.New("the harness was built without what talks to servers")
		}
		on = server(q.Server)
		defer on.Close()
	}
	task, err := q.task(on)
	if err != nil {
		return err
	}
	going := explore.Progress{Every: q.Checkpoint, Done: q.Done}
	if going.Resume, err = resumed(q.Resume); err != nil {
		return err
	}
	r := &explore.Run{Package: q.Package, Options: q.Options, Scope: q.Scope, Sink: s, Task: task, Estimate: q.Estimate, Going: going, Server: on, Confirm: q.Server.Confirm}
	switch {
	case q.Mode == ModeParts:
		return serve(ctx, r, programs, orders())
	case q.Elsewhere:
		r.Elsewhere = ask(s, orders())
	}
	r.Programs(ctx, programs)
	return nil
}

// task is what the request wants of each program and level.
func (q *Request) task(on explore.Server) (explore.Task, error) {
	switch q.Mode {
	case ModeLevels:
		return explore.Count, nil
	case ModeCompare:
		return explore.Compare(q.Stronger), nil
	case ModeAdvise:
		return advise.Task(q.Among), nil
	case ModeReplay:
		saved, err := replay.Read(q.Replay)
		if err != nil {
			return nil, err
		}
		if on != nil {
			return on.Replay(saved), nil
		}
		return explore.Replay(saved), nil
	}
	switch {
	case on != nil && q.Server.Free != nil:
		return on.Free(*q.Server.Free), nil
	case on != nil && !q.Server.Confirm:
		return on.Find(q.Server.Compare), nil
	}
	return explore.Find, nil
}

// resumed reads where to go on.
func resumed(file string) (list []explore.Checkpoint, err error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read where to go on: %w", err)
	}
	return list, nil
}

func fatal(message string) {
	fmt.Fprintln(os.Stderr, "txmc: "+message)
	os.Exit(2)
}
