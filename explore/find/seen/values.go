package seen

import (
	"fmt"
	"go/constant"
	"maps"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
)

// made is the transaction with all that was seen.
func (t *transaction) made(c *Call) *source.Transaction {
	t.Statements = nil
	for n, s := range t.statements {
		s.Number = n
		t.Statements = append(t.Statements, s.Statement)
		if s.key == "" {
			continue
		}
		s.Loop = s.repeated()
		c.Effects[s.Statement] = s.made()
	}
	return t.Transaction
}

// repeated reports whether a transaction has sent the statement twice.
func (s *statement) repeated() bool {
	times := map[[2]int]int{}
	for _, o := range s.seen {
		if times[[2]int{o.run, o.instance}]++; times[[2]int{o.run, o.instance}] > 1 {
			return true
		}
	}
	return false
}

// made is what the statement does, with arguments for its parameters, and for the constants in
// its text that were not the same in all runs: libraries write arguments there.
func (s *statement) made() *access.Effect {
	params := len(s.seen[0].args)
	s.Args, s.same = nil, map[int]int{}
	for k := range params {
		s.Args = append(s.Args, s.value(func(o seen) (string, bool) {
			if k >= len(o.args) {
				return "", false
			}
			return plain(o.args[k]), true
		}))
	}
	e := *s.effect
	e.Accesses = nil
	slot := 0
	for _, a := range s.effect.Accesses {
		b := *a
		for _, set := range []*map[int]access.Operand{&b.Bound, &b.Sets} {
			if *set == nil {
				continue
			}
			changed := maps.Clone(*set)
			for _, c := range slices.Sorted(maps.Keys(*set)) {
				changed[c] = s.operand((*set)[c], slot)
				slot++
			}
			*set = changed
		}
		e.Accesses = append(e.Accesses, &b)
	}
	return &e
}

// operand is an operand with a parameter in place of a constant that was not always the same.
func (s *statement) operand(o access.Operand, slot int) access.Operand {
	text := func(x seen) (string, bool) {
		if slot >= len(x.slots) {
			return "", false
		}
		return x.slots[slot], true
	}
	if o.Param > 0 || !o.Known {
		return o
	}
	v := s.value(text)
	if v.Op == source.Const {
		return o
	}
	n, ok := s.same[slot]
	if !ok {
		s.Args = append(s.Args, v)
		n = len(s.Args)
		for k := range s.seen[0].slots { // others with the same texts are the same
			if s.alike(slot, k) {
				s.same[k] = n
			}
		}
	}
	return access.Operand{Param: n, Known: true}
}

// alike reports whether two slots have had the same text each time.
func (s *statement) alike(a, b int) bool {
	for _, o := range s.seen {
		if a >= len(o.slots) || b >= len(o.slots) || o.slots[a] != o.slots[b] {
			return false
		}
	}
	return true
}

// operands are the constants and arguments that columns are bound and set to, as texts, in the
// order of made.
func operands(e *access.Effect, args []string) (list []string) {
	for _, a := range e.Accesses {
		for _, set := range []map[int]access.Operand{a.Bound, a.Sets} {
			for _, c := range slices.Sorted(maps.Keys(set)) {
				o := set[c]
				if o.Param > 0 && o.Param <= len(args) {
					list = append(list, plain(args[o.Param-1]))
				} else {
					list = append(list, plain(o.Const))
				}
			}
		}
	}
	return list
}

// value is the origin of a text of a statement. It is the arguments of the call that were equal
// to the text in all runs, when two runs had different texts. It is a constant when the text
// was the same in two runs.
func (s *statement) value(text func(seen) (string, bool)) *source.Value {
	var candidates []string
	texts, runs := map[string]bool{}, map[string]bool{} // runs with the same arguments are one
	for i, o := range s.seen {
		t, ok := text(o)
		if !ok {
			return &source.Value{Op: source.Unknown}
		}
		texts[t], runs[fmt.Sprint(o.given)] = true, true // fmt sorts the keys
		var equal []string
		for path, given := range o.given {
			if given == t {
				equal = append(equal, path)
			}
		}
		if i == 0 {
			candidates = equal
		}
		candidates = slices.DeleteFunc(candidates, func(p string) bool { return !slices.Contains(equal, p) })
	}
	switch {
	case len(runs) < 2:
		return &source.Value{Op: source.Unknown}
	case len(texts) == 1:
		for t := range texts {
			return constantOf(t)
		}
	case len(candidates) == 1:
		return &source.Value{Op: source.Param, Path: candidates[0]}
	case len(candidates) > 1:
		slices.Sort(candidates)
		v := &source.Value{Op: source.Either}
		for _, p := range candidates {
			v.Args = append(v.Args, &source.Value{Op: source.Param, Path: p})
		}
		return v
	}
	return &source.Value{Op: source.Unknown}
}

func constantOf(text string) *source.Value {
	if text == "NULL" {
		return &source.Value{Op: source.Unknown}
	}
	return &source.Value{Op: source.Const, Const: constant.MakeString(text)}
}

// plain is a literal as the text that it stands for.
func plain(literal string) string {
	if len(literal) >= 2 && literal[0] == '\'' && literal[len(literal)-1] == '\'' {
		return strings.ReplaceAll(literal[1:len(literal)-1], "''", "'")
	}
	return literal
}
