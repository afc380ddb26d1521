package spec

import "fmt"

// What names in a file stand for, and what the tester refuses.

// link finds the steps that permutations and markers name.
func (s *Spec) link() (warnings []string, err error) {
	steps, used := map[string]*Step{}, map[*Step]bool{}
	for _, session := range s.Sessions {
		for _, step := range session.Steps {
			if old := steps[step.Name]; old != nil {
				return nil, s.wrong(step.Line, "there are two steps %s, the other one in line %d: names of steps are unique in the file", step.Name, old.Line)
			}
			steps[step.Name] = step
		}
	}
	for _, p := range s.Permutations {
		for _, e := range p.Entries {
			if e.Step = steps[e.name]; e.Step == nil {
				return nil, s.wrong(e.Line, "the permutation has a step %s that no session has", e.name)
			}
			used[e.Step] = true
		}
		if err := s.linkMarkers(p); err != nil {
			return nil, err
		}
	}
	for _, session := range s.Sessions {
		for _, step := range session.Steps {
			if len(s.Permutations) > 0 && !used[step] {
				warnings = append(warnings, fmt.Sprintf("unused step name: %s", step.Name))
			}
		}
	}
	return warnings, nil
}

func (s *Spec) wrong(line int, format string, args ...any) error {
	return &Error{s.File, line, fmt.Sprintf(format, args...)}
}

// linkMarkers finds the steps of markers, which are others in the permutation.
func (s *Spec) linkMarkers(p *Permutation) error {
	in := map[string]*Step{}
	for _, e := range p.Entries {
		in[e.Name] = e.Step
	}
	for _, e := range p.Entries {
		for i := range e.Markers {
			m := &e.Markers[i]
			if m.Kind == Once {
				continue
			}
			switch m.Step = in[m.name]; {
			case m.Step == nil:
				return s.wrong(m.line, "step %s waits for a step %s that the permutation does not have", e.Name, m.name)
			case m.Step.Session == e.Session:
				return s.wrong(m.line, "step %s waits for a step of its own session, %s", e.Name, m.name)
			}
		}
	}
	return nil
}

// Orders are the permutations, or where there are none all orders of the steps in which each session's
// have theirs.
func (s *Spec) Orders() []*Permutation {
	if len(s.Permutations) > 0 {
		return s.Permutations
	}
	var all []*Permutation
	at := make([]int, len(s.Sessions))
	var entries []*Entry
	var pick func()
	pick = func() {
		done := true
		for i, session := range s.Sessions {
			if at[i] == len(session.Steps) {
				continue
			}
			done = false
			step := session.Steps[at[i]]
			at[i]++
			entries = append(entries, &Entry{Step: step, Line: step.Line})
			pick()
			entries = entries[:len(entries)-1]
			at[i]--
		}
		if done {
			all = append(all, &Permutation{Line: s.Sessions[0].Line, Entries: append([]*Entry{}, entries...)})
		}
	}
	pick()
	return all
}
