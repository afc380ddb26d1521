package driver

// Status is what an exploration comes to, as the status with which the process exits.
type Status int

// Statuses.
const (
	OK         Status = 0 // explored completely, and nothing breaks
	Violation  Status = 1
	Failed     Status = 2 // something could not be explored, or not be shown
	Incomplete Status = 3
)

// Worse returns the status that counts of two: an error before a violation before an
// incomplete exploration.
func (a Status) Worse(b Status) Status {
	for _, s := range []Status{Failed, Violation, Incomplete} {
		if a == s || b == s {
			return s
		}
	}
	return OK
}
