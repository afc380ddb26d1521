package check

import "cmp"

// Which step of a run of a store is tried first. Where the recording tells about when transactions ran,
// it is the earliest. Where it has one session after another, a step that reads is tried before one that
// writes alone, which can be made at any time; and of these the one that lets most sessions go on.

// preference is less for what is tried first.
type preference struct {
	class   int // 0: it reads; 1: it lets other sessions go on; 2: neither
	enables int
	about   float64
}

func (a preference) compare(b preference) int {
	return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(b.enables, a.enables), cmp.Compare(a.about, b.about))
}

func (p *operational) preference(m move) preference {
	st := &p.steps[m.session][p.next[m.session]]
	x := preference{about: p.about[st.txn]}
	if p.s.in.hint != nil || p.reads(st) {
		return x
	}
	if x.enables = p.enables(m.session, st); x.enables > 0 {
		x.class = 1
	} else {
		x.class = 2
	}
	return x
}

// reads reports whether a step reads from other transactions.
func (p *operational) reads(st *step) bool {
	for op := st.lo; op < st.hi; op++ {
		if !p.s.in.ops[op].write && p.s.from[op] != own {
			return true
		}
	}
	return false
}

// enables counts the sessions whose next step reads, and is enabled after this one and not before.
func (p *operational) enables(session int32, st *step) (n int) {
	if !st.ends {
		return 0
	}
	ops := p.s.in.opsOf(st.txn)
	waiting := make([]int32, 0, len(p.steps))
	for x, steps := range p.steps {
		if int32(x) != session && int(p.next[x]) < len(steps) {
			if next := &steps[p.next[x]]; p.reads(next) && !p.fits(next) {
				waiting = append(waiting, int32(x))
			}
		}
	}
	var before []written
	for _, o := range ops {
		if o.write {
			before = append(before, p.current[o.key])
			p.current[o.key] = written{st.txn + 1, p.s.in.plain(o.value)}
		}
	}
	for _, x := range waiting {
		if p.fits(&p.steps[x][p.next[x]]) {
			n++
		}
	}
	for i, k := len(ops)-1, len(before)-1; k >= 0; i-- {
		if ops[i].write {
			p.current[ops[i].key] = before[k]
			k--
		}
	}
	return n
}
