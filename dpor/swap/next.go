package swap

import (
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// next makes sure that the history's next event belongs to its last transaction. When
// no transaction is pending it begins one: of those not started, the least in the
// oracle order (PLDI 2023, section 5.1). The oracle order is that of sessions, and of
// positions within a session. It extends so: the Finals are the last session and begin
// when all others have ended. next returns false when no transaction is left. begun
// says whether one was begun.
func next(h *semantics.Ordered) (begun, ok bool) {
	if h.Last().Status == semantics.Pending {
		return false, true
	}
	for s := range h.Sessions() {
		if h.Node(s).Kind != behaviour.End {
			h.Begin(s)
			return true, true
		}
	}
	return false, false
}
