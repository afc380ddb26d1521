package explore

import (
	"context"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// A program that asserts nothing would hold at every level. So its outcomes have to be serial, as
// after Program.Serializable. What it asserts is known by its declarations and by runs: those in
// which sessions are interrupted at most once are looked at before. Where there is nothing to
// check, the result says so.

// Values of Options.Unasserted.
const (
	UnassertedSerial  = "serializable"
	UnassertedNothing = "nothing"
)

// mostLooked bounds the runs that are looked at for assertions.
const mostLooked = 2_000

// CheckSerial has outcomes judged by serial orders where the program asserts nothing. The runs
// that are looked at are those of a client of their own: this one's numbers stay as they are.
func (r *Run) CheckSerial(ctx context.Context, client *program.Client, level isolation.Level) {
	if client.Asserts() || client.ChecksSerial() || r.unchecked(client, level) != "" {
		return
	}
	if looked, err := lookedAt(client, level); err == nil {
		defer looked.Park()
		for d := 0; d <= 1 && !looked.Asserts(); d++ {
			look(ctx, looked, level, d)
		}
		if looked.Asserts() {
			client.CheckAsserted()
			return
		}
	} // an error is met again by the exploration
	client.CheckSerial()
}

// lookedAt is another client of the program, for the level.
func lookedAt(client *program.Client, level isolation.Level) (*program.Client, error) {
	if level.Database() != isolation.NoDatabase {
		return client.DatabaseAt(level.String())
	}
	return client.Without()
}

// look runs the program, with so many interruptions.
func look(ctx context.Context, client *program.Client, level isolation.Level, interruptions int) {
	opts := dpor.Options{Level: level, Base: level.Base(), All: true, Workers: 1, Scope: dpor.Scope{Bound: &dpor.Bound{Calls: mostLooked, Nodes: mostLooked}}}
	opts.DFS = level.Database() == isolation.NoDatabase
	opts.Near, opts.Deviations = true, interruptions
	for _, err := range dpor.Explore(ctx, client, opts).Histories() {
		if err != nil || client.Asserts() {
			return
		}
	}
}

// unchecked says why nothing can be checked of a program that asserts nothing; "" where something
// can.
func (r *Run) unchecked(client *program.Client, level isolation.Level) string {
	sessions := realSessions(client)
	switch {
	case r.Options.Unasserted == UnassertedNothing:
		return "it asserts nothing"
	case level == isolation.SER:
		return "it asserts nothing, and every history at ser is serializable"
	case len(sessions) == 1:
		return "it asserts nothing, and has one session only, which is serial by itself"
	}
	return ""
}

// Check fills in what was checked.
func (r *Run) Check(client *program.Client, level isolation.Level, res *report.Result) {
	idle := len(client.Idle()) == len(realSessions(client))
	switch {
	case res.Violations > 0:
	case res.Complete && idle:
		res.Unchecked = "no session has begun a transaction: did an error end the code before?"
		return
	case res.Complete && res.Histories == 0:
		res.Unchecked = "every history is left out by an assumption"
		return
	}
	what, not := r.Checked(client, level)
	if res.Checked = what; res.Complete && res.Violations == 0 {
		res.Unchecked = not
	}
}

// Checked says what is checked of a program that asserts nothing, or why nothing is; both are "" for
// one that does.
func (r *Run) Checked(client *program.Client, level isolation.Level) (what, not string) {
	if client.Asserts() {
		return "", ""
	}
	if not = r.unchecked(client, level); not == "" {
		what = UnassertedSerial
	}
	return what, not
}

// late reports whether the program asserts something after all, in a run that the search for
// smaller violations has come to: then violations of what it does not assert do not count.
func (r *Run) late(client *program.Client) bool {
	if !client.ChecksSerial() || !client.Asserts() || r.Going.Every > 0 || r.Elsewhere != nil {
		return false
	}
	client.CheckAsserted()
	return true
}
