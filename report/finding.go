package report

// TypeFinding is the field "type" of a [Finding].
const TypeFinding = "finding"

// Finding is a place in the code that keeps a program from being explored, or
// seems to.
type Finding struct {
	Type    string `json:"type"`   // "finding"
	Schema  int    `json:"schema"` // Schema
	Package string `json:"package"`
	Check   string `json:"check"`   // name of the check
	At      string `json:"at"`      // file:line, the file as seen from the current directory
	Column  int    `json:"column"`  // in bytes, from 1
	What    string `json:"what"`    // what the code does
	Effect  string `json:"effect"`  // what that does to exploration
	Instead string `json:"instead"` // how to write it instead
}
