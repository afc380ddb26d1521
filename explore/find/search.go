package find

import (
	"context"
	"slices"
)

// The search for advice: the changes of each kind are tried one after another, until one helps. What has
// helped by exploration runs on a real server too, where there is one. A change that fails there is
// no advice, and the next one of its kind has its turn.

// track are the trials of a kind for an anomaly, the cheapest first.
type track struct {
	found  *Finding
	twice  bool // a key is inserted twice: a unique index has refused a call of the anomaly's program
	trials []*trial
	next   int  // the trial whose turn it is
	helped bool // the one before it has helped
}

// search looks for advice for all findings at a time. Programs are run by functions, by name.
type search struct {
	tracks []*track
	run    func(context.Context, map[string]*trial) error // explores them
	there  func(context.Context, []*track) error          // runs the trials that have helped on a server, nil without one
}

// advise tries changes until one of each kind helps, or none is left.
func (s *search) advise(ctx context.Context) error {
	for {
		helped, err := s.explored(ctx)
		if err == nil {
			err = s.retried(ctx, helped)
		}
		if err == nil && s.there != nil && len(helped) > 0 {
			err = s.there(ctx, helped)
		}
		s.sort()
		if err != nil || s.there == nil || len(helped) == 0 {
			return err
		}
	}
}

// explored explores the first trials of all tracks, then the second ones of those that the first have
// not helped, and so on. It returns the tracks of which one has.
func (s *search) explored(ctx context.Context) (helped []*track, err error) {
	for {
		byName := map[string]*trial{}
		for _, t := range s.tracks {
			if !t.helped && t.next < len(t.trials) {
				byName[t.trials[t.next].program.Name] = t.trials[t.next]
			}
		}
		if len(byName) == 0 {
			return helped, ctx.Err()
		}
		if err := s.run(ctx, byName); err != nil {
			return helped, err
		}
		for _, t := range s.tracks {
			if !t.helped && t.next < len(t.trials) && t.takes(t.trials[t.next]) {
				helped = append(helped, t)
			}
		}
	}
}

// takes takes what has become of the trial whose turn it was, and reports whether it has helped.
func (t *track) takes(now *trial) bool {
	t.next++
	if !now.helps() {
		return false
	}
	t.helped = true
	now.advised = now.advice()
	now.advised.ByPlan = t.twice && now.serial && now.result.Met("40001")
	t.found.Advice = append(t.found.Advice, now.advised)
	return true
}

// last is the trial that has run last.
func (t *track) last() *trial { return t.trials[t.next-1] }

// fails takes back the advice that has helped last, as it does not on a server.
func (t *track) fails(r Refuted) {
	of := t.last()
	t.found.Advice = slices.DeleteFunc(t.found.Advice, func(a *Advice) bool { return a == of.advised })
	r.Kind, r.Change = of.kind, of.words
	t.found.Refuted = append(t.found.Refuted, r)
	t.helped = false
}

// sort puts advice last that rests on what a plan decides.
func (s *search) sort() {
	for _, t := range s.tracks {
		slices.SortStableFunc(t.found.Advice, func(a, b *Advice) int {
			switch {
			case a.ByPlan == b.ByPlan:
				return 0
			case a.ByPlan:
				return 1
			}
			return -1
		})
	}
}

// retried runs the trials once more that have helped at the cost of errors. Now calls are
// made again, and retried notes with which trials all calls succeed.
func (s *search) retried(ctx context.Context, helped []*track) error {
	byName := map[string]*trial{}
	for _, t := range helped {
		if of := t.last(); of.again != "" && slices.ContainsFunc(passing, of.result.Met) {
			byName[of.again] = &trial{kind: of.kind}
		}
	}
	if len(byName) == 0 {
		return ctx.Err()
	}
	if err := s.run(ctx, byName); err != nil {
		return err
	}
	for _, t := range helped {
		if again := byName[t.last().again]; again != nil && again.helps() {
			t.last().advised.Retries = retries
		}
	}
	return nil
}
