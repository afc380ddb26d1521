package minimise

import (
	"context"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/innodb"
	"github.com/txmc/txmc/isolation/postgres"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/behaviour"
)

// Why an assertion fails at a level of a database: it is asked what it does when the transactions
// run one after another, and what at stronger levels.

// Cause is what is known of why an assertion failed at a level of a database.
type Cause struct {
	// Serially is what the assertion does when the transactions run one after another:
	// fails, holds, or "" when a bounded search cannot tell.
	Serially string
	// AtStrongest is what it does at the database's serializable level, for all
	// transactions; "" at that level itself.
	AtStrongest string
	// Errors are the SQLSTATEs that code meets there.
	Errors []string
	// Weakest is the weakest stronger level at which it holds, for all transactions; "" where
	// none is known. WeakestErrors are the SQLSTATEs there.
	Weakest       string
	WeakestErrors []string
}

// CauseOf looks for what would have kept an assertion that has failed.
func CauseOf(ctx context.Context, client *program.Client, opts dpor.Options, failure *behaviour.Failure) (c Cause) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	serial := opts
	serial.Near, serial.Deviations = true, 0
	c.Serially, _ = judged(ctx, client, serial, failure)
	stronger := strongerThan(opts.Level)
	if len(stronger) == 0 {
		return c
	}
	strongest := stronger[len(stronger)-1]
	c.AtStrongest, c.Errors = judgedAt(ctx, client, opts, strongest, failure)
	if c.AtStrongest != holds.String() || c.Serially == fails.String() {
		return c
	}
	c.Weakest, c.WeakestErrors = strongest.String(), c.Errors
	for _, level := range stronger[:len(stronger)-1] {
		if said, errors := judgedAt(ctx, client, opts, level, failure); said == holds.String() {
			c.Weakest, c.WeakestErrors = level.String(), errors
			break
		}
	}
	return c
}

// strongerThan are the levels of the same database that BEGIN can ask for instead, weakest first.
func strongerThan(level isolation.Level) []isolation.Level {
	levels := isolation.LevelsOf(level.Database())
	levels = levels[slices.Index(levels, level)+1:]
	return slices.DeleteFunc(slices.Clone(levels), func(l isolation.Level) bool { return l == isolation.InnoRRSI })
}

// judgedAt tells what the assertion does where all transactions have a level, and which errors
// there are.
func judgedAt(ctx context.Context, client *program.Client, opts dpor.Options, level isolation.Level, failure *behaviour.Failure) (said string, errors []string) {
	if client.UsesBackend() { // which tells the application at which level it runs
		var err error
		if client, err = client.DatabaseAt(level.String()); err != nil {
			return "", nil
		}
		defer client.Park()
	}
	opts.Level, opts.OneLevel = level, true
	return judged(ctx, client, opts, failure)
}

// judged tells what the assertion does in a bounded exploration, and which errors
// there are.
func judged(ctx context.Context, client *program.Client, opts dpor.Options, failure *behaviour.Failure) (said string, errors []string) {
	x := dpor.Explore(ctx, client, boundedStates(opts))
	v := unknown
	for found, err := range x.Histories() {
		if err != nil {
			return "", nil
		}
		if !opts.Near && asksLess(client, found, opts.Level) {
			return "", nil
		}
		if slices.ContainsFunc(found.Failures, func(f *behaviour.Failure) bool { return Same(f, failure) }) {
			v = fails
		}
	}
	stats := x.Stats()
	if v == unknown && stats.Complete {
		v = holds
	}
	for _, e := range stats.Errors {
		if !slices.Contains(errors, e.Code) {
			errors = append(errors, e.Code)
		}
	}
	return v.String(), errors
}

// asksLess reports whether a transaction in SQL asks for a weaker level of its own: the server's
// executor runs it at that one whatever the others have.
func asksLess(client *program.Client, found *dpor.Found, level isolation.Level) bool {
	levels := map[isolation.Level]uint8{isolation.PgRR: uint8(postgres.RepeatableRead), isolation.PgSer: uint8(postgres.Serializable)}
	if db := client.Storage(); db != nil && db.Engine == access.Trees {
		levels = map[isolation.Level]uint8{isolation.InnoRR: uint8(innodb.RepeatableRead), isolation.InnoSer: uint8(innodb.Serializable)}
	}
	for session, end := range found.Ends {
		for _, n := range end.Path() {
			if session != client.Final() && n.Kind == behaviour.Serve && n.Request != nil && n.Request.Level < levels[level] {
				return true
			}
		}
	}
	return false
}
