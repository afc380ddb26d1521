package application

import (
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// A batch is what a client sends before it waits for an answer: a simple query, or the messages of the extended
// protocol up to Sync or Flush (documentation of PostgreSQL, 54.2).

// message is a message as it was sent, with its type.
type message []byte

// encode is a message of pgproto3's.
func encode(m interface{ Encode([]byte) ([]byte, error) }) message {
	b, err := m.Encode(nil)
	if err != nil {
		panic(err) // only messages that are too long cannot be encoded, and this one has been decoded
	}
	return b
}

// query is a statement that has no parameters.
func query(sql string) message { return encode(&pgproto3.Query{String: sql}) }

// decode reads a message whose type is known. It reports whether it could.
func (m message) decode(into interface{ Decode([]byte) error }) bool {
	return into.Decode(m[5:]) == nil
}

// batch are messages, and how their answers end.
type batch struct {
	messages []message
	answers  int  // that have to come where no ReadyForQuery does: after a Flush
	sync     bool // a ReadyForQuery ends the answers
	ends     bool // the client hangs up
	from     origin
}

// receive reads a batch.
func receive(from *pgproto3.Backend) (batch, error) {
	var b batch
	for {
		m, err := from.Receive()
		if err != nil {
			return b, err
		}
		b.messages = append(b.messages, encode(m))
		switch m.(type) {
		case *pgproto3.Query, *pgproto3.Sync, *pgproto3.CopyDone, *pgproto3.CopyFail, *pgproto3.FunctionCall:
			b.sync = true
			return b, nil
		case *pgproto3.Terminate:
			b.ends = true
			return b, nil
		case *pgproto3.Flush:
			return b, nil
		case *pgproto3.Parse, *pgproto3.Bind, *pgproto3.Close, *pgproto3.Execute, *pgproto3.Describe:
			b.answers++
		}
	}
}

// answers are what a server says to a batch.
type answers struct {
	messages []message
	status   byte // of ReadyForQuery; 0 where there was none
	failed   bool
}

// bytes are the answers as they are sent.
func (a *answers) bytes() (all []byte) {
	for _, m := range a.messages {
		all = append(all, m...)
	}
	return all
}

// conn is a connection to a database that this process opens.
type conn struct {
	net.Conn
	front *pgproto3.Frontend
}

func newConn(c net.Conn) *conn { return &conn{c, pgproto3.NewFrontend(c, c)} }

// greet begins a connection to a server that asks for no password.
func (c *conn) greet(parameters map[string]string) (*answers, error) {
	hello := encode(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: parameters})
	if _, err := c.Write(hello); err != nil {
		return nil, err
	}
	out, err := c.hear(batch{sync: true})
	if err == nil && out.failed {
		err = errors.New(out.failure())
	}
	return out, err
}

// exchange sends a batch and reads its answers.
func (c *conn) exchange(b batch) (*answers, error) {
	for _, m := range b.messages {
		if _, err := c.Write(m); err != nil {
			return nil, err
		}
	}
	if b.ends {
		return &answers{}, nil
	}
	return c.hear(b)
}

// run sends a statement that has no parameters.
func (c *conn) run(sql string) (*answers, error) {
	return c.exchange(batch{messages: []message{query(sql)}, sync: true})
}

// hear reads the answers to a batch.
func (c *conn) hear(b batch) (*answers, error) {
	a := &answers{}
	for heard := 0; b.sync || heard < b.answers; {
		m, err := c.front.Receive()
		if err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				err = io.EOF
			}
			return a, err
		}
		a.messages = append(a.messages, encode(m))
		switch m := m.(type) {
		case *pgproto3.ReadyForQuery:
			a.status = m.TxStatus
			return a, nil
		case *pgproto3.CopyInResponse: // the client's turn
			return a, nil
		case *pgproto3.ErrorResponse:
			a.failed = true
			if !b.sync {
				return a, nil
			}
		case *pgproto3.ParseComplete, *pgproto3.BindComplete, *pgproto3.CloseComplete, *pgproto3.RowDescription, *pgproto3.NoData,
			*pgproto3.CommandComplete, *pgproto3.EmptyQueryResponse, *pgproto3.PortalSuspended:
			heard++
		}
	}
	return a, nil
}

