package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/model"
	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/program/access"
)

// Run is one run of a session, which its connections share.
type Run struct {
	*storage.Run
	clock  time.Time
	passed func() time.Duration // see Follow
	random *rand.Rand
	holder *Conn          // has a transaction open
	model  *model.Session // of the database, in place of the storage's log; or nil
	level  model.Level    // under it: of transactions that ask for none
	frozen bool           // the schema must not change
	named  map[string]*holding
}

// NewRun returns a run on a storage. Its random numbers depend on the seed. When it is
// frozen, statements that change the schema are refused.
func NewRun(s *storage.Run, seed uint64, frozen bool) *Run {
	return &Run{Run: s, clock: Epoch, random: rand.New(rand.NewPCG(seed, 1)), frozen: frozen, named: map[string]*holding{}}
}

// Ask makes the run ask a model of the database, at a level of transactions that ask for
// none.
func (r *Run) Ask(m *model.Session, l model.Level) {
	r.model, r.level = m, l
	r.Run.Ask(m)
}

// Follow makes the run's clock never be earlier than what passed says, from [Epoch] on.
func (r *Run) Follow(passed func() time.Duration) { r.passed = passed }

// tick lets a microsecond go by.
func (r *Run) tick() {
	r.clock = r.clock.Add(time.Microsecond)
	if r.passed == nil {
		return
	}
	if t := Epoch.Add(r.passed()); t.After(r.clock) {
		r.clock = t
	}
}

// SetTime sets the run's clock.
func (r *Run) SetTime(t time.Time) { r.clock = t }

// Conn is a connection. It runs one statement at a time.
type Conn struct {
	*Run
	engine  *Engine
	session *storage.Session
	settings
	next  string // level of the next transaction alone, or ""
	using bool   // there has been a statement of it
}

// erReadOnly is the code of a statement that writes in a READ ONLY transaction.
const erReadOnly = 1792

type connKey struct{}

func connOf(ctx *sql.Context) *Conn {
	c, _ := ctx.Value(connKey{}).(*Conn)
	return c
}

// sqlMode is that of a MariaDB that nobody has configured.
const sqlMode = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION"

// Connect opens a connection with a number of CONNECTION_ID().
func (e *Engine) Connect(r *Run, id uint32) (*Conn, error) {
	base := sql.NewBaseSessionWithClientServer("localhost", sql.Client{User: "root", Address: "localhost"}, id)
	base.SetLogger(silent)
	c := &Conn{Run: r, engine: e, session: storage.NewSession(base, r.Run), settings: settings{snapshot: r.level == model.SnapshotIsolation || e.as == access.MariaDB118}}
	c.session.SetCurrentDatabase(e.db.Name())
	ctx := c.context(context.Background(), "")
	for _, v := range []struct {
		name  string
		value any
	}{
		{"autocommit", int8(1)}, {"time_zone", "+00:00"}, {"collation_connection", collation.Name()}, {"sql_mode", sqlMode},
		{isolationVariable, isolations[r.level]},
	} {
		if err := c.session.SetSessionVariable(ctx, v.name, v.value); err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
	}
	if c.model == nil {
		return c, nil
	}
	if err := c.alias(); err != nil {
		return nil, fmt.Errorf("%s: %w", oldIsolation, err)
	}
	return c, nil
}

// FoundRows lets the number of affected rows count the rows that a statement finds, and not
// only those that it changes (the client's flag CLIENT_FOUND_ROWS).
func (c *Conn) FoundRows() {
	client := c.session.Client()
	client.Capabilities |= mysql.CapabilityClientFoundRows
	c.session.SetClient(client)
}

func (c *Conn) context(ctx context.Context, text string) *sql.Context {
	s := sql.NewContext(context.WithValue(ctx, connKey{}, c), sql.WithSession(c.session), sql.WithQuery(text),
		sql.WithPid(c.engine.pid.Add(1)), sql.WithMemoryManager(c.engine.sql.MemoryManager), sql.WithProcessList(c.engine.sql.ProcessList))
	s.SetQueryTime(c.clock)
	return s
}

func (c *Conn) plain() *sql.Context { return c.context(context.Background(), "") }

// Options are how the connection's SQL mode wants statements to be read.
func (c *Conn) Options() sqlparser.ParserOptions {
	return sql.LoadSqlMode(c.context(context.Background(), "")).ParserOptions()
}

// InTransaction reports whether a transaction is open that a statement began.
func (c *Conn) InTransaction() bool { return c.session.GetTransaction() != nil }

// Autocommit reports whether every statement is a transaction by itself otherwise.
func (c *Conn) Autocommit() bool {
	v, err := c.session.GetSessionVariable(c.context(context.Background(), ""), "autocommit")
	on, _ := v.(int8)
	return err != nil || on != 0
}

