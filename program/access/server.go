package access

import (
	"slices"
	"strings"
)

// Server is a real database server, which stands behind the sessions in place of one in
// this process. Its methods are called by one goroutine at a time.
type Server interface {
	// Database is the name of the database that the server is: postgres or mysql.
	Database() string
	// Greet is what the server says to a connection that begins with these parameters, the
	// same each time: see Sent.
	Greet(startup string) ([]byte, error)
	// Send answers what makes the schema and the first rows. What sessions send are nodes
	// of their behaviour trees: see program.Backend.Relay.
	Send(q *Sent) ([]byte, error)
	// Whole reports whether a statement in autocommit goes to the server as it is, and not in
	// two: as nobody decides who runs between it and its commit.
	Whole() bool
}

// Sent is what a client sends to a database server before it waits for the answer. It is
// not changed after it has been sent.
type Sent struct {
	// Startup are the parameters with which the connection has begun: names and values, by
	// name, each with a zero byte after it.
	Startup  string
	Messages string   // as the protocol has them
	Texts    []string // the statements that they run, with arguments for people to read
	// Prepares is true of messages that only parse and describe statements. Waits is how
	// many answers are to come where the last message asks for no end of them, else 0.
	Prepares bool
	Waits    int
}

// Same reports whether both send the same.
func (q *Sent) Same(o *Sent) bool {
	if q == nil || o == nil {
		return q == o
	}
	return q.Startup == o.Startup && q.Messages == o.Messages && slices.Equal(q.Texts, o.Texts)
}

// String is the statements.
func (q *Sent) String() string {
	switch {
	case q.Prepares:
		return "prepare a statement"
	case len(q.Texts) == 0:
		return "the end of a batch"
	}
	if text := strings.Join(q.Texts, "; "); text != "" {
		return text
	}
	return "an empty statement"
}
