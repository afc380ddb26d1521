package work

import "fmt"

// MisfitError says that a frontier, or a trace, is not of this program or not of
// these options.
type MisfitError struct{ Why string }

// Error says what does not fit.
func (e *MisfitError) Error() string { return "the checkpoint does not fit the program: " + e.Why }

// Misfit returns a [*MisfitError].
func Misfit(format string, args ...any) error { return &MisfitError{fmt.Sprintf(format, args...)} }

// MisfitRest says that a call does not have the rest that a subtree is.
func MisfitRest(sub *Subtree) error {
	return Misfit("the rest %q at %d of a call that does not have it", sub.Kind, sub.Next)
}
