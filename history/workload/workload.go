// Package workload makes recorded histories without a database. Transactions are like
// those of the checkers' benchmarks. They run on a simulated store that keeps one
// isolation level, or that has a bug. Equal parameters give equal histories.
//
// The parameters and their defaults are those of Huang et al., "Efficient black-box
// checking of snapshot isolation in databases" (PolySI), VLDB 2023, section 5.1.
package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/isolation"
)

// Config says what to generate. The zero value of a field is not its default: begin
// with [Default] or a preset.
type Config struct {
	Sessions int     // concurrent sessions
	Txns     int     // transactions of each session that commit
	Ops      int     // operations of a transaction
	Reads    float64 // share of reads among the operations, 0 to 1
	Keys     int     // keys, named 0 to Keys-1
	Keyed    Distribution

	// Values, when not 0, is how many values there are: a write chooses one of 1 to
	// Values, and values repeat. Otherwise every write has a value of its own.
	Values int
	Ending

	Level isolation.Level // what the store keeps
	Fault

	// VersionOrder asks for Generator.Versions.
	VersionOrder bool

	Seed uint64
}

// Ending says how transactions end that do not commit.
type Ending struct {
	// Aborts is the share of transactions that the client rolls back, 0 to below 1.
	// The store aborts others on its own when its level demands it.
	Aborts float64
	// Unknowns is the share of transactions of which the client does not hear
	// whether they have committed.
	Unknowns float64
}

// Fault says what is wrong with the store.
type Fault struct {
	// Bug is what is wrong with the store, as often as Bugs says, at equal distances.
	Bug  Bug
	Bugs int
}

// Default is the default workload of PolySI, on a store that keeps SI.
func Default() Config {
	return Config{Sessions: 20, Txns: 100, Ops: 15, Reads: 0.5, Keys: 10000, Keyed: Zipfian,
		Level: isolation.SI, Fault: Fault{Bugs: 1}, Seed: 1}
}

// Presets are the names that [Preset] knows.
func Presets() []string { return []string{"default", "general-rh", "general-rw", "general-wh"} }

// Preset returns PolySI's default workload or one of its three general ones, of
// 10,000 transactions: read-heavy (95 % reads), read-write (50 %) and write-heavy
// (30 %).
func Preset(name string) (Config, error) {
	c := Default()
	general := func(reads float64) (Config, error) {
		c.Sessions, c.Txns, c.Ops, c.Reads, c.Keyed = 25, 400, 8, reads, Uniform
		return c, nil
	}
	switch strings.ToLower(strings.ReplaceAll(name, "-", "")) {
	case "default":
		return c, nil
	case "generalrh":
		return general(0.95)
	case "generalrw":
		return general(0.5)
	case "generalwh":
		return general(0.3)
	}
	return c, fmt.Errorf("unknown preset %q: the presets are %s", name, strings.Join(Presets(), ", "))
}

// Check says what is wrong with the parameters, nil if nothing is.
func (c *Config) Check() error {
	for _, n := range []struct {
		name     string
		is, most int
	}{{"sessions", c.Sessions, 1 << 20}, {"transactions of a session", c.Txns, 1 << 30}, {"operations of a transaction", c.Ops, 1 << 20}, {"keys", c.Keys, 1 << 28}} {
		if n.is < 1 || n.is > n.most {
			return fmt.Errorf("the number of %s is %d: it must be from 1 to %d", n.name, n.is, n.most)
		}
	}
	for _, s := range []struct {
		name string
		is   float64
	}{{"reads", c.Reads}, {"aborted transactions", c.Aborts}, {"unknown outcomes", c.Unknowns}} {
		if !(s.is >= 0 && s.is <= 1) {
			return fmt.Errorf("the share of %s is %v: it must be from 0 to 1", s.name, s.is)
		}
	}
	if c.Aborts > 0.99 {
		return fmt.Errorf("the share of aborted transactions is %v: at most 0.99, or hardly any commits", c.Aborts)
	}
	if c.Values < 0 || c.Bugs < 0 {
		return fmt.Errorf("the numbers of values and of bugs cannot be negative")
	}
	if !slices.Contains(isolation.Levels(), c.Level) {
		return fmt.Errorf("a store keeps rc, ra, cc, pc, si or ser, not %v", c.Level)
	}
	return c.checkBug()
}

// checkBug says why a bug cannot be shown.
func (c *Config) checkBug() error {
	if c.Bug == NoBug {
		return nil
	}
	d := scripts[c.Bug]
	switch {
	case c.Sessions < d.sessions:
		return fmt.Errorf("%v takes %d sessions, and there are %d", c.Bug, d.sessions, c.Sessions)
	case c.Keys < d.keys:
		return fmt.Errorf("%v takes %d keys, and there are %d", c.Bug, d.keys, c.Keys)
	case c.Values > 0:
		return fmt.Errorf("a bug shows only when values are unique")
	}
	return nil
}
