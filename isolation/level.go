// Package isolation says which histories an isolation level allows.
//
// A level is an axiom on histories: Biswas and Enea, "On the complexity of
// checking transactional consistency", OOPSLA 2019; the form used here is that
// of Bouajjani, Enea, Román-Calvo, PLDI 2023, section 2.2. A history satisfies a
// level when a strict total order co ⊇ so ∪ wr exists such that for every read e
// of x from t1, in t3, and every other transaction t2 that writes x:
// φ(t2, e) implies (t2, t1) ∈ co, where φ is the level's.
package isolation

import (
	"fmt"
	"strings"
)

// Level is an isolation level. The levels form a chain: every history that a
// later one allows is allowed by the earlier ones.
type Level uint8

const (
	// True allows every history with acyclic so ∪ wr.
	True Level = iota
	// RC is read committed.
	RC
	// RA is read atomic.
	RA
	// CC is causal consistency.
	CC
	// PC is prefix consistency.
	PC
	// SI is snapshot isolation.
	SI
	// SER is serializability.
	SER
)

var levelNames = [...]string{"true", "rc", "ra", "cc", "pc", "si", "ser"}

var levelTitles = [...]string{"any", "read committed", "read atomic", "causal consistency",
	"prefix consistency", "snapshot isolation", "serializability"}

// String returns the level's short name: rc, ra, cc, pc, si, ser, or true.
func (l Level) String() string { return levelNames[l] }

// Title returns the level's full name, in lower case.
func (l Level) Title() string { return levelTitles[l] }

// Levels are the levels a user can ask for, weakest first.
func Levels() []Level { return []Level{RC, RA, CC, PC, SI, SER} }

// Parse returns the level of that short name, in any case.
func Parse(name string) (Level, error) {
	for l, n := range levelNames {
		if strings.EqualFold(name, n) {
			return Level(l), nil
		}
	}
	return 0, fmt.Errorf("unknown isolation level %q: the levels are rc, ra, cc, pc, si and ser", name)
}

// ParseList returns the levels of a comma-separated list, in the order given
// and without repetition; "all" stands for all six.
func ParseList(list string) ([]Level, error) {
	var levels []Level
	var seen [len(levelNames)]bool
	add := func(l Level) {
		if !seen[l] {
			seen[l] = true
			levels = append(levels, l)
		}
	}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if strings.EqualFold(name, "all") {
			for _, l := range Levels() {
				add(l)
			}
			continue
		}
		l, err := Parse(name)
		if err != nil || l == True {
			return nil, fmt.Errorf("unknown isolation level %q: the levels are rc, ra, cc, pc, si and ser, or all", name)
		}
		add(l)
	}
	return levels, nil
}
