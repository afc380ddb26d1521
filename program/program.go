package program

import (
	"fmt"

	"github.com/txmc/txmc/program/behaviour"
)

// Program collects the declarations of one call of an Explore function:
// variables, sessions, the final transactions and the invariants. It is valid
// only while that function runs; declarations made later are reported as
// misuse.
type Program struct {
	client     *Client
	run        *run // the run on whose behalf the function was called
	declared   []declaration
	setups     []setupDecl
	sessions   []sessionDecl
	finals     []finalDecl
	invariants []invariantDecl
	sealed     bool

	serializable []invariantDecl // of which the first counts: see Serializable
	whole        bool            // sessions are the units of the orders: see SerialSessions
	backend      bool            // see UseBackend
}

// declaration is what two calls of an Explore function must agree on.
type declaration struct {
	what    string // "variable", "Setup", "session", "Final" or "Invariant"
	name    string
	initial behaviour.ValueID // of a variable
	loc     behaviour.Loc
}

type setupDecl struct {
	body func(*Tx) error
	loc  behaviour.Loc
}

type sessionDecl struct {
	name string
	body func(*Session)
	set  int // number of the call of Sessions that declares it, from 1; 0: Session does
}

type finalDecl struct {
	name string
	body func(*Tx) error
	loc  behaviour.Loc
}

type invariantDecl struct {
	name  string
	check func(*Outcome) error
	loc   behaviour.Loc
}

// Setup declares writes of initial values. Its writes become part of the
// initial transaction, which precedes every session; reads see the variables'
// initial values and what earlier Setup functions wrote. An error returned by
// body stops the exploration before it starts.
func (p *Program) Setup(body func(*Tx) error) {
	loc := p.declaring("Setup")
	p.needs(loc, "Setup", body != nil)
	loc = p.declare(declaration{what: "Setup", loc: loc})
	p.setups = append(p.setups, setupDecl{body, loc})
}

// Session declares a session: body runs its transactions one after another,
// concurrently with the other sessions. Names are not empty and not repeated.
// The order of the declarations is the oracle order of the exploration; it
// changes the order in which histories are found, never which ones.
func (p *Program) Session(name string, body func(*Session)) {
	loc := p.declaring("Session")
	if name == "final" || name == "init" {
		p.run.misuse(loc, "a session cannot be called %q: reports call the %s so; give it another name",
			name, map[string]string{"final": "Finals", "init": "initial transaction"}[name])
	}
	p.declare(declaration{what: "session", name: name, loc: loc})
	p.needs(loc, fmt.Sprintf("session %q", name), body != nil)
	p.sessions = append(p.sessions, sessionDecl{name, body, 0})
}

// Final declares a transaction that runs after every session has ended: in
// session order it follows all of them. An error that body returns is a
// violation, reported under the given name. Several Finals run one after
// another. A Final obeys the explored level as every transaction does: from
// read atomic on it sees a last write of every variable, at read committed it
// may read older ones.
func (p *Program) Final(name string, body func(*Tx) error) {
	loc := p.declaring("Final")
	loc = p.declare(declaration{what: "Final", name: name, loc: loc})
	p.needs(loc, fmt.Sprintf("Final %q", name), body != nil)
	p.finals = append(p.finals, finalDecl{name, body, loc})
}

// Invariant declares a judgement of complete histories: check gets what the
// sessions observed, read and wrote, and returns an error when that is wrong.
// It is called once for each distinct outcome, from a fresh call of the Explore
// function each time.
func (p *Program) Invariant(name string, check func(*Outcome) error) {
	loc := p.declaring("Invariant")
	loc = p.declare(declaration{what: "Invariant", name: name, loc: loc})
	p.needs(loc, fmt.Sprintf("Invariant %q", name), check != nil)
	p.invariants = append(p.invariants, invariantDecl{name, check, loc})
}

// declaring guards every declaration and returns where the user wrote it, unseen after the first
// call of the Explore function.
func (p *Program) declaring(what string) behaviour.Loc {
	if p == nil || p.client == nil {
		panic("txmc: " + what + " on a Program that txmc did not make: declare inside an Explore function, on its parameter")
	}
	p.run.enter(what)
	loc := unseen
	if p.client.shape == nil {
		loc = p.run.here(unseen)
	}
	if p.sealed {
		p.run.misuse(loc, "%s after the Explore function has returned: declare variables, sessions, Finals and Invariants in the Explore function itself, not in a session", what)
	}
	return loc
}

// declare adds d, which must have a name of its own, and returns its line. Calls after the first are
// not searched for repetitions: sameShape compares them with the first.
func (p *Program) declare(d declaration) behaviour.Loc {
	if d.name == "" && d.what != "Setup" {
		p.run.misuse(d.loc, "this %s has no name: give it one", d.what)
	}
	if p.client.shape == nil && d.name != "" {
		for _, o := range p.declared {
			if o.what == d.what && o.name == d.name {
				p.run.misuse(d.loc, "%s %q is declared twice, first at %s: give each a name of its own", d.what, d.name, behaviour.LineOf(p.client.Location(o.loc)))
			}
		}
	}
	if first := p.client.shape; first != nil && len(p.declared) < len(first.declared) {
		if o := first.declared[len(p.declared)]; o.same(d) {
			d.loc = o.loc
		}
	}
	d.loc = p.run.here(d.loc)
	p.declared = append(p.declared, d)
	return d.loc
}

func (p *Program) needs(loc behaviour.Loc, what string, given bool) {
	if !given {
		p.run.misuse(loc, "%s needs a function, got nil", what)
	}
}
