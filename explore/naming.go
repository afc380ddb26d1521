package explore

import (
	"fmt"
	"strings"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
)

// Mistakes in options, and advice on other options, are worded as the user gives options: as
// flags of a command, or as options of a check in go test. A Naming writes an option with its
// value, or the option alone when that is ""; "" for an option that cannot be given there.
type Naming func(option, value string) string

// Flags names options as flags of the command.
func Flags(option, value string) string {
	if value == "" {
		return "--" + option
	}
	return "--" + option + "=" + value
}

// Wrong is what is wrong with an option.
type Wrong uint8

const (
	// UnknownBase: there is no base of that name.
	UnknownBase Wrong = iota
	// StrongBase: the base is stronger than the level.
	StrongBase
	// UnknownEngine: there is no engine of that name.
	UnknownEngine
	// BaseOfSerial: the engine serial has no base.
	BaseOfSerial
	// LevelOfSerial: the engine serial does not explore the level.
	LevelOfSerial
	// OfAxiomatic: base and engine are for axiomatic levels only.
	OfAxiomatic
	// OutOfRange: a number or a time is out of its range.
	OutOfRange
)

// OptionError says which options do not go together.
type OptionError struct {
	Wrong  Wrong
	Value  string          // of the option; of OutOfRange, what is wrong with it
	Option string          // of OutOfRange
	Level  isolation.Level // of StrongBase and LevelOfSerial
}

// Error is the error where it is not known how options are given.
func (e *OptionError) Error() string {
	return e.Words(func(option, value string) string { return strings.TrimSuffix(option+" "+value, " ") })
}

// Words is the error for a user who gives options by these names.
func (e *OptionError) Words(name Naming) string {
	switch e.Wrong {
	case UnknownBase:
		return fmt.Sprintf("%s: unknown base %q: the bases are cc, ra, rc, true and none", name("base", ""), e.Value)
	case StrongBase:
		return fmt.Sprintf("%s: base %s is stronger than level %s and would miss histories: %s", name("base", ""), e.Value, e.Level, pairs(name))
	case UnknownEngine:
		return fmt.Sprintf("unknown engine %q: the engines are auto, swap and serial", e.Value)
	case OutOfRange:
		return name(e.Option, "") + " " + e.Value
	case OfAxiomatic:
		return fmt.Sprintf("%v is the level of a database, which is explored in one way only: leave out %s and %s", e.Level, name("base", ""), name("engine", ""))
	case BaseOfSerial:
		return fmt.Sprintf("%s has no base: leave out %s, or use %s", name("engine", "serial"), name("base", e.Value), name("engine", "swap"))
	}
	return fmt.Sprintf("%s explores pc, si and ser, not %v: use %s, which takes what a level has", name("engine", "serial"), e.Level, name("engine", "auto"))
}

// pairs says which bases go with which levels.
func pairs(name Naming) string {
	var list []string
	for _, l := range isolation.Levels() {
		var bases []string
		for _, base := range []isolation.Level{isolation.CC, isolation.RA, isolation.RC} {
			if l.Base().Implies(base) {
				bases = append(bases, base.String())
			}
		}
		list = append(list, " "+name("iso", l.String())+" with "+name("base", strings.Join(append(bases, "true", "none"), "|")))
	}
	return "the pairs are" + strings.Join(list, ";")
}

// Advice is that another engine would have explored more: of the histories that
// the base allows, the level forbids most.
type Advice struct {
	Level     isolation.Level
	Forbidden int64
	EndStates int64
}

// factor is how many histories a search may find that the level forbids, for each
// that it allows, before another engine is advised.
const factor = 10

// advise says what would have explored more before it was stopped; nil is nothing.
func advise(o dpor.Options, st dpor.Stats) *Advice {
	if st.Complete || st.Stopped == work.ByViolation || st.Engine != dpor.Swap || o.DFS || o.Base != isolation.CC || o.Level.CausallyExtensible() ||
		st.EndStates <= factor*st.Histories {
		return nil
	}
	return &Advice{o.Level, st.EndStates - st.Histories, st.EndStates}
}

// Words is the advice for a user who gives options by these names.
func (a *Advice) Words(name Naming) string {
	return fmt.Sprintf("%v forbids %d of the %d histories of cc found so far; %s explores %v alone",
		a.Level, a.Forbidden, a.EndStates, name("engine", "auto"), a.Level)
}
