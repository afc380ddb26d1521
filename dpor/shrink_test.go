package dpor_test

import (
	"iter"
	"slices"
	"testing"

	"github.com/txmc/txmc/program/deadlinetest"
)

// checkPrograms runs check on programs and reports the first failure with as
// small a program as it finds.
func checkPrograms(t *testing.T, programs iter.Seq[*prog], check func(*prog) error) {
	t.Helper()
	if *programFlag != "" {
		programs = func(yield func(*prog) bool) { yield(parse(*programFlag)) }
	}
	n := 0
	for p := range programs {
		if deadlinetest.Over(t) {
			break
		}
		n++
		err := check(p)
		if err == nil {
			continue
		}
		q, err := shrink(p, err, check)
		t.Fatalf("program %d of -seed=%d: %v\nat least: -program='%v'\n%v", n, seed(), p, q, err)
	}
	t.Logf("%d programs", n)
}

// shrink looks for a smaller program on which check fails, until none of those
// one step smaller does.
func shrink(p *prog, err error, check func(*prog) error) (*prog, error) {
	for again := true; again; {
		again = false
		for q := range smaller(p) {
			q = parse(q.String())
			if histories(q, rich.histories*4) == nil {
				continue
			}
			if qerr := check(q); qerr != nil {
				p, err, again = q, qerr, true
				break
			}
		}
	}
	return p, err
}

// smaller yields the programs that lack one session, transaction, condition or
// operation of p.
func smaller(p *prog) iter.Seq[*prog] {
	return func(yield func(*prog) bool) {
		if len(p.final) > 0 && !yield(&prog{sessions: p.sessions}) {
			return
		}
		for s := range p.sessions {
			if len(p.sessions) > 1 && !yield(&prog{without(p.sessions, s), p.final}) {
				return
			}
		}
		for s, txns := range p.all() {
			for _, shorter := range smallerSession(txns) {
				q := &prog{slices.Clone(p.sessions), p.final}
				if s < len(q.sessions) {
					q.sessions[s] = shorter
				} else {
					q.final = shorter
				}
				if !yield(q) {
					return
				}
			}
		}
	}
}

func smallerSession(txns []txn) [][]txn {
	var all [][]txn
	for i, t := range txns {
		if len(txns) > 1 {
			all = append(all, without(txns, i))
		}
		if t.when != nil {
			all = append(all, with(txns, i, txn{body: t.body}))
		}
		for _, body := range smallerList(t.body) {
			all = append(all, with(txns, i, txn{t.when, body}))
		}
	}
	return all
}

func smallerList(ops []op) [][]op {
	var all [][]op
	for i, o := range ops {
		all = append(all, without(ops, i))
		switch o.kind {
		case opInc:
			all = append(all, with(ops, i, op{kind: opRead, v: o.v}), with(ops, i, op{kind: opWrite, v: o.v, unique: true}))
		case opIf:
			all = append(all, slices.Replace(slices.Clone(ops), i, i+1, o.then...), slices.Replace(slices.Clone(ops), i, i+1, o.orElse...))
			for _, then := range smallerList(o.then) {
				all = append(all, with(ops, i, op{kind: opIf, cond: o.cond, then: then, orElse: o.orElse}))
			}
			for _, orElse := range smallerList(o.orElse) {
				all = append(all, with(ops, i, op{kind: opIf, cond: o.cond, then: o.then, orElse: orElse}))
			}
		}
	}
	return all
}

func without[T any](list []T, i int) []T { return slices.Delete(slices.Clone(list), i, i+1) }

func with[T any](list []T, i int, item T) []T {
	list = slices.Clone(list)
	list[i] = item
	return list
}
