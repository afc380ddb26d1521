package program_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

func idle(*program.Session)              {}
func nothing(*program.Tx) error          { return nil }
func pleased(*program.Outcome) error     { return nil }
func nobody(p *program.Program)          {}
func explored(p *program.Program, _ int) { p.Session("s", idle) }

// Declarations that cannot be explored, and what the error says.
func TestBadDeclarations(t *testing.T) {
	for _, test := range []struct {
		declare func(*program.Program)
		parts   []string
	}{
		{nobody, []string{"declares no session"}},
		{nil, []string{"the Explore function is nil"}},
		{func(p *program.Program) {
			p.Session("s", idle) //@session1
			p.Session("s", idle) //@session2
		}, []string{`session "s" is declared twice`, at(t, "session1"), at(t, "session2")}},
		{func(p *program.Program) {
			program.NewVar(p, "x", 0)  //@var1
			program.NewVar(p, "x", "") //@var2
		}, []string{`variable "x" is declared twice`, at(t, "var1"), at(t, "var2")}},
		{func(p *program.Program) {
			p.Final("f", nothing) //@final1
			p.Final("f", nothing) //@final2
		}, []string{`Final "f" is declared twice`, at(t, "final1"), at(t, "final2")}},
		{func(p *program.Program) {
			p.Invariant("i", pleased) //@invariant1
			p.Invariant("i", pleased) //@invariant2
		}, []string{`Invariant "i" is declared twice`, at(t, "invariant1"), at(t, "invariant2")}},
		{func(p *program.Program) {
			p.Session("", idle) //@session3
		}, []string{"this session has no name", at(t, "session3")}},
		{func(p *program.Program) {
			p.Session("final", idle) //@reserved1
		}, []string{`cannot be called "final"`, "Finals", at(t, "reserved1")}},
		{func(p *program.Program) {
			p.Session("init", idle) //@reserved2
		}, []string{`cannot be called "init"`, "initial transaction", at(t, "reserved2")}},
		{func(p *program.Program) {
			program.NewVar(p, "", 0) //@var3
		}, []string{"this variable has no name", at(t, "var3")}},
		{func(p *program.Program) {
			p.Final("", nothing) //@final3
		}, []string{"this Final has no name", at(t, "final3")}},
		{func(p *program.Program) {
			p.Invariant("", pleased) //@invariant3
		}, []string{"this Invariant has no name", at(t, "invariant3")}},
		{func(p *program.Program) {
			p.Session("s", nil) //@session4
		}, []string{`session "s" needs a function, got nil`, at(t, "session4")}},
		{func(p *program.Program) {
			p.Final("f", nil) //@final4
		}, []string{`Final "f" needs a function, got nil`, at(t, "final4")}},
		{func(p *program.Program) {
			p.Invariant("i", nil) //@invariant4
		}, []string{`Invariant "i" needs a function, got nil`, at(t, "invariant4")}},
		{func(p *program.Program) {
			p.Setup(nil) //@setup4
		}, []string{"Setup needs a function, got nil", at(t, "setup4")}},
		{func(p *program.Program) {
			p.Session("s", func(s *program.Session) {
				program.NewVar(p, "late", 0) //@late1
			})
		}, []string{"NewVar after the Explore function has returned", `session "s"`, at(t, "late1")}},
		{func(p *program.Program) {
			p.Session("s", func(s *program.Session) {
				s.Txn("t", func(*program.Tx) error {
					p.Session("late", idle) //@late2
					return nil
				})
			})
		}, []string{"Session after the Explore function has returned", `session "s"`, at(t, "late2")}},
		{func(p *program.Program) {
			p.Session("s", idle)
			p.Setup(func(*program.Tx) error {
				p.Final("late", nothing) //@late3
				return nil
			})
		}, []string{"Final after the Explore function has returned", at(t, "late3")}},
	} {
		wants(t, broken(t, test.declare, program.Options{}), behaviour.Misuse, test.parts...)
	}
}

