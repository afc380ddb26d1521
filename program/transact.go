package program

import (
	"errors"
	"fmt"
	"slices"
)

func (r *run) begin(name string, loc Loc) *Tx {
	r.alone(name, loc)
	if limit := r.client.opts.MaxOps; r.txns >= limit {
		r.unbounded(loc, fmt.Sprintf("more than %d transactions in one session", limit))
	}
	r.tx = &Tx{run: r, name: name, index: r.txns, began: loc}
	r.txns++
	r.events = append(r.events, Event{Kind: BeginEvent, Loc: loc, Text: name})
	return r.tx
}

// beginApart starts a transaction that is left out.
func (r *run) beginApart(name string, loc Loc) *Tx {
	r.alone(name, loc)
	r.tx = &Tx{run: r, name: name, began: loc, apart: true}
	return r.tx
}

// alone refuses a transaction inside another one.
func (r *run) alone(name string, loc Loc) {
	if r.tx != nil {
		r.misuse(loc, "transaction %q begins inside transaction %q (begun at %s): end that one first", name, r.tx.name, place(r.client.Location(r.tx.began)))
	}
}

func (r *run) commit(tx *Tx, loc Loc) {
	slices.SortFunc(tx.own, func(a, b Write) int { return int(a.Var) - int(b.Var) })
	r.finish(tx, loc, &Node{Kind: Commit, Writes: tx.own})
}

func (r *run) abort(tx *Tx, loc Loc, why string) {
	r.finish(tx, loc, &Node{Kind: Abort, Text: why})
}

func (r *run) finish(tx *Tx, loc Loc, n *Node) {
	tx.done, tx.ended = true, loc
	r.tx = nil
	if tx.apart {
		return
	}
	n.Txn, n.Loc = int32(tx.index), loc
	r.point(n)
}

// transactFrame is the function below as the runtime names it.
const transactFrame = "github.com/txmc/txmc/program.(*run).transact"

// transact runs body as a transaction; judge turns its error into a failure of
// the history, or into nil.
func (r *run) transact(name string, loc Loc, body func(*Tx) error, judge func(error) *Failure) error {
	if body == nil {
		r.misuse(loc, "transaction %q needs a function, got nil", name)
	}
	tx := r.begin(name, loc)
	tx.managed = true
	returned := false
	defer func() {
		if !returned && !r.dead && !tx.done {
			// The client panics, and may recover further out.
			r.left = tx
			r.abort(tx, loc, "panic")
		}
	}()
	err := body(tx)
	returned = true
	if err == nil {
		r.commit(tx, loc)
		return nil
	}
	if f := judge(err); f != nil {
		f.Name = name
		r.failure(f)
	}
	r.abort(tx, loc, err.Error())
	return err
}

// failure records a broken assertion on the path of this run.
func (r *run) failure(f *Failure) {
	f.Session, f.Txn = r.session, -1
	if r.tx != nil && !r.tx.apart {
		f.Txn = r.tx.index
	}
	r.failures = append(r.failures[:len(r.failures):len(r.failures)], f)
	r.events = append(r.events, Event{Kind: FailEvent, Loc: r.client.locs.position(f.At), Text: f.Message})
}

// failedAt is the line of the latest failure.
func (r *run) failedAt() Loc {
	if n := len(r.failures); n > 0 {
		return r.client.locs.position(r.failures[n-1].At)
	}
	return 0
}

// assertionIn is the failure that err carries, or nil for an ordinary error.
func (r *run) assertionIn(err error) *Failure {
	if e, ok := errors.AsType[*AssertionError](err); ok {
		return &Failure{Kind: Assertion, Message: err.Error(), At: r.client.Location(r.client.locs.intern(e.pcs))}
	}
	return nil
}

// finalFailure makes every error of a Final a failure of the history.
func (r *run) finalFailure(d finalDecl) func(error) *Failure {
	return func(err error) *Failure {
		f := r.assertionIn(err)
		if f == nil {
			f = &Failure{Message: err.Error(), At: r.client.Location(d.loc)}
		}
		f.Kind = FinalError
		return f
	}
}