// Warnings is how many warnings the last statement has given.
func (c *Conn) Warnings() uint16 { return c.session.WarningCount() }

// Use makes a database the current one.
func (c *Conn) Use(name string) error {
	if !c.engine.db.Is(name) {
		e := mysql.NewSQLError(mysql.ERBadDb, "42000", "Unknown database '%s'", name)
		return c.judged("USE "+name, nil, e, e)
	}
	c.session.SetCurrentDatabase(name)
	return nil
}

// Reset makes the connection as new: it ends what is open.
func (c *Conn) Reset() error {
	if err := c.Close(); err != nil {
		return err
	}
	fresh, err := c.engine.Connect(c.Run, c.session.ID())
	if err == nil {
		c.session, c.settings, c.next, c.using = fresh.session, fresh.settings, "", false
	}
	return err
}

// Close rolls back what the connection has open, and gives up its locks by name.
func (c *Conn) Close() error {
	if c.holder == c {
		c.holder = nil
	}
	err := c.end()
	if c.holds() {
		c.model.Statement(c.level, false)
		_, left := c.unname()
		err = errors.Join(err, left, c.model.Commit())
	}
	return err
}

// end rolls back the transaction that is open, if there is one.
func (c *Conn) end() error {
	if !c.InTransaction() {
		return nil
	}
	c.session.SetTransaction(nil)
	c.session.SetIgnoreAutoCommit(false)
	if c.model != nil {
		c.model.Statement(c.level, false) // the end is a step of its own
	}
	return c.Abort()
}

// First splits the first statement off a text.
func (c *Conn) First(text string) (first, rest string, err error) {
	_, at, err := c.engine.sql.Parser.ParseOneWithOptions(context.Background(), text, c.Options())
	if errors.Is(err, sqlparser.ErrEmpty) {
		return "", "", nil
	}
	if err != nil {
		text = quoteNames(text)
		_, at, err = c.engine.sql.Parser.ParseOneWithOptions(context.Background(), text, c.Options())
	}
	if err != nil {
		return text, "", nil // which says what is wrong when it runs
	}
	if at <= 0 || at >= len(text) {
		return text, "", nil
	}
	return strings.TrimRight(text[:at], "; \t\r\n"), strings.TrimSpace(text[at:]), nil
}

// Busy reports whether another connection of the run has a transaction open.
func (c *Conn) Busy() bool { return c.holder != nil && c.holder != c }

// Query runs a statement, with arguments by the names v1, v2 and so on. Its errors are
// those of the server, [*mysql.SQLError], or [*Unexplored].
func (c *Conn) Query(ctx context.Context, text string, args map[string]*query.BindVariable) (*sqltypes.Result, error) {
	if set, inner, is := setStatement(text); is {
		return c.during(ctx, set, inner, args)
	}
	if inner, limit, is := withoutWait(text); is {
		defer func(before settings) { c.settings = before }(c.settings)
		c.limit, c.most, text = limit, 0, inner
	}
	text, does := done(text)
	text = strings.TrimRight(Clean(c.unqualified(text)), "; \t\r\n") // the engine finds a view's SELECT by the end of the text
	c.tick()
	s := c.context(ctx, text)
	r, access := &sqltypes.Result{}, c.session.NextAccess()
	parsed, err := c.parsed(s, text)
	if parsed != nil && err == nil {
		r, err = c.run(s, text, parsed, args, does)
	}
	if c.model != nil {
		err = c.ended(err)
	}
	if err != nil {
		c.session.Failed()
		if c.model != nil && !c.InTransaction() { // a number may have been given back after the end of the transaction
			if ended := c.model.Abort(); ended != nil {
				err = ended
			}
		}
		e := c.failed(s, err)
		if e.Num == erReadOnly && !c.InTransaction() {
			c.session.Access(access) // no transaction has begun
		}
		err = c.judged(text, parsed, err, e)
	}
	c.holder = nil
	if c.InTransaction() {
		c.holder = c
	}
	if does && err == nil {
		r = &sqltypes.Result{}
	}
	return r, err
}

