package mock

import (
	"fmt"
	"maps"
	"slices"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/rows"
)

// Renew begins anew with other values, of another schema. No transaction is open. For who
// records, a transaction of the session "schema" writes what is different.
func (s *KV) Renew(values map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.items
	s.items = items{numbers: map[string]behaviour.VarID{}, empty: map[behaviour.VarID]struct{}{}}
	s.begun++
	t := &txn{session: &Session{Name: "schema"}, number: s.begun, state: committed}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		v := s.items.list[s.items.number(key)].versions[0]
		v.value = values[key]
		if old := was.newest(key); rows.KeyOf(old.value) == rows.KeyOf(v.value) && fmt.Sprint(old.value) == fmt.Sprint(v.value) {
			v.id = old.id
			continue
		}
		s.written++
		v.id = s.written
		t.note(s, Event{Write: true, Key: key, Version: v.id, Value: v.value})
	}
	for _, key := range slices.Sorted(maps.Keys(was.numbers)) {
		if _, ok := values[key]; !ok && was.newest(key).value != nil {
			s.written++
			s.items.list[s.items.number(key)].versions[0].id = s.written
			t.note(s, Event{Write: true, Key: key, Version: s.written})
		}
	}
	if len(t.events) > 0 {
		s.hand(t)
	}
	s.commits++
	s.mark, s.forced.stale = mark{}, true
	s.window.witness.order = nil
	s.window.witness.valid = !s.options.Level.CausallyExtensible()
	s.window.reset(len(s.slots))
	s.vacate()
}

// newest is the version of a key that was committed last.
func (s *items) newest(key string) *version {
	x, ok := s.numbers[key]
	if !ok {
		return &version{}
	}
	n := s.list[x]
	return n.versions[len(n.versions)-1]
}
