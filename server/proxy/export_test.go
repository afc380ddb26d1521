package proxy

import (
	"context"
	"strings"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/report"
)

// Outcomes runs all schedules of a program, with everyOne also those that are equivalent
// to others, and returns the outcomes and the number of executions.
func Outcomes(ctx context.Context, s *Server, of *program.Client, level isolation.Level, everyOne bool) (map[string]bool, int64, error) {
	on, err := s.client(ctx, of, level.String())
	if err != nil {
		return nil, 0, err
	}
	defer on.Park()
	e := newSearch(s, on, level)
	e.everyOne = everyOne
	outcomes := map[string]bool{}
	for {
		o, err := e.next(ctx)
		if err != nil || o == nil {
			return outcomes, e.executions, err
		}
		outcomes[seen(on, o.ends)+unmadeLeft(o.left)] = true
	}
}

// KindOf is the kind of a text.
func KindOf(text string) string {
	return [...]string{"runs", "prepares", "means nothing", "saves", "commits", "rolls back"}[kindOf(&access.Sent{Texts: []string{text}})]
}

// Class is what is known of a text: reads, or writes a table, and whether it adds rows.
func Class(text string) string {
	q := &access.Sent{Texts: []string{text}}
	table, adds := writes(q)
	switch {
	case postgres.surelyReads(q):
		return "reads"
	case table != "" && adds:
		return "adds to " + table
	case table != "":
		return "writes " + table
	}
	return "unknown"
}

// Speaks reports whether a text, or the parameters of a connection, may make a transaction
// SERIALIZABLE.
func Speaks(text string) bool {
	if name, value, ok := strings.Cut(text, "="); ok && !strings.Contains(name, " ") {
		return postgres.speaksOfSerializable(&access.Sent{Startup: name + "\x00" + value + "\x00"})
	}
	return postgres.speaksOfSerializable(&access.Sent{Texts: []string{text}})
}

// Prepare puts a program into the database.
func Prepare(ctx context.Context, s *Server, of *program.Client, level isolation.Level) error {
	on, err := s.client(ctx, of, level.String())
	if err == nil {
		on.Park()
	}
	return err
}

// Open is the server of a database.
func Open(ctx context.Context, dsn string, limit time.Duration) (*Server, error) {
	db, err := Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	return On(db, limit), nil
}

// Reset puts the first rows back, and Again makes schema and seed again.
func (s *Server) Reset(ctx context.Context) error { return s.db.Reset(ctx) }

// Again makes schema and seed again.
func (s *Server) Again(ctx context.Context) error { return s.again(ctx) }

// Unmade is a text without what a server makes up.
func Unmade(text string) string { return unmade(text) }

// Alike is the text of an outcome where a server keeps blanks in JSON, or does not.
func Alike(text string, keeps bool) string { return (&Dialect{KeepsBlanks: keeps}).alike(text) }

// Ways are the orders of the sessions in which the schedules of a program run, equivalent ones too:
// with at most so many interruptions, or all with 0.
func Ways(ctx context.Context, s *Server, of *program.Client, level isolation.Level, interruptions int) (list [][]int, err error) {
	on, err := s.client(ctx, of, level.String())
	if err != nil {
		return nil, err
	}
	defer on.Park()
	e := newSearch(s, on, level)
	e.everyOne, e.interruptions = true, interruptions
	for {
		o, err := e.next(ctx)
		if err != nil || o == nil {
			return list, err
		}
		list = append(list, o.way)
	}
}

// BareError is what a session has observed, of errors of MySQL the numbers alone.
func BareError(observed string) string {
	return bareErrors([]report.Assigned{{Value: observed}})[0].Value
}

// FreeAgainst runs a program freely at a level of the server, and compares with the model at
// another one.
func FreeAgainst(ctx context.Context, s *Server, of *program.Client, level, model isolation.Level, runs explore.FreeRuns) (*report.FreeComparison, error) {
	s.free, s.pausing = true, true
	on, err := s.client(ctx, of, level.String())
	if err != nil {
		return nil, err
	}
	defer on.Park()
	heard := &one{}
	f := &finding{Server: s, ctx: ctx, run: &explore.Run{Sink: heard}, client: on, level: level, named: "named"}
	err = f.free(of, model, runs)
	return heard.comparison, err
}

// one keeps a comparison.
type one struct{ comparison *report.FreeComparison }

func (*one) Turn(string, string, *dpor.Exploration) {}
func (o *one) Event(event any)                      { o.comparison, _ = event.(*report.FreeComparison) }

// Plainly is plainly.
func Plainly(text string) string { return plainly(text) }
