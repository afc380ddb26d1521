package program

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/txmc/txmc/program/behaviour"
)

// A session that brings in another row each time that it has read the same brings in
// rows in every round: see [Client.Renew]. Its code is not deterministic. Nothing else
// notices: no behaviour of a round is known in the next one.

// mostRounds is in how many rounds a deterministic session may bring in a row that was
// not known at one place. One would do, as the row is known then.
const mostRounds = 8

// occasion is a write of a session as far as its code can tell it from others: the row
// that is written follows from it.
type occasion struct {
	session    string
	at         behaviour.Loc
	statements int    // of the run, so far
	writes     int    // likewise
	seen       uint64 // stands for what the run has read, but for what was not there
}

// brought is what has come to be known on an occasion.
type brought struct {
	rounds int
	last   int // round
	row    map[string]any
}

// newcomers are the rows that have become known in all rounds of an exploration.
type newcomers struct {
	mu    sync.Mutex
	round int
	known map[occasion]*brought
}

// note notes a row. It returns the row of the same occasion in the last round. tooOften says
// that there were such rows in too many rounds.
func (n *newcomers) note(o occasion, row map[string]any) (before map[string]any, tooOften bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = map[occasion]*brought{}
	}
	b := n.known[o]
	if b == nil {
		n.known[o] = &brought{1, n.round, row}
		return nil, false
	}
	if b.last == n.round {
		return nil, false
	}
	before = b.row
	b.rounds, b.last, b.row = b.rounds+1, n.round, row
	return before, b.rounds > mostRounds
}

// renew begins a round.
func (n *newcomers) renew() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.round++
}

// saw notes that the run has read a value.
func (o *occasion) saw(x behaviour.VarID, v behaviour.ValueID) {
	h := fnv.New64a()
	fmt.Fprint(h, o.seen, x, v)
	o.seen = h.Sum64()
}

// fickle says how a row of a table differs from the row that was written on the same occasion
// the round before.
func fickle(statement, table string, row, before map[string]any) string {
	var differ []string
	for _, column := range slices.Sorted(maps.Keys(row)) {
		if a, b := fmt.Sprint(before[column]), fmt.Sprint(row[column]); a != b {
			differ = append(differ, fmt.Sprintf("%s (%s, then %s)", column, inShort(a), inShort(b)))
		}
	}
	return fmt.Sprintf("the session is not deterministic: after the same reads the statement %q writes another row of %s in each run, with other values of %s. "+
		"What makes them keeps state from one run to the next, as a generator or a counter in a package variable does: "+
		"make it in the Explore function or in the session, or give it what the session has read", statement, table, strings.Join(differ, ", "))
}

// inShort is the beginning of a value.
func inShort(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
