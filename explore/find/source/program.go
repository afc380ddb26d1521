// Package source finds the transactions of Go code and their statements, without
// running it.
//
// It interprets the exported functions and methods of packages once, symbolically, in
// go/ssa's form. A call into the module is followed, with what is known of its
// arguments. Each block is looked at once: so a loop has one round. A call that reaches
// a method of database/sql, pgx or sqlx that sends a statement is noted. The note has
// the statement's text, its arguments, and the branches under which it is sent. The
// values of arguments and of conditions are expressions over parameters, constants and
// results of earlier statements: the flow that CLOTHO (Rahmani et al., OOPSLA 2019,
// section 5) reads off an application's abstract program.
package source

import (
	"go/token"
	"go/types"
	"slices"
)

// Program is what was found in some packages.
type Program struct {
	Calls   []*Call   // in the order of the source
	Open    []*Call   // those that are open, which may have no transaction that is known
	Unknown []Problem // what was not understood
	Schemas []Schema  // texts that make tables

	Invariants  []*types.Func   // of what the database holds
	Migrators   []*types.Func   // of those that make values: they make the schema before
	Makers      []*types.Func   // exported functions that make values which lead to the database
	Environment map[string]bool // variables of the environment that are asked for
	Stores      []types.Type    // types of the module that have what leads to the database
}

// Schema is a text of the program that makes tables.
type Schema struct {
	At, SQL string
}

// Call is an exported function or method that runs transactions.
type Call struct {
	Package string // import path
	Name    string // such as Store.Redeem
	At      string // file:line
	Func    *types.Func
	On      types.Type  // of the receiver; nil when there is none
	New     *types.Func // makes the receiver; nil when there is none or none was found

	Nesting
	Variables map[*types.Var]bool // package-level ones that lead to the database
	Asked
	Transactions []*Transaction // in the order in which they begin
	Conditions   []Guard        // of all its code, in order

	// Open has the places at which statements are sent that only a run can tell, with the reason
	// for reports, "" for none.
	Open map[string]string
}

// Transaction is what runs between Begin and Commit, or a statement in autocommit.
type Transaction struct {
	Call       *Call
	Name       string    // of the function that begins it
	At         string    // file:line where it begins
	Pos        token.Pos // of that call's parenthesis
	Auto       bool      // autocommit
	Level      string    // that Begin asks for, as rc, rr or ser; "" when it asks for none
	Statements []*Statement
}

// Statement is a statement that a transaction sends.
type Statement struct {
	Transaction *Transaction
	Number      int // in the transaction, from 0
	SQL         string
	At          string    // file:line
	Pos         token.Pos // of the call's parenthesis
	Args        []*Value  // of $1, $2, …
	Guards      []Guard   // that hold where it is sent
	Loop        bool      // it may be sent several times
	One         bool      // that there is no row is an error, as of QueryRow
	Seen        bool      // in a run; nothing is known of the conditions under which it is sent
}

// Guard is a condition and how it was decided.
type Guard struct {
	If   *Value
	Then bool // If holds
}

// Problem is something that was not understood, and so is not part of the analysis.
type Problem struct {
	At   string // file:line
	What string
}

// Index is the place of the transaction in its call.
func (t *Transaction) Index() int {
	for i, other := range t.Call.Transactions {
		if other == t {
			return i
		}
	}
	return -1
}

// Asked says what a call's arguments are for, and what it asks of rows.
type Asked struct {
	Addresses map[string]bool // parameters that are the address of the database
	Handler   *Handler        // of a call that handles requests
	Versions  bool            // it looks in an UPDATE for what it has read of the row
}

// Nesting says what a call runs, and who runs it.
type Nesting struct {
	Runs  map[*types.Func]bool // functions of the user's that it runs
	Inner bool                 // another call makes it
}

// Nest notes which calls others make.
func (p *Program) Nest() {
	for _, c := range p.Calls {
		c.Inner = slices.ContainsFunc(p.Calls, func(o *Call) bool { return o != c && o.Runs[c.Func] })
	}
}
