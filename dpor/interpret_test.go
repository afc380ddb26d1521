package dpor_test

// The interpreter of test programs that the reference runs on. It is pure: a
// transaction is run from its first operation for every prefix of answers.

// registers are the session's local state; aborts do not undo it.
type registers struct {
	last int // value of the last read
	sum  int // of all values read
}

// step is an event of a transaction log.
type step struct {
	write bool
	v     int
	val   int
	own   bool  // of a read: internal
	from  txnID // of an external read: where it reads from
}

// status of a transaction log.
type status string

const (
	pending   status = "pending"
	committed status = "committed"
	aborted   status = "aborted"
)

// machine runs one transaction on given answers to its external reads.
type machine struct {
	regs    registers
	answers []int
	own     map[int]int
	steps   []step
	status  status
	asks    int // of a pending transaction: the variable that it reads next
}

// interpret runs a transaction's body until it ends or asks for an external
// read beyond the answers.
func interpret(body []op, regs registers, answers []int) *machine {
	m := &machine{regs: regs, answers: answers, own: map[int]int{}}
	if m.exec(body) {
		m.status = committed
	}
	return m
}

// exec reports whether the transaction goes on after ops.
func (m *machine) exec(ops []op) bool {
	for _, o := range ops {
		switch o.kind {
		case opRead:
			if !m.read(o.v) {
				return false
			}
		case opWrite:
			m.write(o.v, o.val)
		case opInc:
			if !m.read(o.v) {
				return false
			}
			m.write(o.v, m.regs.last+1)
		case opSum:
			m.write(o.v, m.regs.sum+1)
		case opAbort:
			m.status = aborted
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
	m.steps = append(m.steps, step{write: true, v: v, val: val})
}

// read reports whether there is an answer.
func (m *machine) read(v int) bool {
	val, own := m.own[v]
	if !own {
		if len(m.answers) == 0 {
			m.status, m.asks = pending, v
			return false
		}
		val, m.answers = m.answers[0], m.answers[1:]
	}
	m.regs.last = val
	m.regs.sum += val
	m.steps = append(m.steps, step{v: v, val: val, own: own})
	return true
}
