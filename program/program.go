package program

import "fmt"

// Program collects the declarations of one call of an Explore function:
// variables, sessions, the final transactions and the invariants. It is valid
// only while that function runs; declarations made later are reported as
// misuse.
type Program struct {
	client     *Client
	run        *run // the run on whose behalf the function was called
	vars       []varDecl
	setups     []setupDecl
	sessions   []sessionDecl
	finals     []finalDecl
	invariants []invariantDecl
	sealed     bool
}

type varDecl struct {
	key     string
	id      VarID
	initial ValueID
	loc     Loc
}

type setupDecl struct {
	body func(*Tx) error
	loc  Loc
}

type sessionDecl struct {
	name string
	body func(*Session)
	loc  Loc
}

type finalDecl struct {
	name string
	body func(*Tx) error
	loc  Loc
}

type invariantDecl struct {
	name  string
	check func(*Outcome) error
	loc   Loc
}

// Setup declares writes of initial values. Its writes become part of the
// initial transaction, which precedes every session; reads see the variables'
// initial values and what earlier Setup functions wrote. An error returned by
// body stops the exploration before it starts.
func (p *Program) Setup(body func(*Tx) error) {
	loc := p.declaring("Setup")
	if body == nil {
		p.misuse(loc, "Setup needs a function, got nil")
	}
	p.setups = append(p.setups, setupDecl{body, loc})
}

// Session declares a session: body runs its transactions one after another,
// concurrently with the other sessions. Names are not empty and not repeated.
// The order of the declarations is the oracle order of the exploration; it
// changes the order in which histories are found, never which ones.
func (p *Program) Session(name string, body func(*Session)) {
	loc := p.declaring("Session")
	if name == "" {
		p.misuse(loc, "a session needs a name")
	}
	if body == nil {
		p.misuse(loc, "session %q needs a function, got nil", name)
	}
	for _, s := range p.sessions {
		if s.name == name {
			p.misuse(loc, "session %q is declared twice, first at %s: give each session a name of its own", name, p.client.Location(s.loc))
		}
	}
	p.sessions = append(p.sessions, sessionDecl{name, body, loc})
}

// Final declares a transaction that runs after every session has ended: in
// session order it follows all of them. An error that body returns is a
// violation, reported under the given name. Several Finals run one after
// another. A Final obeys the explored level as every transaction does: from
// read atomic on it sees a last write of every variable, at read committed it
// may read older ones.
func (p *Program) Final(name string, body func(*Tx) error) {
	loc := p.declaring("Final")
	if name == "" {
		p.misuse(loc, "a Final needs a name")
	}
	if body == nil {
		p.misuse(loc, "Final %q needs a function, got nil", name)
	}
	for _, f := range p.finals {
		if f.name == name {
			p.misuse(loc, "Final %q is declared twice, first at %s: give each a name of its own", name, p.client.Location(f.loc))
		}
	}
	p.finals = append(p.finals, finalDecl{name, body, loc})
}

// Invariant declares a judgement of complete histories: check gets what the
// sessions observed, read and wrote, and returns an error when that is wrong.
// It is called once for each distinct outcome, from a fresh call of the Explore
// function each time.
func (p *Program) Invariant(name string, check func(*Outcome) error) {
	loc := p.declaring("Invariant")
	if name == "" {
		p.misuse(loc, "an Invariant needs a name")
	}
	if check == nil {
		p.misuse(loc, "Invariant %q needs a function, got nil", name)
	}
	for _, v := range p.invariants {
		if v.name == name {
			p.misuse(loc, "Invariant %q is declared twice, first at %s: give each a name of its own", name, p.client.Location(v.loc))
		}
	}
	p.invariants = append(p.invariants, invariantDecl{name, check, loc})
}

// declaring guards every declaration and returns where the user wrote it.
func (p *Program) declaring(what string) Loc {
	if p == nil || p.client == nil {
		panic("txmc: " + what + " on a Program that txmc did not make: declare inside an Explore function, on its parameter")
	}
	p.run.enter(what)
	loc := p.client.caller()
	if p.sealed {
		p.misuse(loc, "%s after the Explore function has returned: declare variables, sessions, finals and invariants in the Explore function itself, not in a session", what)
	}
	return loc
}

func (p *Program) misuse(loc Loc, format string, args ...any) {
	p.run.fail(&Error{
		Kind:    Misuse,
		Program: p.client.Name,
		Session: p.run.name(),
		Message: fmt.Sprintf(format, args...),
		At:      p.client.Location(loc),
	})
}
