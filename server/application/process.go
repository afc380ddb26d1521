package application

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Process is a process of an application, with the port to which its connections lead. It may be started more than
// once; the port stays.
type Process struct {
	app     *Application
	mux     *mux
	session string // "" where all share it
	used    bool   // a run was here
	port    int    // on which the application listens
	keeper  *exec.Cmd
	hold    io.Closer     // ends the keeper, and so the application
	exited  chan struct{} // closed when the application has ended
	state   error         // how it has ended
	output  *tail
}

// start starts the application on a database and prepares it.
func (p *Process) start(ctx context.Context, dial dialer) (err error) {
	p.kill()
	p.used = false
	p.mux.setUp(dial)
	defer func() {
		if err != nil { // first, as what it sends after that would be a statement of no request
			p.kill()
		}
		p.mux.setUp(nil)
	}()
	if p.port, err = freePort(); err != nil {
		return err
	}
	if err = p.spawn(p.app.Start, ""); err != nil {
		return err
	}
	p.app.count(func(f *Figures) { f.Starts++ })
	if err = p.ready(ctx); err == nil && p.app.Prepare != nil {
		err = p.app.Prepare(p)
	}
	return err
}

// freePort is a port on which nobody listens.
func freePort() (int, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// spawn starts the process, below a keeper that ends it when this process ends.
func (p *Process) spawn(command, trace string) (err error) {
	p.output = &tail{}
	agent, err := agentEnvironment(p.app.Agent)
	if err != nil {
		return fmt.Errorf("the agent for %s cannot be written: %w", p.app.Agent, err)
	}
	p.keeper, p.hold, err = keep(command, p.app.Dir, append(append(p.environment(), "TRACEPARENT="+trace), agent...), p.output)
	if err != nil {
		return fmt.Errorf("%s cannot be started: %w", command, err)
	}
	exited, keeper := make(chan struct{}), p.keeper
	p.exited = exited
	go func() {
		p.state = keeper.Wait()
		close(exited)
	}()
	return nil
}

// Run runs a command and waits for its end. The response is its exit status and what it prints. The command finds the trace in TRACEPARENT.
func (p *Process) Run(ctx context.Context, command, trace string) Response {
	if err := p.spawn(command, trace); err != nil {
		return Response{Err: err}
	}
	select {
	case <-p.exited:
	case <-ctx.Done():
		p.kill()
		return Response{Err: ctx.Err()}
	}
	p.hold.Close()
	var exit *exec.ExitError
	status := 0
	if errors.As(p.state, &exit) {
		status = exit.ExitCode()
	}
	return Response{Status: status, Body: p.output.String(), Command: true}
}

// Lead leads the connections of commands to a database that is being made, until it is called with nil.
func (p *Process) Lead(dial func() (net.Conn, error)) { p.mux.setUp(dial) }

// environment are the variables by which the application finds its port and its database.
func (p *Process) environment() []string {
	host, port, _ := net.SplitHostPort(p.mux.listener.Addr().String())
	env := append(os.Environ(), fmt.Sprintf("PORT=%d", p.port), "SESSION="+p.session)
	return append(append(env, databaseEnvironment(host, port)...), p.app.Env...)
}

// databaseEnvironment are the usual variables of PostgreSQL's clients.
func databaseEnvironment(host, port string) []string {
	return []string{
		fmt.Sprintf("DATABASE_URL=postgresql://postgres:txmc@%s:%s/postgres?sslmode=disable", host, port),
		"PGHOST=" + host, "PGPORT=" + port, "PGUSER=postgres", "PGPASSWORD=txmc", "PGDATABASE=postgres", "PGSSLMODE=disable",
	}
}

// ready waits until the application answers.
func (p *Process) ready(ctx context.Context) error {
	deadline := time.Now().Add(p.app.Patience)
	for {
		r := p.send(ctx, p.app.Ready, time.Second)
		if r.Err == nil && r.Status < 500 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.exited:
			return &StartError{"has ended before it was ready: " + p.ended(), p.Said()}
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return &StartError{fmt.Sprintf("has not answered %s for %v (%v): does it listen on the port that PORT names?", p.app.Ready, p.app.Patience, r), p.Said()}
		}
	}
}

// ended says how the process has ended.
func (p *Process) ended() string {
	var exit *exec.ExitError
	switch {
	case p.state == nil:
		return "exit status 0"
	case errors.As(p.state, &exit):
		return exit.String()
	}
	return p.state.Error()
}

// Said are the last lines that the application has printed, for an error; "" of none.
func (p *Process) Said() string {
	text := strings.TrimRight(p.output.String(), "\n")
	if text == "" {
		return ""
	}
	return "; its last lines:\n\t" + strings.ReplaceAll(text, "\n", "\n\t")
}

// silent is an error of a process that says nothing while a request is under way.
func (p *Process) silent() error {
	hint := ""
	if p.app.Processes == Shared {
		hint = ": does the request wait for another one, which waits in the database? \"processes: per-session\" gives each session a process of its own"
	}
	return fmt.Errorf("the application has sent neither a statement nor its response for %v%s%s", p.app.Limit, hint, p.Said())
}

func (p *Process) alive() bool {
	if p.keeper == nil {
		return false
	}
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// kill ends the application, with all that it has started.
func (p *Process) kill() {
	if p.keeper == nil {
		return
	}
	p.hold.Close()
	<-p.exited
	p.keeper = nil
}
