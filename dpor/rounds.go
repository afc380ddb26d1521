package dpor

import (
	"errors"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program"
)

// A program whose statements a database evaluates is explored in rounds. A scan of a
// table reads the rows that are known. A transaction may bring in a row that was not
// known: the scans before have not read it. Then the round ends, and the next one
// begins at the beginning with that row. A round to the end of which nothing becomes
// known is the exploration. Its counts are the exploration's.
//
// What is handed on cannot be taken back. Where every history or every violation
// is wanted, a round that hands on nothing comes first; the next one walks what the
// first has recorded. Where the first violation is wanted, the round that finds it
// is the last. No transaction of that history inserts a row that its scans did not
// know. Of other rows the scans would have read that they are not there initially,
// which forbids nothing.

// maxRounds bounds the rounds: each one makes a row known at least.
const maxRounds = 1_000

// rounds are the rounds of an exploration.
type rounds struct {
	number int
	silent bool        // this one hands on nothing
	first  *work.Found // violation of a silent round
	some   bool        // something was handed on
}

// roundly explores in rounds, each of which round runs.
func (x *Exploration) roundly(round func() error) error {
	if !x.prog.Grows() {
		return x.symmetrically(round)
	}
	for ; ; x.nextRound() {
		if x.rounds.number > 0 || x.prog.Again() != nil {
			if err := x.renew(); err != nil {
				return err
			}
		}
		err := round()
		switch {
		case errors.Is(err, program.ErrAgain):
			if x.rounds.some || x.rounds.number == maxRounds {
				return x.prog.Endless(x.rounds.number)
			}
		case err != nil || !x.rounds.silent || x.pool.Halted():
			return err
		default:
			x.setSilent(false)
		}
	}
}

// renew begins another round. What was recorded is forgotten when it lacks rows.
func (x *Exploration) renew() error {
	if x.prog.Again() != nil {
		if err := x.prog.Renew(); err != nil {
			return err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rounds.first, x.passes, x.trial, x.estimated, x.began = nil, nil, nil, false, false
	x.stats.Estimate = work.Estimate{}
	x.hire()
	return nil
}

func (x *Exploration) nextRound() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rounds.number++
}

func (x *Exploration) setSilent(silent bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rounds.silent = silent
}

// handing makes send keep back what a silent round finds, but for one violation.
func (x *Exploration) handing(send func(*work.Found) error) func(*work.Found) error {
	return func(f *work.Found) error {
		x.mu.Lock()
		silent := x.rounds.silent
		if silent && x.rounds.first == nil && len(f.Failures) > 0 {
			x.rounds.first = f
		}
		x.rounds.some = x.rounds.some || !silent
		x.mu.Unlock()
		if silent || x.symmetric.repeats(f, x.prog) {
			return nil
		}
		return send(f)
	}
}

// interrupted returns the violation that is handed on when a silent round is
// stopped, if it has found any.
func (x *Exploration) interrupted() *work.Found {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.rounds.silent {
		return x.rounds.first
	}
	return nil
}
