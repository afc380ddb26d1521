package innodb

import "github.com/txmc/txmc/isolation/model"

// The kinds of choices. All but the first are left to time alone.
const (
	RunSession = model.RunSession // session N does its next action
	RunTask    = model.RunTask    // the woken statement of session N goes on
	FailVictim = model.FailVictim // session N is the victim of the deadlock
	RunPurge   = model.RunPurge   // purge removes the deleted records of one transaction
	TimeOut    = model.TimeOut    // the wait of session N ends with error 1205
)

// Choice is one way in which a state can go on.
type Choice = model.Choice

// Options are properties of a State that do not change.
type Options struct {
	// Races: every transaction of a deadlock may be its victim. Without it the
	// victim is the one with the least weight.
	Races bool
	// Purge: purge may run between steps. Without it deleted records stay.
	Purge bool
	// Points: an operation pauses before it takes another lock.
	Points bool
	// MySQL: locks are those of MySQL 8.4, where they differ from MariaDB's.
	MySQL bool
	// Record collects footprints.
	Record bool
}
