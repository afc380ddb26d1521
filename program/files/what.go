// Package files knows which runs of sessions have read and changed which files. It reports
// state that passes from one run to another by a file. Such state is in no history: what a
// session does then depends on which runs were before.
//
// A run may read what nobody changes, and what it has made itself. It may change what
// no other run reads.
package files

import "strings"

// What is what a run does with what is at a path: a set of bits. Package overlay has
// the same ones.
type What uint

const (
	// Reads: what is there decides what happens.
	Reads What = 1 << iota
	// Lists: likewise the names in the directory.
	Lists
	// Changes what is there.
	Changes
	// Anew: nothing is left of what was there.
	Anew
	// Names: the name appears, or disappears, in its directory.
	Names
	// Below: so does what is below the directory.
	Below
	// Ensures: a directory is there afterwards, whether or not it was before.
	Ensures
	// Fresh: the name is one that nobody else knows.
	Fresh
	// Gone: nothing is there afterwards.
	Gone
	// Link: the name itself is meant, and not where it leads.
	Link
)

var names = [...]string{"reads", "lists", "changes", "anew", "names", "below", "ensures", "fresh", "gone", "link"}

// String names the bits.
func (w What) String() string {
	var list []string
	for i, name := range names {
		if w>>i&1 == 1 {
			list = append(list, name)
		}
	}
	return strings.Join(list, " ")
}
