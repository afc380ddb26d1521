package main

// Exit statuses.
const (
	statusOK         = 0
	statusViolation  = 1
	statusError      = 2
	statusIncomplete = 3
)

// worse returns the status that counts of two: an error before a violation before
// an incomplete exploration.
func worse(a, b int) int {
	for _, s := range []int{statusError, statusViolation, statusIncomplete} {
		if a == s || b == s {
			return s
		}
	}
	return statusOK
}
