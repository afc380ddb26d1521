package specs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/explore/spec"
	"github.com/txmc/txmc/pg/wire"
)

// Permutations on a real server. A session waits when the server says that one of the others blocks
// it (pg_isolation_test_session_is_blocked, which is there for this).

// OnServer is a database of a server as a [spec.Database].
type OnServer struct {
	spec     *spec.Spec
	control  *pgconn.PgConn
	sessions []*onServer
	pids     string // of the sessions, as an array of SQL
	patience time.Duration
}

// onServer is a session.
type onServer struct {
	name string
	conn *pgconn.PgConn
	pid  uint32
	done chan string // nil when nothing is under way
	text *string     // what is printed of the step that is done

	mu       sync.Mutex
	notices  []string
	notified []*pgconn.Notification
}

// Connect connects the sessions of a file to a database.
func Connect(ctx context.Context, s *spec.Spec, dsn string) (*OnServer, error) {
	d := &OnServer{spec: s, patience: 6 * time.Minute}
	for i := -1; i < len(s.Sessions); i++ {
		one := &onServer{name: "control connection"}
		if i >= 0 {
			one.name = s.Sessions[i].Name
		}
		if err := one.connect(ctx, s, dsn); err != nil {
			return nil, errors.Join(err, d.Close())
		}
		if i < 0 {
			d.control = one.conn
			continue
		}
		d.sessions = append(d.sessions, one)
		d.pids += fmt.Sprintf(",%d", one.pid)
	}
	d.pids = "'{" + d.pids[1:] + "}'"
	return d, nil
}

func (o *onServer) connect(ctx context.Context, s *spec.Spec, dsn string) error {
	c, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return err
	}
	maps.Copy(c.RuntimeParams, s.Settings(o.name))
	c.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.notices = append(o.notices, wire.NoticeText(n))
	}
	c.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.notified = append(o.notified, n)
	}
	if o.conn, err = pgconn.ConnectConfig(ctx, c); err == nil {
		o.pid = o.conn.PID()
	}
	return err
}

// Close ends the connections.
func (d *OnServer) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var err error
	for _, s := range d.sessions {
		if s.done != nil {
			err = errors.Join(err, s.conn.CancelRequest(ctx))
			<-s.done
		}
		err = errors.Join(err, s.conn.Close(ctx))
	}
	if d.control != nil {
		err = errors.Join(err, d.control.Close(ctx))
	}
	return err
}

// Begin runs the setups.
func (d *OnServer) Begin(ctx context.Context) (printed string, err error) {
	for _, b := range d.spec.Setup {
		results, err := spec.Exec(ctx, d.control, b.SQL)
		if err != nil {
			return "", &spec.Error{File: d.spec.File, Line: b.Line, Message: fmt.Sprintf("the setup has failed: %v", err)}
		}
		printed += spec.Last(results)
	}
	return printed, nil
}

// Do runs a session's setup or teardown.
func (d *OnServer) Do(ctx context.Context, session int, b spec.Block) (printed string, err error) {
	s := d.sessions[session]
	results, err := spec.Exec(ctx, s.conn, b.SQL)
	if err != nil {
		return "", &spec.Error{File: d.spec.File, Line: b.Line, Message: fmt.Sprintf("session %s: %v", s.name, err)}
	}
	return spec.Last(results), nil
}

// Send sends a step.
func (d *OnServer) Send(ctx context.Context, session int, b spec.Block) error {
	s := d.sessions[session]
	s.text, s.done = nil, make(chan string, 1)
	go func(done chan string) {
		results, err := spec.Exec(context.WithoutCancel(ctx), s.conn, b.SQL)
		done <- spec.Text(results, err)
	}(s.done)
	return nil
}

// tick is how often it is asked whether a session waits.
const tick = 10 * time.Millisecond

// Poll waits until the session's step is done, or waits. A step that takes too long is cancelled.
func (d *OnServer) Poll(ctx context.Context, session int, whole bool) (done bool, err error) {
	s := d.sessions[session]
	if s.done == nil {
		return true, nil
	}
	late := time.After(d.patience)
	for {
		select {
		case text := <-s.done:
			s.text, s.done = &text, nil
			return true, nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-late:
			return false, errors.Join(fmt.Errorf("the step of session %s has not ended for %v", s.name, d.patience), s.conn.CancelRequest(ctx))
		case <-time.After(tick):
		}
		if whole {
			continue
		}
		blocked, err := d.blocked(ctx, s)
		if err != nil {
			return false, err
		}
		if blocked && len(s.done) == 0 {
			return false, nil
		}
	}
}

func (d *OnServer) blocked(ctx context.Context, s *onServer) (bool, error) {
	results, err := d.control.Exec(ctx, fmt.Sprintf("SELECT pg_catalog.pg_isolation_test_session_is_blocked(%d, %s)", s.pid, d.pids)).ReadAll()
	if err != nil {
		return false, err
	}
	return string(results[0].Rows[0][0]) == "t", nil
}

// Notices are the messages that have come.
func (d *OnServer) Notices(session int) (list []string) {
	s := d.sessions[session]
	s.mu.Lock()
	defer s.mu.Unlock()
	list, s.notices = s.notices, nil
	return list
}

// Result is what is printed of the step that is done, with the notifications that have come.
func (d *OnServer) Result(session int) string {
	s := d.sessions[session]
	s.mu.Lock()
	defer s.mu.Unlock()
	text := *s.text
	for _, n := range s.notified {
		sender := fmt.Sprintf("PID %d", n.PID)
		if i := slices.IndexFunc(d.sessions, func(o *onServer) bool { return o.pid == n.PID }); i >= 0 {
			sender = d.sessions[i].name
		}
		text += fmt.Sprintf("%s: NOTIFY %q with payload %q from %s\n", s.name, n.Channel, n.Payload, sender)
	}
	s.notified = nil
	return text
}

// End runs the teardown of the file.
func (d *OnServer) End(ctx context.Context) (printed string, err error) {
	if d.spec.Teardown.SQL == "" {
		return "", nil
	}
	results, err := spec.Exec(ctx, d.control, d.spec.Teardown.SQL)
	if err != nil {
		return "", &spec.Error{File: d.spec.File, Line: d.spec.Teardown.Line, Message: fmt.Sprintf("the teardown has failed: %v", err)}
	}
	return spec.Last(results), nil
}

// clear empties the database, which is a scratch one.
func (d *OnServer) clear(ctx context.Context) error {
	_, err := spec.Exec(ctx, d.control, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	return err
}

// empty ends the connections and empties the database, as a permutation that has failed leaves something.
func (d *OnServer) empty() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	control := d.control
	d.control = nil
	err := d.Close()
	d.control = control
	return errors.Join(err, d.clear(ctx), control.Close(ctx))
}
