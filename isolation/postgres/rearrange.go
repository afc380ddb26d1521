package postgres

import "slices"

// Circles that a queue closes: DeadLockCheckRecurse, TestConfiguration and TopoSort of
// src/backend/storage/lmgr/deadlock.c. Where a session waits for nothing but another
// waiter before it, with which it conflicts, it may go first. If that ends the circle,
// nobody fails.

// behind is a request that waits behind another one with which it conflicts, by their places
// in State.advisory, or in State.queue.
type behind struct {
	waiter, before int
	tuple          bool
}

// mostMoves bounds how many requests go before others to end one circle.
const mostMoves = 3

// rearrange ends the circle that the session is on by the order of queues, if it can.
func (s *State) rearrange(sess int) bool {
	for moves := 1; moves <= mostMoves; moves++ {
		if s.reorder(moves, []int{sess}) {
			s.wakeAdvised()
			for i := range s.queue {
				s.grant(i)
			}
			return true
		}
	}
	return false
}

// reorder looks for so many moves after which none of the sessions, nor who has been moved or
// overtaken, is on a circle.
func (s *State) reorder(moves int, watched []int) bool {
	if moves == 0 {
		return !slices.ContainsFunc(watched, s.onCycle)
	}
	for _, b := range s.softly() {
		queue, advisory := s.queue, s.advisory
		one, other := s.overtake(b)
		if s.reorder(moves-1, append(slices.Clip(watched), one, other)) {
			return true
		}
		s.queue, s.advisory = queue, advisory
	}
	return false
}

// softly lists who waits behind whom.
func (s *State) softly() (list []behind) {
	for i := range s.advisory {
		for j := range i {
			if a, b := &s.advisory[i], &s.advisory[j]; !a.granted && !b.granted && a.conflicts(b) {
				list = append(list, behind{i, j, false})
			}
		}
	}
	for i, a := range s.queue {
		for j, b := range s.queue[:i] {
			if !a.granted && !b.granted && a.tid == b.tid && conflicts(a.mode, b.mode) {
				list = append(list, behind{i, j, true})
			}
		}
	}
	return list
}

// overtake moves a request before the other one, in a copy of the queue. It returns their
// sessions.
func (s *State) overtake(b behind) (waiter, before int) {
	if b.tuple {
		r := s.queue[b.waiter]
		before = int(s.queue[b.before].session)
		s.queue = slices.Insert(slices.Delete(slices.Clone(s.queue), b.waiter, b.waiter+1), b.before, r)
		return int(r.session), before
	}
	a := s.advisory[b.waiter]
	before = int(s.advisory[b.before].session)
	s.advisory = slices.Insert(slices.Delete(slices.Clone(s.advisory), b.waiter, b.waiter+1), b.before, a)
	return int(a.session), before
}
