package work

import (
	"errors"

	"golang.org/x/sync/errgroup"
)

// The goroutines of workers. Client code runs on them, and may end them.

// Run does something on n goroutines. It returns the error that one of them met;
// the others are stopped then.
func (p *Pool) Run(n int, do func(i int) error) error {
	var g errgroup.Group
	for i := range n {
		g.Go(func() error { return p.Guard(i, do) })
	}
	return g.Wait()
}

// Guard does something for worker i. An error stops the exploration.
func (p *Pool) Guard(i int, do func(i int) error) (err error) {
	// Client code that ends its goroutine ends this one: then nothing
	// but the deferred calls run.
	err = ErrVanished
	defer func() {
		if err != nil {
			p.Stop(ByError)
		}
	}()
	Deepen(false)
	err = do(i)
	if err == ErrStopped {
		err = nil
	}
	return err
}

// ErrVanished is the error of a goroutine that client code has ended.
var ErrVanished = errors.New("client code ended the exploration's goroutine")

// stackRoom is the stack, in bytes, that a search of some hundred reads needs.
const stackRoom = 100 << 10

// Deepen makes the stack of the goroutine large enough for most searches. A
// stack that grows as the search descends is copied again and again, frame by
// frame: an eighth of the time of an exploration of a few hundred histories.
// The room is reserved by entering the function; nothing is done with it.
//
//go:noinline
func Deepen(fill bool) {
	if fill {
		var room [stackRoom]byte
		touch(&room)
	}
}

//go:noinline
func touch(room *[stackRoom]byte) { room[0] = 1 }
