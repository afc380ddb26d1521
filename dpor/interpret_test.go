package dpor_test

import (
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/semantics"
)

// The interpreter of test programs that the reference runs on. It is pure: a
// transaction is run from its first operation for every prefix of answers.

// registers are the session's local state; aborts do not undo it.
type registers struct {
	last int // value of the last read
	sum  int // of all values read
}

// machine runs one transaction on given answers to its external reads.
type machine struct {
	regs    registers
	answers []int
	own     map[int]int
	steps   []reference.Step
	status  semantics.Status
	asks    int // of a pending transaction: the variable that it reads next
}

// interpret runs a transaction's body until it ends or asks for an external
// read beyond the answers.
func interpret(body []op, regs registers, answers []int) *machine {
	m := &machine{regs: regs, answers: answers, own: map[int]int{}}
	if m.exec(body) {
		m.status = semantics.Committed
	}
	return m
}

// exec reports whether the transaction goes on after ops.
func (m *machine) exec(ops []op) bool {
	for _, o := range ops {
		switch o.kind {
		case opRead, opLock:
			if !m.read(o.v, o.kind == opLock) {
				return false
			}
		case opWrite:
			m.write(o.v, o.val)
		case opInc, opUpd:
			if !m.read(o.v, o.kind == opUpd) {
				return false
			}
			m.write(o.v, m.regs.last+1)
		case opSum:
			m.write(o.v, m.regs.sum+1)
		case opAbort:
			m.status = semantics.Aborted
			return false
		case opIf:
			branch := o.orElse
			if o.cond.holds(m.regs.last) {
				branch = o.then
			}
			if !m.exec(branch) {
				return false
			}
		}
	}
	return true
}

func (m *machine) write(v, val int) {
	m.own[v] = val
	m.steps = append(m.steps, reference.Step{Write: true, Var: v, Val: val})
}

// read reports whether there is an answer.
func (m *machine) read(v int, lock bool) bool {
	val, own := m.own[v]
	if !own {
		if len(m.answers) == 0 {
			m.status, m.asks = semantics.Pending, v
			return false
		}
		val, m.answers = m.answers[0], m.answers[1:]
	}
	m.regs.last = val
	m.regs.sum += val
	m.steps = append(m.steps, reference.Step{Var: v, Val: val, Own: own, Lock: lock && !own})
	return true
}
