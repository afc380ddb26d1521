package mock

import "github.com/txmc/txmc/program/rows"

// What backends know of rows grows with each row and content that there has been. From
// time to time they are told what can still be read: the variables that the store knows,
// and the contents of versions that it remembers. What has come since they were last told
// is kept, because it may be about to be written. No transaction is open for so long: it
// has been failed before (see forget.go).

// inUse is what can still be read.
type inUse struct {
	variables func(string) bool
	contents  func(key string) bool
}

// Forgets makes the store say from time to time what can still be read: which variables,
// and which contents of rows. It is called before the store is used.
func (s *KV) Forgets(forget func(variables, contents func(key string) bool)) {
	s.forgets = func(u inUse) { forget(u.variables, u.contents) }
}

// announceUse says what is in use, when many transactions have ended.
func (s *KV) announceUse() {
	if s.ends++; s.forgets == nil || s.ends < 2*impatience*s.options.Window {
		return
	}
	s.ends = 0
	contents := map[string]bool{}
	use := func(v any) { contents[rows.KeyOf(v)] = true }
	for _, n := range s.items.list {
		if n != nil {
			for _, v := range n.versions {
				use(v.value)
			}
		}
	}
	for _, t := range s.open {
		for _, v := range t.values {
			use(v.value)
		}
		for _, r := range t.reads {
			use(r.from.value)
		}
	}
	s.forgets(inUse{
		variables: func(key string) bool { _, ok := s.items.numbers[key]; return ok },
		contents:  func(key string) bool { return contents[key] },
	})
}
