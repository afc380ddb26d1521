package innodb

import (
	"slices"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/access"
)

// Locks by name, those of GET_LOCK.
//
// They belong to a session, and no end of a transaction gives them up. One who waits is
// served in the order of coming. The server looks for a circle of waits for names alone
// when a wait begins, and fails the request that closes it; what its transaction has done
// and locked stays. It does not find a circle of which a part waits for a row.
//
// Source: MySQL 8.0 Reference Manual, 14.14; MDL_context::acquire_lock and
// find_deadlock of the server's metadata locks.

// named is a lock by name that a session holds or waits for. They are in the order of the
// names, and of one name in the order of coming: the first one holds it.
type named struct {
	name    int32
	session int8
}

// group is where the locks of a name are.
func (r *Rows) group(name int32) (from, to int) {
	for from < len(r.names) && r.names[from].name < name {
		from++
	}
	for to = from; to < len(r.names) && r.names[to].name == name; to++ {
	}
	return from, to
}

// namedServed takes the lock that the session asks for, or waits for it.
func (r *Rows) namedServed(sess int) model.Reply {
	q := r.calls[sess].request
	from, to := r.group(q.Advisory)
	if from == to || int(r.names[from].session) == sess {
		if from == to {
			r.names = slices.Insert(r.names, to, named{q.Advisory, int8(sess)})
		}
		return r.servedBy(sess, access.Answer{})
	}
	if q.NoWait {
		return r.servedBy(sess, access.Answer{Result: access.WouldBlock})
	}
	r.names = slices.Insert(r.names, to, named{q.Advisory, int8(sess)})
	if r.circle(sess) {
		r.names = slices.Delete(r.names, to, to+1)
		return r.servedBy(sess, access.Answer{Result: access.Failed, Code: Deadlock.Code()})
	}
	r.runs[sess].busy = true
	return model.Reply{Kind: model.Waits}
}

// wanted is the name that a session waits for, as its place.
func (r *Rows) wanted(sess int) (from, at int, ok bool) {
	for i, n := range r.names {
		if n.name != r.names[from].name {
			from = i
		}
		if int(n.session) == sess && i > from {
			return from, i, true
		}
	}
	return 0, 0, false
}

// circle reports whether a session waits for itself. Who waits does so for the holder, and
// for those who came before.
func (r *Rows) circle(sess int) bool {
	seen, next := uint64(0), r.namers(sess)
	for next&^seen != 0 {
		seen |= next
		for i := range r.runs {
			if seen>>i&1 != 0 {
				next |= r.namers(i)
			}
		}
	}
	return seen>>sess&1 != 0
}

// namers are the sessions for which a session waits that waits for a name, a bit for each.
func (r *Rows) namers(sess int) (set uint64) {
	if from, at, ok := r.wanted(sess); ok {
		for _, n := range r.names[from:at] {
			set |= 1 << n.session
		}
	}
	return set
}

// unname gives up a lock that the session holds, or with the name 0 all of them, and lets
// the next one have it.
func (r *Rows) unname(sess int, name int32) {
	for i := 0; i < len(r.names); i++ {
		n := r.names[i]
		if first := i == 0 || r.names[i-1].name != n.name; !first || int(n.session) != sess || name != 0 && name != n.name {
			continue
		}
		r.names = slices.Delete(r.names, i, i+1)
		if i < len(r.names) && r.names[i].name == n.name {
			r.state.wake(r.runs[r.names[i].session].trx)
		}
		i--
	}
}

// leaveName ends the session's wait for a name.
func (r *Rows) leaveName(sess int) {
	if _, at, ok := r.wanted(sess); ok {
		r.names = slices.Delete(r.names, at, at+1)
	}
}

// addNames adds the locks to a key.
func (r *Rows) addNames(k *Keyer) {
	for _, n := range r.names {
		k.Add(int(n.name)<<8 | int(n.session))
	}
	k.Add(len(r.names))
}
