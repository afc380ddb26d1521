package postgres

// ChoiceKind is the kind of a choice.
type ChoiceKind uint8

// The kinds of choices. RunTask and FailVictim are left to time alone.
const (
	RunSession ChoiceKind = iota // session N does its next action
	RunTask                      // woken task N goes on
	FailVictim                   // waiting session N fails with 40P01
)

// Choice is one way in which a state can go on.
type Choice struct {
	Kind ChoiceKind
	N    int8
}