// Two calls of the Explore function that declare different things.
func TestDeclarationsDiffer(t *testing.T) {
	for _, test := range []struct {
		declare func(*program.Program, int)
		parts   []string
	}{
		{func(p *program.Program, call int) {
			explored(p, call)
			if call > 0 {
				program.NewVar(p, "x", 0) //@more
			}
		}, []string{"nothing more", `variable "x" = 0`, at(t, "more")}},
		{func(p *program.Program, call int) {
			explored(p, call)
			if call == 0 {
				program.NewVar(p, "x", 0) //@fewer
			}
		}, []string{"nothing more", `variable "x" = 0`, at(t, "fewer")}},
		{func(p *program.Program, call int) {
			explored(p, call)
			program.NewVar(p, "x", call) //@initial
		}, []string{`variable "x" = 0 (`, `variable "x" = 1 (`, at(t, "initial")}},
		{func(p *program.Program, call int) {
			explored(p, call)
			if call == 0 {
				program.NewVar(p, "x", 0) //@first
			}
			program.NewVar(p, "y", 0) //@second
		}, []string{`variable "x" = 0`, `variable "y" = 0`, at(t, "first"), at(t, "second")}},
		{func(p *program.Program, call int) {
			p.Session(fmt.Sprint("s", call), idle) //@session
		}, []string{`session "s0"`, `session "s1"`, at(t, "session")}},
		{func(p *program.Program, call int) {
			explored(p, call)
			p.Final(fmt.Sprint("f", call), nothing) //@final
		}, []string{`Final "f0"`, `Final "f1"`, at(t, "final")}},
		{func(p *program.Program, call int) {
			explored(p, call)
			p.Invariant(fmt.Sprint("i", call), pleased) //@invariant
		}, []string{`Invariant "i0"`, `Invariant "i1"`, at(t, "invariant")}},
		{func(p *program.Program, call int) {
			explored(p, call)
			p.Invariant("i", pleased)
			if call > 0 {
				p.Setup(nothing) //@setup
			}
		}, []string{"nothing more", "Setup", at(t, "setup")}},
		{func(p *program.Program, call int) { // in a session's run
			explored(p, call)
			if call > 3 {
				program.NewVar(p, "late", 0) //@inSession
			}
		}, []string{"nothing more", `variable "late" = 0`, at(t, "inSession")}},
	} {
		calls := -1
		explore := func(p *program.Program) {
			calls++
			test.declare(p, calls)
		}
		wants(t, broken(t, explore, program.Options{}), behaviour.Nondeterminism, test.parts...)
	}
}

// In an Invariant's run the declarations are compared as well.
func TestDeclarationsDifferInJudge(t *testing.T) {
	judging := false
	c := newClient(t, func(p *program.Program) {
		p.Session("s", idle)
		if !judging {
			p.Invariant("i", pleased)
		}
	})
	end := follow(t, c, 0)
	judging = true
	_, err := c.Judge([]*behaviour.Node{end})
	var e *behaviour.Error
	if !errors.As(err, &e) || e.Kind != behaviour.Nondeterminism {
		t.Errorf("got %v", err)
	}
}

func TestSetupFails(t *testing.T) {
	session := func(p *program.Program) { p.Session("s", idle) }
	wants(t, broken(t, func(p *program.Program) {
		session(p)
		p.Setup(func(*program.Tx) error { return errors.New("no disk") }) //@error
		p.Setup(func(*program.Tx) error { panic("not reached") })
	}, program.Options{}), behaviour.Crashed, "Setup returned an error: no disk", at(t, "error"))
	wants(t, broken(t, func(p *program.Program) {
		session(p)
		p.Setup(func(*program.Tx) error { panic("no disk") }) //@panic
		p.Setup(func(*program.Tx) error { t.Error("the next Setup runs"); return nil })
	}, program.Options{}), behaviour.Crashed, "panic: no disk", at(t, "panic"))
	wants(t, broken(t, func(p *program.Program) {
		session(p)
		p.Setup(func(*program.Tx) error { return program.Assert(1 == 2, "odd") }) //@assert
	}, program.Options{}), behaviour.Crashed, "Setup returned an error: odd", at(t, "assert"))
	calls := 0
	wants(t, broken(t, func(p *program.Program) {
		session(p)
		p.Setup(func(tx *program.Tx) error {
			if calls++; calls == 1 {
				tx.Write("a", 1) //@one
			} else {
				tx.Write("b", 2) //@two
			}
			return nil
		})
	}, program.Options{}), behaviour.Nondeterminism, "Setup is not deterministic", "write a = 1", "write b = 2", at(t, "one"), at(t, "two"))
	calls = 0
	wants(t, broken(t, func(p *program.Program) {
		session(p)
		p.Setup(func(tx *program.Tx) error {
			if calls++; calls == 2 {
				tx.Write("b", 2) //@only
			}
			return nil
		})
	}, program.Options{}), behaviour.Nondeterminism, "commit", "write b = 2", at(t, "only"))
}

var nilMap map[string]int

func TestExploreFunctionPanics(t *testing.T) {
	err := broken(t, func(p *program.Program) {
		nilMap["x"] = 1 //@explore
	}, program.Options{})
	wants(t, err, behaviour.Crashed, "assignment to entry in nil map", at(t, "explore"))
	if len(err.Stack) == 0 {
		t.Error("no stack")
	}
	calls := 0
	wants(t, broken(t, func(p *program.Program) {
		p.Session("s", idle)
		if calls++; calls == 4 {
			panic("later") //@later
		}
	}, program.Options{}), behaviour.Crashed, "panic: later", at(t, "later"))
}

// A Program that txmc did not make has nobody to report to.
func TestForeignProgram(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	new(program.Program).Session("s", idle)
}
