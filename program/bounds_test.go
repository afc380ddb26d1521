package program_test

import (
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// What has no end is an error at the limit; what stays within it is not.
func TestMaxOps(t *testing.T) {
	const limit = 20
	for what, step := range map[string]struct {
		explore func(n int) func(*program.Program)
		parts   []string
	}{
		"writes": {func(n int) func(*program.Program) {
			return one(func(_ *program.Session, tx *program.Tx) {
				for i := range n {
					tx.Write("x", i) //@write
				}
			})
		}, []string{`transaction "t" has more than 20 operations`, at(t, "write")}},
		"reads": {func(n int) func(*program.Program) {
			return one(func(_ *program.Session, tx *program.Tx) {
				for range n {
					tx.Read("x") //@read
				}
			})
		}, []string{`transaction "t" has more than 20 operations`, at(t, "read")}},
		"transactions": {func(n int) func(*program.Program) {
			return session(func(s *program.Session) {
				for range n {
					s.Txn("t", nothing) //@txn
				}
			})
		}, []string{"more than 20 transactions in one session", at(t, "txn")}},
		"observations": {func(n int) func(*program.Program) {
			return session(func(s *program.Session) {
				for range n {
					s.Observe("o", 1) //@observe
				}
			})
		}, []string{"more than 20 observations in one session", at(t, "observe")}},
	} {
		wants(t, broken(t, step.explore(1<<40), program.Options{MaxOps: limit}), behaviour.Unbounded,
			append(step.parts, `session "client"`, "bound the loop")...)
		c, err := program.NewClient(t.Name(), step.explore(limit), program.Options{MaxOps: limit})
		if err != nil {
			t.Fatal(err)
		}
		if n := follow(t, c, 0); len(n.Failures) > 0 {
			t.Errorf("%s: %v", what, n.Failures[0].Message)
		}
		c.Park()
	}
	wants(t, broken(t, func(p *program.Program) {
		p.Session("s", idle)
		p.Setup(func(tx *program.Tx) error {
			for {
				tx.Write("x", 1) //@setup
			}
		})
	}, program.Options{}), behaviour.Unbounded, "more than 1000 operations", at(t, "setup"))
}