// run runs a statement as a whole: a server evaluates it before the next one of the
// connection. does: it is DO, spelled as SELECT.
func (c *Conn) run(s *sql.Context, text string, parsed sqlparser.Statement, args map[string]*query.BindVariable, does bool) (*sqltypes.Result, error) {
	if done, err := c.before(s, parsed); done || err != nil {
		return &sqltypes.Result{}, err
	}
	c.throughViews(parsed)
	if err := c.unsafe(s, parsed); err != nil {
		return nil, err
	}
	if err := c.refer(s, parsed, does); err != nil {
		return nil, err
	}
	rewrite(parsed, c.hasVariable)
	if limitsIn(parsed) {
		return nil, errLimited
	}
	withRanges(parsed)
	bindings, err := bound(args)
	if err != nil {
		return nil, err
	}
	c.withLikes(parsed, bindings)
	c.withWords(parsed, bindings)
	if err := c.withDates(s, parsed, bindings); err != nil {
		return nil, err
	}
	if bindings != nil {
		c.session.PrepareQuery(text, parsed)
		defer c.session.UnprepareQuery(text)
	}
	before := s.GetLastQueryInfo().LastInsertId.Load()
	schema, iter, _, err := c.engine.sql.QueryWithBindings(s, text, parsed, bindings, nil)
	if err != nil {
		return nil, c.single(err) // a DELETE without a condition has run already
	}
	r, err := c.drain(s, schema, iter)
	if err == nil {
		c.count(s, parsed, r)
	}
	if c.session.Aside() {
		s.GetLastQueryInfo().LastInsertId.Store(c.session.Behind(before))
	}
	if p, sets := parsed.(*sqlparser.Set); sets && err == nil {
		err = c.wasSet(s, p)
	}
	return r, err
}

// parsed is a statement that may run; nil when the text has none.
func (c *Conn) parsed(s *sql.Context, text string) (sqlparser.Statement, error) {
	parsed, _, err := c.engine.sql.Parser.ParseOneWithOptions(s, end.ReplaceAllString(text, "$1"), sql.LoadSqlMode(s).ParserOptions())
	if errors.Is(err, sqlparser.ErrEmpty) {
		return nil, nil
	}
	if err != nil {
		if says := unread(text); says != "" {
			return nil, mysql.NewSQLError(1235, "42000", refusedHere+"%s", says)
		}
		return nil, syntaxError(text, err)
	}
	return parsed, c.refusal(text, parsed)
}

// before does what a statement does before it is evaluated, and reports whether that is
// all: the control of transactions, and changes of a schema that nothing sees.
func (c *Conn) before(s *sql.Context, parsed sqlparser.Statement) (all bool, err error) {
	if err := c.announce(parsed); err != nil {
		return false, err
	}
	if control, err := c.control(s, parsed); control || err != nil {
		return control, err
	}
	if d, is := parsed.(*sqlparser.DBDDL); is {
		switch {
		case !c.frozen:
			return true, c.database(d)
		case c.nothing(d):
			return true, c.finish(s, true)
		}
	}
	if !changesSchema(parsed) {
		return false, nil
	}
	if err := c.schemaChanges(s); err != nil {
		return false, err
	}
	markUnsigned(reflect.ValueOf(parsed))
	return withoutFullText(parsed), nil
}

// refer writes into a statement what it does to its tables, and tells the session of it. does: it is
// DO, spelled as SELECT.
func (c *Conn) refer(s *sql.Context, parsed sqlparser.Statement, does bool) (err error) {
	st := statementOf(parsed)
	_, query := parsed.(sqlparser.SelectStatement)
	r := &referrer{db: c.engine.db, query: query && !does}
	_, sets := parsed.(*sqlparser.Set)
	st.Quiet, st.Sets = r.statement(parsed), sets || does
	st.Buffers, st.Named = r.buffers, r.named
	if st.Existing, err = c.engine.upserts(s, parsed); err != nil {
		return err
	}
	c.session.Begins(st)
	if r.hasty && r.skips && !c.engine.as.IsMySQL() {
		return mysql.NewSQLError(1235, "42000", refusedHere+"NOWAIT and SKIP LOCKED in one statement are not explored: MariaDB ends it with error 1180 where it skips a row. Send two statements")
	}
	if r.hasty && c.model != nil && !c.engine.as.IsMySQL() {
		c.model.Limit(model.NoWait) // MariaDB's NOWAIT is about all that the statement does
	}
	if t := c.session.GetTransaction(); r.writes && t != nil && t.IsReadOnly() {
		return errReadOnly
	}
	return c.noIndex(s, hintsOf(parsed))
}

// errReadOnly is the error of a statement that would write, or lock rows exclusively.
var errReadOnly = mysql.NewSQLError(1792, "25006", "Cannot execute statement in a READ ONLY transaction")

// bound are arguments as expressions.
func bound(args map[string]*query.BindVariable) (map[string]sqlparser.Expr, error) {
	if len(args) == 0 {
		return nil, nil
	}
	list := make(map[string]sqlparser.Expr, len(args))
	for name, a := range args {
		var err error
		if list[name], err = typedArgument(a); err != nil {
			return nil, err
		}
	}
	return list, nil
}
