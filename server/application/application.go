package application

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"sync"
	"time"
)

// Processes says how many processes an application has.
type Processes string

// How sessions are spread.
const (
	Shared     Processes = "shared"      // one process serves all sessions
	PerSession Processes = "per-session" // each session has a process, as where the application has replicas
	PerRun     Processes = "per-run"     // each run of a session has a new process
)

// Config says how an application is started and listened to.
type Config struct {
	Start     string           // the command, for the shell
	Dir       string           // where it runs
	Env       []string         // more variables
	Agent     string           // of [Agents]; "" for none
	Ready     Request          // answered, and not by a 5xx, when the application has started
	Processes Processes        // how sessions are spread
	Ignore    []*regexp.Regexp // statements that belong to no request
	Limit     time.Duration    // how long the application may be silent while a request is under way
	Patience  time.Duration    // how long it may take to start
	Settle    time.Duration    // how long statements may follow a response
}

// Application runs an application. Its fields do not change once a process has started.
type Application struct {
	Config
	// Prepare is called when a process has started, while its connections lead to the database that it has started on.
	Prepare func(*Process) error
	// Scratch makes a database, and calls f while it is there.
	Scratch func(f func(dial func() (net.Conn, error)) error) error
	// Aside opens a connection to a database for what belongs to no request.
	Aside func() (net.Conn, error)

	mu        sync.Mutex
	processes map[string]*Process
	figures   Figures
	greeted   []byte // what a server says at a connection's begin
	memory    memory
	setup     setup
}

// Begins says when the clock of databases begins: near the present, as the application has its own. It is called before anything starts.
func (a *Application) Begins(t time.Time) { a.memory.begins, a.setup.begins = t, t }

// Figures are what the application was asked for.
type Figures struct {
	Starts   int // of processes
	Requests int // of runs, and commands
}

// Figures are those so far.
func (a *Application) Figures() Figures {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.figures
}

func (a *Application) count(f func(*Figures)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f(&a.figures)
}

// StartOn starts the process of the first session on the database that dial leads to, and prepares it. What is there already is
// started anew.
func (a *Application) StartOn(ctx context.Context, session string, dial func() (net.Conn, error)) error {
	p, err := a.slot(session)
	if err != nil {
		return err
	}
	a.setup.begin()
	return p.start(ctx, dial)
}

// Learn starts the process of a session on a database of its own, to see which values differ from start to start. It comes before
// [Application.StartOn].
func (a *Application) Learn(ctx context.Context, session string) error {
	p, err := a.slot(session)
	if err != nil {
		return err
	}
	return a.setup.learn(func() error {
		return a.Scratch(func(dial func() (net.Conn, error)) error { return p.start(ctx, dial) })
	})
}

// Starts says that what f does is a start, as of commands that are no application; the first one, as [Application.Learn] does.
func (a *Application) Starts(first bool, f func() error) error {
	if first {
		return a.setup.learn(f)
	}
	a.setup.begin()
	return f()
}

// Greet learns from a database what a server says at a connection's begin, for connections that begin while no run is there.
func (a *Application) Greet(dial func() (net.Conn, error)) error {
	raw, err := dial()
	if err != nil {
		return err
	}
	c := newConn(raw)
	defer c.Close()
	said, err := c.greet(map[string]string{"user": "postgres", "database": "postgres"})
	if err == nil {
		a.greets(said)
	}
	return err
}

func (a *Application) greets(said *answers) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.greeted = said.bytes()
}

// slot is the process of a session, which may not have started.
func (a *Application) slot(session string) (*Process, error) {
	if a.Processes == Shared {
		session = ""
	}
	return a.named(session)
}

// named is the process of that name.
func (a *Application) named(session string) (*Process, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.processes[session]; p != nil {
		return p, nil
	}
	m, err := newMux(a)
	if err != nil {
		return nil, err
	}
	if a.processes == nil {
		a.processes = map[string]*Process{}
	}
	p := &Process{app: a, mux: m, session: session}
	a.processes[session] = p
	return p, nil
}

// Of is the process that serves a session. Where it does not run, it starts on a database of its own, which nobody looks at.
func (a *Application) Of(ctx context.Context, session string) (*Process, error) {
	p, err := a.slot(session)
	if err != nil {
		return nil, err
	}
	if p.alive() && (a.Processes != PerRun || !p.used) {
		p.used = true
		return p, nil
	}
	err = a.Scratch(func(dial func() (net.Conn, error)) error { return p.start(ctx, dial) })
	p.used = true
	return p, err
}

// Commands has the port to which commands of a session lead: a process without an application.
func (a *Application) Commands(session string) (*Process, error) { return a.named("run " + session) }

// Dial opens a connection to the database on which the process starts.
func (p *Process) Dial() (net.Conn, error) {
	p.mux.mu.Lock()
	base := p.mux.base
	p.mux.mu.Unlock()
	if base == nil {
		return nil, errors.New("no database is being made")
	}
	return base()
}

// Close ends all processes.
func (a *Application) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.processes {
		p.kill()
		p.mux.close()
	}
	a.processes = nil
}

// StartError is met when an application does not start.
type StartError struct {
	What string // what has happened
	Said string // its last lines
}

// Error says what has happened, with the application's last lines.
func (e *StartError) Error() string { return fmt.Sprintf("the application %s%s", e.What, e.Said) }
