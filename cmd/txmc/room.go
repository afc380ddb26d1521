package main

import "sync"

// room keeps what is in it at a time within a bound.
type room struct {
	mu    sync.Mutex
	freed *sync.Cond
	most  int64
	used  int64
}

func newRoom(most int64) *room {
	r := &room{most: most}
	r.freed = sync.NewCond(&r.mu)
	return r
}

// enter waits until there is room, or nobody else is there. It returns the size.
func (r *room) enter(size int64) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.used > 0 && r.used+size > r.most {
		r.freed.Wait()
	}
	r.used += size
	return size
}

func (r *room) leave(size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= size
	r.freed.Broadcast()
}
