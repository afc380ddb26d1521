package recorded

import "slices"

// before reports whether t returned before u was called.
func (t *Transaction) before(u *Transaction) bool {
	return t.Real != nil && u.Real != nil && t.Fate != Unknown && t.Real.Returned < u.Real.Called
}

// linearizable reports whether the operations on each register have an order that keeps real time, in
// which each read returns what was written last: Herlihy and Wing, TOPLAS 1990. Of those of unknown
// fate any may have happened. Each transaction uses one register.
func (h Recorded) linearizable() bool {
	by := map[string][]Transaction{}
	for _, t := range h {
		if t.Fate != Aborted && len(t.Ops) > 0 {
			by[t.Ops[0].Object] = append(by[t.Ops[0].Object], t)
		}
	}
	for _, txns := range by {
		if !linearize(txns, 0) {
			return false
		}
	}
	return true
}

// linearize tries all orders of the transactions left on a register with a value.
func linearize(left []Transaction, value int) bool {
	if !slices.ContainsFunc(left, func(t Transaction) bool { return t.Fate == Committed }) {
		return true
	}
	for i := range left {
		t := &left[i]
		rest := slices.Concat(left[:i], left[i+1:])
		if slices.ContainsFunc(rest, func(u Transaction) bool { return u.before(t) }) {
			continue
		}
		now, ok := value, true
		for _, o := range t.Ops {
			if o.Kind == Write {
				now = o.Value
			} else {
				ok = ok && o.Value == now
			}
		}
		if ok && linearize(rest, now) {
			return true
		}
	}
	return false
}
