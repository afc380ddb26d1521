package innodb

// ChoiceKind is the kind of a choice.
type ChoiceKind uint8

// The kinds of choices. All but the first are left to time alone.
const (
	RunSession ChoiceKind = iota // session N does its next action
	RunTask                      // the woken statement of session N goes on
	FailVictim                   // session N is the victim of the deadlock
	RunPurge                     // purge removes the deleted records of one transaction
)

// Choice is one way in which a state can go on.
type Choice struct {
	Kind ChoiceKind
	N    int8
}

// Options are properties of a State that do not change.
type Options struct {
	// Races: every transaction of a deadlock may be its victim. Without it the
	// victim is the one with the least weight.
	Races bool
	// Purge: purge may run between steps. Without it deleted records stay.
	Purge bool
	// Record collects footprints.
	Record bool
}
