package mock

import (
	"cmp"
	"slices"

	"github.com/txmc/txmc/program/behaviour"
)

// read answers a read of the open transaction.
func (s *KV) read(t *txn, x behaviour.VarID, lock bool) (any, error) {
	n := s.items.list[x]
	if own := t.wrote(x); own != nil {
		t.note(s, Event{Key: n.key, Version: own.id, Value: own.value, Own: true})
		return own.value, nil
	}
	v, choices := s.draw(t, x, lock)
	if v == nil {
		return nil, s.fail(t, serialization("no version of "+n.key+" is allowed"))
	}
	lock = lock || t.serial
	s.add(t, read{x, v, lock})
	s.counts.read(s, n, v, choices)
	t.note(s, Event{Key: n.key, Version: v.id, Value: v.value, Lock: lock})
	return v.value, nil
}

// draw returns a version of x that the transaction may read, nil when there is none,
// and whether there is another one.
func (s *KV) draw(t *txn, x behaviour.VarID, lock bool) (drawn *version, choice bool) {
	for _, list := range s.offered(t, x) {
		if drawn, choice = s.try(t, x, lock, list); drawn != nil || t.serial && t.weak != WeakAlways {
			break
		}
	}
	return drawn, choice
}

func (s *KV) try(t *txn, x behaviour.VarID, lock bool, list []*version) (drawn *version, choice bool) {
	for _, v := range s.order(list, lock || t.weak == WeakOff) {
		if !s.mayRead(t, read{x, v, lock || t.serial}) {
			continue
		}
		if drawn != nil {
			return drawn, true
		}
		drawn = v
	}
	return drawn, false
}

// order puts versions into the order in which they are tried. A locking read is of the
// newest version that it can read, and so is any read where weak answers are off. With an older version the write that mostly follows
// would only fail. The older version is met when the transactions run in another order.
func (s *KV) order(list []*version, newest bool) []*version {
	if len(list) < 2 {
		return list
	}
	if newest || s.options.Latest > 0 && s.rand.Float64() < s.options.Latest {
		slices.Reverse(list)
		return list
	}
	switch {
	case s.options.Fresh > 0 && s.rand.Float64() < s.options.Fresh:
		s.shuffleFresh(list)
	case s.options.BySession:
		s.shuffleBySession(list)
	default:
		s.rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return list
}

// shuffleFresh shuffles by weight (Efraimidis, Spirakis, "Weighted random sampling with a
// reservoir", 2006). A version that has been served n times is drawn 1/(1+n) times as
// often as a version that never was. So none is left out.
func (s *KV) shuffleFresh(list []*version) {
	drawn := make(map[*version]float64, len(list))
	for _, v := range list {
		drawn[v] = s.rand.ExpFloat64() * float64(1+v.served)
	}
	slices.SortFunc(list, func(a, b *version) int { return cmp.Compare(drawn[a], drawn[b]) })
}

// shuffleBySession shuffles by writers' sessions, and the versions of each session. All
// sessions with a version that is allowed are equally likely. So are all such versions of a
// session. What lies before all transactions counts as a session.
func (s *KV) shuffleBySession(list []*version) {
	drawn := map[*Session]float64{}
	of := func(v *version) *Session {
		if v.writer == nil {
			return nil
		}
		return v.writer.session
	}
	for _, v := range list {
		if _, ok := drawn[of(v)]; !ok {
			drawn[of(v)] = s.rand.Float64()
		}
	}
	s.rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	slices.SortStableFunc(list, func(a, b *version) int { return cmp.Compare(drawn[of(a)], drawn[of(b)]) })
}