// failure is the text of the error among the answers.
func (a *answers) failure() string {
	if e := a.err(); e != nil {
		return fmt.Sprintf("%s (%s)", e.Message, e.Code)
	}
	return ""
}

// code is the SQLSTATE of the error among the answers, "" of none.
func (a *answers) code() string {
	if e := a.err(); e != nil {
		return e.Code
	}
	return ""
}

// err is the error among the answers, nil for none.
func (a *answers) err() *pgproto3.ErrorResponse {
	for _, m := range a.messages {
		var e pgproto3.ErrorResponse
		if m[0] == 'E' && m.decode(&e) {
			return &e
		}
	}
	return nil
}

// failing are answers that are an error.
func failing(b batch, status byte, code, text string) *answers {
	a := &answers{failed: true}
	a.add(&pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: code, Message: text})
	if status == 'T' {
		status = 'E'
	}
	return a.ready(b, status)
}

func (a *answers) add(m pgproto3.BackendMessage) { a.messages = append(a.messages, encode(m)) }

// ready ends the answers to a batch.
func (a *answers) ready(b batch, status byte) *answers {
	if b.sync {
		a.add(&pgproto3.ReadyForQuery{TxStatus: status})
		a.status = status
	}
	return a
}

// texts are the statements that a batch sends or prepares, each once. named gives the text of a prepared statement.
func (b batch) texts(named func(string) string) (list []string) {
	parsed := map[string]bool{}
	for _, m := range b.messages {
		switch m[0] {
		case 'Q':
			var q pgproto3.Query
			if m.decode(&q) {
				list = append(list, q.String)
			}
		case 'P':
			var p pgproto3.Parse
			if m.decode(&p) {
				list, parsed[p.Name] = append(list, p.Query), true
			}
		case 'B':
			var d pgproto3.Bind
			if m.decode(&d) && !parsed[d.PreparedStatement] && named(d.PreparedStatement) != "" {
				list = append(list, named(d.PreparedStatement))
			}
		}
	}
	return list
}

// sole is the statement of a batch that has one, which returns no rows; false of other batches. Where the
// batch only prepares or describes it, that is no such batch.
func (b batch) sole(named func(string) string) (sql string, is bool) {
	list := b.texts(named)
	if len(list) == 0 || !b.sync {
		return "", false
	}
	runs := false
	for _, m := range b.messages {
		switch m[0] {
		case 'Q', 'E':
			runs = true
		case 'P', 'B', 'D', 'S':
		default:
			return "", false
		}
	}
	for _, other := range list[1:] {
		if other != list[0] {
			return "", false
		}
	}
	sql = strings.TrimRight(strings.TrimSpace(list[0]), "; ")
	return sql, runs && !strings.Contains(sql, ";")
}

// tag answers a batch of one statement that returns no rows, as a server does.
func (b batch) tag(tag string, status byte) *answers {
	a := &answers{}
	done := func() {
		if tag == "" {
			a.add(&pgproto3.EmptyQueryResponse{})
		} else {
			a.add(&pgproto3.CommandComplete{CommandTag: []byte(tag)})
		}
	}
	for _, m := range b.messages {
		switch m[0] {
		case 'Q', 'E':
			done()
		case 'P':
			a.add(&pgproto3.ParseComplete{})
		case 'B':
			a.add(&pgproto3.BindComplete{})
		case 'D':
			var d pgproto3.Describe
			if m.decode(&d) && d.ObjectType == 'S' {
				a.add(&pgproto3.ParameterDescription{})
			}
			a.add(&pgproto3.NoData{})
		}
	}
	return a.ready(b, status)
}

var (
	beginning = regexp.MustCompile(`(?i)^(BEGIN|START\s+TRANSACTION)\b`)
	ending    = regexp.MustCompile(`(?i)^(ROLLBACK|COMMIT|END|ABORT)(\s+(WORK|TRANSACTION))?$`)
)

// endingTag is the tag of a statement that ends a transaction.
func endingTag(sql string) string {
	word, _, _ := strings.Cut(strings.ToUpper(sql), " ")
	switch word {
	case "END":
		return "COMMIT"
	case "ABORT":
		return "ROLLBACK"
	}
	return word
}
