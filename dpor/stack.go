package dpor

// stackRoom is the stack, in bytes, that a search of some hundred reads needs.
const stackRoom = 100 << 10

// deepen makes the stack of the goroutine large enough for most searches. A
// stack that grows as the search descends is copied again and again, frame by
// frame: an eighth of the time of an exploration of a few hundred histories.
// The room is reserved by entering the function; nothing is done with it.
//
//go:noinline
func deepen(fill bool) {
	if fill {
		var room [stackRoom]byte
		touch(&room)
	}
}

//go:noinline
func touch(room *[stackRoom]byte) { room[0] = 1 }
