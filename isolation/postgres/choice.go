package postgres

import "github.com/txmc/txmc/isolation/model"

// ChoiceKind is the kind of a choice.
type ChoiceKind = model.ChoiceKind

// The kinds of choices. RunTask and FailVictim are left to time alone.
const (
	RunSession = model.RunSession // session N does its next action
	RunTask    = model.RunTask    // woken task N goes on
	FailVictim = model.FailVictim // waiting session N fails with 40P01
)

// Choice is one way in which a state can go on.
type Choice = model.Choice
