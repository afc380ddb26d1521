package dpor_test

import (
	"errors"
	"fmt"

	"github.com/txmc/txmc/program"
)

// errAbort is what an aborting transaction returns.
var errAbort = errors.New("abort")

// compile makes a client program of a test program, as a user would write it.
// Both ways to access a variable and both ways to run a transaction occur.
func compile(p *prog) func(*program.Program) {
	return func(pr *program.Program) {
		var vars []*program.Var[int]
		for _, name := range variables {
			vars = append(vars, program.NewVar(pr, string(name), 0))
		}
		for s, txns := range p.sessions {
			pr.Session(fmt.Sprintf("s%d", s), func(session *program.Session) {
				c := &client{vars: vars}
				for i, t := range txns {
					if t.when == nil || t.when.holds(c.regs.last) {
						c.transact(session, fmt.Sprintf("t%d", i), t.body, (s+i)%2 == 0)
					}
				}
			})
		}
		c := &client{vars: vars}
		for i, t := range p.final {
			pr.Final(fmt.Sprintf("final%d", i), func(tx *program.Tx) error { return c.exec(tx, t.body) })
		}
	}
}

// client is a session at work.
type client struct {
	vars []*program.Var[int]
	regs registers
}

func (c *client) transact(s *program.Session, name string, body []op, managed bool) {
	if managed {
		_ = s.Txn(name, func(tx *program.Tx) error { return c.exec(tx, body) })
		return
	}
	tx := s.Begin(name)
	defer tx.Rollback()
	if c.exec(tx, body) == nil {
		tx.Commit()
	}
}

func (c *client) exec(tx *program.Tx, ops []op) error {
	for _, o := range ops {
		switch o.kind {
		case opRead:
			c.read(tx, o.v)
		case opWrite:
			c.write(tx, o.v, o.val)
		case opLock:
			c.lock(tx, o.v)
		case opUpd:
			c.update(tx, o.v)
		case opInc:
			c.read(tx, o.v)
			c.write(tx, o.v, c.regs.last+1)
		case opSum:
			c.write(tx, o.v, c.regs.sum+1)
		case opAbort:
			return errAbort
		case opIf:
			branch := o.orElse
			if o.cond.holds(c.regs.last) {
				branch = o.then
			}
			if err := c.exec(tx, branch); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *client) read(tx *program.Tx, v int) {
	if v%2 == 0 {
		c.regs.last = c.vars[v].Get(tx)
	} else {
		c.regs.last = tx.Read(c.vars[v].Key()).(int)
	}
	c.regs.sum += c.regs.last
}

func (c *client) lock(tx *program.Tx, v int) {
	if v%2 == 0 {
		c.regs.last = c.vars[v].GetForUpdate(tx)
	} else {
		c.regs.last = tx.ReadForUpdate(c.vars[v].Key()).(int)
	}
	c.regs.sum += c.regs.last
}

func (c *client) update(tx *program.Tx, v int) {
	c.vars[v].Update(tx, func(old int) (int, bool) {
		c.regs.last = old
		c.regs.sum += old
		return old + 1, true
	})
}

func (c *client) write(tx *program.Tx, v, val int) {
	if v%2 == 0 {
		c.vars[v].Set(tx, val)
	} else {
		tx.Write(c.vars[v].Key(), val)
	}
}
