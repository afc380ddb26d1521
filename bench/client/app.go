package client

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/bench/table"
)

// App is an application: its tables, and its transactions by name.
type App struct {
	Name   string
	Schema []table.Schema
	Txns   map[string]Txn
	// Assert declares what must hold of the application in p.
	Assert func(p *txmc.Program)
}

// Txn takes a transaction's arguments and returns what it does.
type Txn func(a *Args) Body

// Body is a transaction: nil commits, an error aborts.
type Body func(tx table.Tx) error

// Program is a client of an application with its initial rows: all that is
// needed to run it, or to explore it.
type Program struct {
	App      *App
	Name     string
	Rows     Database
	Sessions [][]Call
}

// Call is a transaction with its arguments.
type Call struct {
	Name string
	Body Body
}

// Bind makes a program of a client's lines. It returns an error with file and
// line when the application has no such transaction or the arguments do not fit.
func Bind(app *App, rows Database, c *Client) (*Program, error) {
	p := &Program{App: app, Name: c.Name, Rows: rows}
	for _, lines := range c.Sessions {
		var calls []Call
		for _, l := range lines {
			call, err := app.call(l.Words)
			if err != nil {
				return nil, l.Errorf("%w", err)
			}
			calls = append(calls, call)
		}
		p.Sessions = append(p.Sessions, calls)
	}
	return p, nil
}

func (app *App) call(words []string) (Call, error) {
	name := words[0]
	txn, ok := app.Txns[name]
	if !ok {
		return Call{}, fmt.Errorf("%s has no transaction %q: it has %s", app.Name, name,
			strings.Join(slices.Sorted(maps.Keys(app.Txns)), ", "))
	}
	a := &Args{words: words[1:]}
	body := txn(a)
	switch {
	case a.err != nil:
		return Call{}, fmt.Errorf("%s: %w", name, a.err)
	case a.next != len(a.words):
		return Call{}, fmt.Errorf("%s takes %d arguments, got %d", name, a.next, len(a.words))
	}
	return Call{name, body}, nil
}

// Explore is the program's Explore function, without assertions, so that what is
// counted are the histories of the client alone.
func (p *Program) Explore(t *txmc.Program) {
	t.Setup(func(tx *txmc.Tx) error {
		table.Load(tx, p.App.Schema, p.Rows)
		return nil
	})
	for i, calls := range p.Sessions {
		t.Session(fmt.Sprintf("thread%d", i+1), func(s *txmc.Session) {
			for _, c := range calls {
				s.Txn(c.Name, func(tx *txmc.Tx) error { return c.Body(tx) })
			}
		})
	}
}

// ExploreAsserted is Explore with the application's assertions.
func (p *Program) ExploreAsserted(t *txmc.Program) {
	p.Explore(t)
	if p.App.Assert != nil {
		p.App.Assert(t)
	}
}

// Scenario declares a client of the application in p that is written in Go, with
// the application's assertions: a list of sessions, each a list of lines. It
// panics on lines that do not fit: they are part of a program.
func Scenario(p *txmc.Program, app *App, databases fs.FS, sessions ...[]string) {
	rows, err := ReadDatabase(databases, "clients/"+app.Name+"/database", app)
	if err != nil {
		panic(err)
	}
	c := &Client{Name: "scenario"}
	for i, text := range sessions {
		lines, err := Parse(fmt.Sprintf("thread%d", i+1), strings.Join(text, "\n"))
		if err != nil {
			panic(err)
		}
		c.Sessions = append(c.Sessions, lines)
	}
	bound, err := Bind(app, rows, c)
	if err != nil {
		panic(err)
	}
	bound.ExploreAsserted(p)
}

// Run runs the sessions one after another on m, which must hold the initial rows.
func (p *Program) Run(m *table.Memory) {
	for _, calls := range p.Sessions {
		for _, c := range calls {
			m.Txn(c.Body)
		}
	}
}

// Args are the arguments of a transaction, taken one after another. An argument
// that is missing or wrong is an error of the line, reported once all are taken.
type Args struct {
	words []string
	next  int
	err   error
}

// Fail makes err an error of the line, unless it has one already.
func (a *Args) Fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// Word takes an argument as it is.
func (a *Args) Word() string {
	a.next++
	if a.next > len(a.words) {
		a.Fail(fmt.Errorf("argument %d is missing", a.next))
		return ""
	}
	return a.words[a.next-1]
}

// Int takes a whole number.
func (a *Args) Int() int {
	word := a.Word()
	n, err := strconv.Atoi(word)
	if err != nil {
		a.Fail(fmt.Errorf("argument %d: %q is not a whole number", a.next, word))
	}
	return n
}

// Float takes a number.
func (a *Args) Float() float64 {
	word := a.Word()
	f, err := strconv.ParseFloat(word, 64)
	if err != nil {
		a.Fail(fmt.Errorf("argument %d: %q is not a number", a.next, word))
	}
	return f
}

// Bool takes true or false.
func (a *Args) Bool() bool {
	word := a.Word()
	if word != "true" && word != "false" {
		a.Fail(fmt.Errorf("argument %d: %q is neither true nor false", a.next, word))
	}
	return word == "true"
}

// List takes words in brackets, separated by commas or spaces.
func (a *Args) List() []string {
	word := a.Word()
	inner, begins := strings.CutPrefix(word, "[")
	inner, ends := strings.CutSuffix(inner, "]")
	if !begins || !ends {
		a.Fail(fmt.Errorf("argument %d: %q is not a list in brackets", a.next, word))
	}
	return strings.FieldsFunc(inner, func(r rune) bool { return r == ',' || r == ' ' })
}
