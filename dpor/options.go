package dpor

import (
	"time"

	"github.com/txmc/txmc/dpor/serial"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
)

// Options choose what an exploration does.
type Options struct {
	// Level is the isolation level whose histories are wanted.
	Level isolation.Level
	// Base is the level that the search itself keeps to: a causally extensible
	// level that Level.Base implies. Complete histories are filtered by Level.
	Base isolation.Level
	// DFS explores without partial order reduction, the paper's baseline; it
	// repeats histories. Base is ignored.
	DFS bool
	// Engine is the algorithm; "" is Swap. Levels up to CC and DFS have Swap only.
	Engine Engine
	Selection
	// All goes on after the first violation.
	All bool
	// List yields every history, not only the violations.
	List bool
	// Workers is the number of goroutines that explore; 0 means one for each
	// core. What is found does not depend on it; with one worker, and at the
	// beginning with several, the order in which it is found is always the same.
	Workers int
	SearchOrder
	Scope
	Progress
	inTests
}

// Selection is which histories or executions are explored, of all that there are.
type Selection struct {
	// Near makes DFS keep to nearly serial runs: at most Deviations times a session
	// goes on although another one has begun and not ended, or a read is not from
	// the transaction that has written last. What is left out makes the result no
	// less Complete. (Musuvathi and Qadeer bound preemptions in this way: Iterative
	// context bounding for systematic testing of multithreaded programs, PLDI 2007.)
	//
	// Under a database's model a deviation is a switch to another session while the one before
	// has an open transaction and could go on.
	Near       bool
	Deviations int
	// Whole, under a database's model, counts a switch as a deviation also when the
	// session before has no open transaction, but could go on. Without any deviation the
	// runs are orders of whole sessions.
	Whole bool
	// Switches, under a database's model, bounds how often another session goes on than
	// the one before; 0 bounds nothing.
	Switches int
	// Ways, under a database's model, yields each execution, and not one for each outcome:
	// what is counted are executions then.
	Ways bool
	// OneLevel, under a database's model, gives the level to transactions that ask for
	// another one as well.
	OneLevel bool
	// NoRaces, under a database's model, leaves out what only a server's timing decides. The
	// victim of a deadlock is the session that has closed it. Sessions that one step wakes
	// go on in the order of their queue.
	NoRaces bool
	// Steps, under a database's model, is how much of a statement is a step. Schedules that are
	// run again have Points.
	Steps states.Steps
	// Symmetric are sets of sessions that are said to be alike. Each is in ascending order, and
	// no session is in two of them. Of the histories that permutations of a set's sessions make
	// of each other, one is found. Sessions that turn out to differ are told apart:
	// Stats.Symmetry. The engine is Serial then, at every axiomatic level, unless Engine is Swap.
	// DFS, Bound and programs that grow know no symmetry, nor does the engine States with Ways or
	// Part. There sessions have to do the same without a renaming of keys and values.
	Symmetric [][]int
}

// SearchOrder is in which order histories are found.
type SearchOrder struct {
	// ShareAtOnce lets workers share small programs too. Without it the first worker is
	// alone at the beginning.
	ShareAtOnce bool
	// Newest lets reads try the last writer first, and else the first. It is there to be
	// compared with (bench/README.md, "The first violation").
	Newest bool
	// Probes is how many random histories are looked at when the search has found so
	// many without a violation as ProbeAfter says, if the first violation ends the
	// exploration. They count only if one of them is a violation. 0 stands for 100
	// after 8; less than 0 for none, and for at once. Under a database's model they are
	// executions, after states that were visited, and 0 stands for 100 after 100.
	Probes, ProbeAfter int
}

// Scope is where an exploration begins, and what ends it early.
type Scope struct {
	// MaxHistories stops the exploration when it meets one history more than
	// that; 0 means no limit.
	MaxHistories int64
	// Bound, when not nil, stops the exploration after so much work.
	Bound *Bound
	// Resume, when not nil, is where another exploration of the same program
	// was: this one goes on and ends with the same counts. What does not fit is an
	// error.
	Resume *Frontier
	// Part, when not nil, makes it a part of a larger exploration.
	Part *Part
	// Halted, when not "", is why what Resume has left is not explored: the exploration
	// ends at once with those counts, and with this reason.
	Halted work.Reason
}

// Progress is what an exploration says while it runs.
type Progress struct {
	// Estimate estimates how large the whole exploration is: [Stats.Estimate].
	Estimate bool
	// Checkpoint, when not nil, gets what is left every CheckpointEvery (0: not before
	// the end). It also gets it at the end when the context or MaxHistories has stopped
	// the exploration. It is called between two histories of [Exploration.Histories]:
	// all that were counted have been yielded, and no other. Its error ends the
	// exploration.
	Checkpoint      func(*Frontier) error
	CheckpointEvery time.Duration
}

// inTests is what only tests set.
type inTests struct {
	everyPath    bool            // the engine States visits a state by each way to it, for the outcomes
	lookAtAll    bool            // the engine States tells apart what no statement looks at
	trialCalls   int64           // of auto, before it decides; 0: trialCalls
	decided      Engine          // what auto decides then
	learnNothing bool            // the serial engine begins without knowledge
	ablation     serial.Ablation // the serial engine does less against dead ends
}

// Found is a complete history or execution: what [Exploration.Histories] yields.
type Found = work.Found

// Engine is an algorithm.
type Engine string

const (
	// Swap is explore-ce and explore-ce*.
	Swap Engine = "swap"
	// Serial extends histories by whole transactions and never leaves the level
	// asked for, which is PC, SI or SER. Options.Base is ignored.
	Serial Engine = "serial"
	// States visits the states of a database's model: it is the engine of the levels
	// of databases, and of no other.
	States Engine = "states"
	// Auto takes Swap or Serial, whichever is likely to be faster.
	Auto Engine = "auto"
)

// Symmetry is what came of Options.Symmetric.
type Symmetry struct {
	// Sets are the sets of sessions that are alike, as far as they were explored. There
	// are none when there is no symmetry. What follows is of use only if there are
	// some.
	Sets [][]int
	// Histories and Violations are the numbers of all, of which Stats.Histories and
	// Stats.Violations have one of each kind.
	Histories, Violations int64
	// Off says, in words, why sessions of Options.Symmetric are told apart.
	Off []string
}

// Stats are the counts of an exploration, and what else is known of it.
type Stats struct {
	work.Counts
	Depth     int // transactions in the current history
	Round     int // of an exploration that begins again as rows become known, counted from 1; 0 when it has ended
	Elapsed   time.Duration
	PeakBytes uint64 // most memory in use by the Go runtime, sampled
	// Complete is true when every history was explored. Nothing else entitles
	// to say that a program has no violation.
	Complete bool
	Stopped  work.Reason // why not complete
	// Engine is the algorithm; Auto until it is decided. Why says what decided.
	Engine Engine
	Why    string
	// Estimate is empty unless Options.Estimate asks for it.
	Estimate work.Estimate
	Symmetry Symmetry
	OfDatabase
}

// OfDatabase is what an exploration under a database's model has met, besides its outcomes;
// nothing before the end. What an exploration that this one resumes has met is not in it.
type OfDatabase struct {
	// Steps are those of sessions, to states that were visited before as well, with what
	// only timing decides.
	Steps int64
	// Errors are those of the database, by SQLSTATE, those of COMMIT last.
	Errors []states.DatabaseError
	// Waits are operations at which sessions have waited, one of each transaction that
	// waits on some way.
	Waits []*behaviour.Node
	// LeftOut says that there are executions beyond the bounds of Near and Switches.
	LeftOut bool
}
