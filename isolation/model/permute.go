package model

// Permutable is a Database whose sessions can take each other's places.
type Permutable interface {
	Database
	// Permute gives each session s the number to[s]. What the state may become, and what
	// it replies, stays the same with these numbers.
	Permute(to []int8)
	// Rank is a number that a session keeps when it gets another place. It is 0 where
	// nothing in the state is the session's own. Sessions with rank 0 can exchange their
	// places and leave the key as it is.
	Rank(sess int) uint64
}

// Reorder puts element s of a list in the place to[s]; an empty list stays empty.
func Reorder[T any](list []T, to []int8) {
	if len(list) == 0 {
		return
	}
	var room [maxReordered]T
	old := append(room[:0], list...)
	for s, t := range to {
		list[t] = old[s]
	}
}

// maxReordered is the length of a list that needs no memory of its own to be reordered.
const maxReordered = 8
