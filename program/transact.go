package program

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/txmc/txmc/program/behaviour"
)

// Transactions of a run: how they begin and end, and what their errors come to.

// begin starts a transaction.
func (r *run) begin(name string, loc behaviour.Loc, options ...TxnOption) *Tx {
	r.alone(name, loc)
	if limit := r.client.opts.MaxOps; r.txns >= limit {
		r.unbounded(loc, fmt.Sprintf("more than %d transactions in one session", limit))
	}
	r.opens(&Tx{run: r, name: name, index: r.txns, conn: r.conn})
	r.txns++
	for _, o := range options {
		o(r.tx)
	}
	if r.tx.levelled() {
		r.tx.level = cmp.Or(r.client.levelled(name, r.tx.level), r.tx.level)
	}
	r.tx.began = r.happens(behaviour.Event{Kind: behaviour.BeginEvent, Loc: loc, Text: name})
	return r.tx
}

// beginApart starts a transaction that is left out.
func (r *run) beginApart(name string, loc behaviour.Loc) *Tx {
	r.alone(name, loc)
	r.opens(&Tx{run: r, name: name, began: loc, apart: true, conn: r.conn})
	return r.tx
}

// alone refuses a transaction inside another one of the same connection.
func (r *run) alone(name string, loc behaviour.Loc) {
	for _, tx := range r.open {
		if tx.conn == r.conn {
			r.misuse(loc, "transaction %q begins inside transaction %q (begun at %s): end that one first", name, tx.name, behaviour.LineOf(r.client.Location(tx.began)))
		}
	}
}

// opens notes that a transaction is open.
func (r *run) opens(tx *Tx) {
	r.tx = tx
	r.open = append(r.open, tx)
}

// closes notes that a transaction has ended.
func (r *run) closes(tx *Tx) {
	tx.done, r.tx = true, nil
	r.open = slices.DeleteFunc(r.open, func(o *Tx) bool { return o == tx })
	if n := len(r.open); n > 0 {
		r.tx = r.open[n-1]
	}
}

// use notes which transaction the session uses.
func (r *run) use(tx *Tx) { r.tx, r.conn = tx, tx.conn }

func (r *run) commit(tx *Tx, loc behaviour.Loc) error {
	slices.SortFunc(tx.own, func(a, b behaviour.Write) int { return int(a.Var) - int(b.Var) })
	n := &behaviour.Node{Kind: behaviour.Commit, Trace: behaviour.Trace{Writes: tx.own}}
	if !tx.onDatabase() {
		if tx.undoable && !tx.apart {
			tx.settle(loc)
		}
		r.finish(tx, loc, n)
		return nil
	}
	r.closes(tx)
	n.Loc, n.Joins = loc, r.joins
	_, ok := tx.statement(n)
	tx.ended = r.last.Loc
	if !ok {
		return tx.failed
	}
	return nil
}

// commitOrFail is commit; a transaction in error is rolled back instead.
func (r *run) commitOrFail(tx *Tx, loc behaviour.Loc) error {
	if tx.failed != nil {
		r.abort(tx, loc, tx.failed.Error())
		return tx.failed
	}
	return r.commit(tx, loc)
}

func (r *run) abort(tx *Tx, loc behaviour.Loc, why string) {
	r.finish(tx, loc, &behaviour.Node{Kind: behaviour.Abort, Trace: behaviour.Trace{Text: behaviour.CutMessage(why)}})
}

func (r *run) finish(tx *Tx, loc behaviour.Loc, n *behaviour.Node) {
	r.closes(tx)
	if tx.apart {
		tx.ended = r.here(loc)
		return
	}
	n.Txn, n.Loc, n.Joins = int32(tx.index), loc, r.joins
	r.point(n)
	tx.ended = r.last.Loc
}

// transactFrame is the function below as the runtime names it.
const transactFrame = "github.com/txmc/txmc/program.(*run).transact"

// transact runs body as a transaction; judge turns its error into a failure of
// the history, or into nil.
func (r *run) transact(name string, loc behaviour.Loc, body func(*Tx) error, judge func(error) *behaviour.Failure, options ...TxnOption) (err error) {
	if body == nil {
		r.misuse(loc, "transaction %q needs a function, got nil", name)
	}
	tx := r.begin(name, loc, options...)
	tx.managed = true
	returned := false
	defer func() {
		switch {
		case returned || r.dead.Load() || tx.done:
		case tx.failed != nil && recover() != nil: // it has computed with zero values
			r.abort(tx, tx.began, tx.failed.Error())
			err = tx.failed
		default: // the client panics, and may recover further out
			r.left = tx
			r.abort(tx, tx.began, "panic")
		}
	}()
	err = body(tx)
	returned = true
	if err == nil || tx.failed != nil {
		return r.commitOrFail(tx, tx.began)
	}
	if f := judge(err); f != nil {
		f.Name = name
		r.failure(f)
	}
	r.abort(tx, tx.began, err.Error())
	return err
}

// failure records a broken assertion on the path of this run.
func (r *run) failure(f *behaviour.Failure) {
	f.Session, f.Txn, f.Message = r.session, -1, behaviour.CutMessage(f.Message)
	if r.tx != nil && !r.tx.apart {
		f.Txn = r.tx.index
	}
	r.failures = append(r.failures[:len(r.failures):len(r.failures)], f)
	r.events = append(r.events, behaviour.Event{Kind: behaviour.FailEvent, Loc: r.client.locs.Position(f.At), Text: f.Message})
}

// failedAt is the line of the latest failure.
func (r *run) failedAt() behaviour.Loc {
	if n := len(r.failures); n > 0 {
		return r.client.locs.Position(r.failures[n-1].At)
	}
	return 0
}

// assertionIn is the failure that err carries, or nil for an ordinary error.
func (r *run) assertionIn(err error) *behaviour.Failure {
	var e *AssertionError
	if errors.As(err, &e) {
		at := r.placed
		if at == 0 {
			at = r.client.locs.Intern(e.pcs)
		}
		return &behaviour.Failure{Kind: behaviour.Assertion, Message: err.Error(), At: r.client.Location(at)}
	}
	return nil
}

// finalFailure makes every error of a Final a failure of the history.
func (r *run) finalFailure(d finalDecl) func(error) *behaviour.Failure {
	return func(err error) *behaviour.Failure {
		f := r.assertionIn(err)
		if f == nil {
			f = &behaviour.Failure{Message: err.Error(), At: r.client.Location(d.loc)}
		}
		f.Kind = behaviour.FinalError
		return f
	}
}
