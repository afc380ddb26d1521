package configure

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/source"
	"github.com/txmc/txmc/explore/find/structure"
	"github.com/txmc/txmc/pg"
)

const schema = `
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE acct (id int PRIMARY KEY, owner text NOT NULL UNIQUE, bal int NOT NULL DEFAULT 0, m mood NOT NULL);
CREATE TABLE entry (acct int REFERENCES acct, line bigserial, n int NOT NULL CHECK (n > 0), PRIMARY KEY (acct, line));`

// param is a parameter of a call, of a part of one.
func param(path string) *source.Value { return &source.Value{Op: source.Param, Path: path} }

// call is a function with parameters of type int, and a statement for each text, whose
// arguments are all of them.
func call(t *testing.T, a *access.Analyser, name string, args []*source.Value, statements ...string) (*structure.Transaction, []*structure.Step) {
	t.Helper()
	var params []*types.Var
	for _, p := range args {
		if p.Op == source.Param {
			params = append(params, types.NewVar(token.NoPos, nil, p.Path, types.Typ[types.Int]))
		}
	}
	fn := types.NewFunc(token.NoPos, types.NewPackage("app", "app"), name, types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), nil, false))
	tx := &structure.Transaction{Transaction: &source.Transaction{Call: &source.Call{Package: "app", Name: name, Func: fn}}}
	for i, sql := range statements {
		effect, err := a.Analyse(t.Context(), sql)
		if err != nil {
			t.Fatal(sql, err)
		}
		s := &source.Statement{Transaction: tx.Transaction, Number: i, SQL: sql, Args: args}
		tx.Steps = append(tx.Steps, &structure.Step{Statement: s, Effect: effect, Of: tx})
	}
	return tx, tx.Steps
}

// configs are the configurations of all structures of transactions at READ COMMITTED.
func configs(t *testing.T, a *access.Analyser, all ...*structure.Transaction) (keys []string, list []*Config) {
	t.Helper()
	steps := map[*source.Call][]*structure.Step{}
	for _, tx := range all {
		steps[tx.Call] = tx.Steps
	}
	structures, _ := structure.Find(t.Context(), t.Context(), all, structure.ReadCommitted, 4, false)
	for _, s := range structures {
		made, err := New(s, steps, a.Catalog)
		if err != nil {
			keys = append(keys, err.Error())
		}
		for _, c := range made {
			if !slices.Contains(keys, c.Key()) {
				keys, list = append(keys, c.Key()), append(list, c)
			}
		}
	}
	return keys, list
}

// Keys are equal where the statements have to meet, and a call's own keys differ.
func TestSolve(t *testing.T) {
	a, err := access.New(t.Context(), pg.Schema(schema))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	tx, _ := call(t, a, "Move", []*source.Value{param("from"), param("to")}, "SELECT bal FROM acct WHERE id = $1 OR $2 = 0", "SELECT bal FROM acct WHERE id = $1 AND $2 = $2", "UPDATE acct SET bal = 0 WHERE id = $2 AND $1 = $1")
	keys, list := configs(t, a, tx)
	if !slices.Contains(keys, "app.Move from=1 to=2; app.Move from=2 to=1") {
		t.Errorf("%q", keys)
	}
	for _, c := range list {
		for _, v := range c.Variants() {
			if err := a.Try(t.Context(), c.Seed(v)); err != nil {
				t.Errorf("%s: %v", c.Key(), err)
			}
		}
		args, err := c.Arguments(0, Variant{Amount: 5}, func(p *types.Package) string { return p.Name() }, nil)
		if err != nil || len(args) != 2 || args[0] == args[1] && !strings.Contains(c.Key(), "from=1 to=1") && !strings.Contains(c.Key(), "from=2 to=2") {
			t.Errorf("%s: %q, %v", c.Key(), args, err)
		}
	}
}

// Rows fit the schema: keys of tables that refer to each other, unique columns, enumerated
// types; and constants of statements are met.
func TestSeed(t *testing.T) {
	a, err := access.New(t.Context(), pg.Schema(schema))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	tx, _ := call(t, a, "Count", []*source.Value{param("id"), param("n")}, "SELECT count(*) FROM entry WHERE acct = $1 AND $2 = $2", "INSERT INTO entry (acct, n) VALUES ($1, $2)", "SELECT bal FROM acct WHERE id = 7")
	_, list := configs(t, a, tx)
	if len(list) == 0 {
		t.Fatal("no configuration")
	}
	for _, filled := range []bool{false, true} {
		seed := list[0].Seed(Variant{Column: 3, Filled: filled})
		if err := a.Try(t.Context(), seed); err != nil {
			t.Errorf("%v\n%s", err, seed)
		}
		if got := strings.Contains(seed, `INSERT INTO "entry"`); got != filled {
			t.Errorf("filled %v:\n%s", filled, seed)
		}
		if !strings.Contains(seed, "(7, ") || !strings.Contains(seed, "'sad'") || !strings.Contains(seed, "setval('public.entry_line_seq', 1000000000)") {
			t.Errorf("%s", seed)
		}
	}
}

// Another call has the keys that the others have, and none twice; where they have none, its own.
func TestWith(t *testing.T) {
	a, err := access.New(t.Context(), pg.Schema(schema))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	tx, _ := call(t, a, "Move", []*source.Value{param("from"), param("to")}, "SELECT bal FROM acct WHERE id = $1 OR $2 = 0", "SELECT bal FROM acct WHERE id = $1 AND $2 = $2", "UPDATE acct SET bal = 0 WHERE id = $2 AND $1 = $1")
	_, list := configs(t, a, tx)
	other, steps := call(t, a, "Both", []*source.Value{param("x"), param("y")}, "SELECT bal FROM acct WHERE id = $1 AND $2 = $2", "UPDATE acct SET bal = 0 WHERE id = $2 AND $1 = $1")
	third := map[string]bool{}
	for _, c := range list {
		wider := c.With(other.Call, steps)
		key, before := wider.Key(), c.Key()
		if len(c.Calls) != 2 || c.Key() != before || len(wider.Calls) != 3 || wider.Calls[2] != other.Call || !strings.Contains(key, "app.Both x=") {
			t.Errorf("%s of %s", key, before)
		}
		third[strings.Split(key, "; ")[0]] = true
		if err := a.Try(t.Context(), wider.Seed(Variant{Column: 3})); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	for key := range third {
		if key != "app.Both x=1 y=2" && key != "app.Both x=2 y=1" && key != "app.Both x=1 y=3" {
			t.Error(key)
		}
	}
}

// A table into which a call inserts has the rows that other calls change by their own arguments.
// Columns by which rows are looked for, and which are no key, have other values there. Rows have
// a key once.
func TestOwn(t *testing.T) {
	a, err := access.New(t.Context(), pg.Schema("CREATE TABLE seat (id int, who int, nr int NOT NULL, PRIMARY KEY (id, who)); CREATE INDEX ON seat (nr)"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	args := []*source.Value{param("id"), param("who"), param("nr")}
	take, _ := call(t, a, "Take", args, "SELECT id FROM seat WHERE nr = $3 AND $1 = $1 AND $2 = $2", "INSERT INTO seat VALUES ($1, $2, $3)")
	move, _ := call(t, a, "Move", args, "SELECT id FROM seat WHERE nr = $3 AND $1 = $1 AND $2 = $2", "UPDATE seat SET nr = $3 WHERE id = $1 AND who = $2")
	keys, list := configs(t, a, take, move)
	found := false
	for i, c := range list {
		for _, v := range c.Variants() {
			seed := c.Seed(v)
			if err := a.Try(t.Context(), seed); err != nil {
				t.Errorf("%s: %v\n%s", keys[i], err, seed)
			}
			if v.Own && c.Key() == "app.Move id=2 nr=1 who=2; app.Take id=1 nr=1 who=1" {
				found = true
				if want := `INSERT INTO "seat" ("id", "who", "nr") OVERRIDING SYSTEM VALUE VALUES (2, 2, 4);`; strings.TrimSpace(seed) != want {
					t.Errorf("%s\nnot %s", seed, want)
				}
			}
			if v.Own != (v.Own && strings.Contains(c.Key(), "Take") && strings.Contains(c.Key(), "Move")) {
				t.Errorf("%s has rows of its own", c.Key())
			}
		}
	}
	if !found {
		t.Errorf("no two take and move to one seat: %q", keys)
	}
}

// Code may compare an amount, and add to a column. Then there are amounts below zero. There are
// also amounts that two rows do not cover, and that they cover with one more of it.
func TestAmounts(t *testing.T) {
	a, err := access.New(t.Context(), pg.Schema(schema))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	args := []*source.Value{param("id"), param("n")}
	pay, steps := call(t, a, "Pay", args, "SELECT bal FROM acct WHERE id = $1 AND $2 = $2", "UPDATE acct SET bal = bal - $2 WHERE id = $1")
	set, _ := call(t, a, "Set", args, "SELECT bal FROM acct WHERE id = $1 AND $2 = $2", "UPDATE acct SET bal = $2 WHERE id = $1")
	covered := &source.Value{Op: source.Binary, Token: token.LSS, Args: []*source.Value{{Op: source.Result, Statement: steps[0].Statement}, args[1]}}
	for _, tx := range []*structure.Transaction{pay, set} {
		for _, compares := range []bool{false, true} {
			if compares {
				tx.Steps[1].Guards = []source.Guard{{If: covered}}
			}
			_, list := configs(t, a, tx)
			for _, c := range list {
				below, between := false, false
				for _, v := range c.Variants() {
					below = below || v.Amount < 0 && v.Column < 0
					between = between || v.Column > 0 && 2*v.Column < v.Amount && v.Column > 1
				}
				if want := compares && tx == pay; below != want || between != want {
					t.Errorf("%s, compared %v: below zero %v, between %v", c.Key(), compares, below, between)
				}
			}
			if len(list) == 0 {
				t.Errorf("%s has no configuration", tx.Call.Name)
			}
		}
	}
}

// Two calls that give rows of their own what both look for meet in that: the name is one, and the rows are two.
func TestEntering(t *testing.T) {
	a, err := access.New(t.Context(), pg.Schema("CREATE TABLE product (id int PRIMARY KEY, name int NOT NULL, n int);"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	args := []*source.Value{param("id"), param("name")}
	rename, _ := call(t, a, "Rename", args, "SELECT count(*) FROM product WHERE name = $2 AND $1 = $1", "UPDATE product SET name = $2 WHERE id = $1")
	if keys, _ := configs(t, a, rename); !slices.Contains(keys, "app.Rename id=1 name=1; app.Rename id=2 name=1") {
		t.Errorf("%q", keys)
	}
	count, _ := call(t, a, "Count", args, "SELECT count(*) FROM product WHERE name = $2 AND $1 = $1", "UPDATE product SET n = $2 WHERE id = $1")
	if keys, _ := configs(t, a, count); slices.Contains(keys, "app.Count id=1 name=1; app.Count id=2 name=1") {
		t.Errorf("%q", keys)
	}
}

// A struct whose fields are its package's own alone is not made up: its zero value is not what a call needs.
func TestClosed(t *testing.T) {
	closed := func(exported bool) types.Type {
		name := map[bool]string{true: "N", false: "n"}[exported]
		field := types.NewVar(token.NoPos, types.NewPackage("app", "app"), name, types.Typ[types.Int])
		return types.NewPointer(types.NewStruct([]*types.Var{field}, nil))
	}
	for _, exported := range []bool{true, false} {
		m := &maker{instance: &instance{}, qualify: func(p *types.Package) string { return p.Name() }}
		if text, err := m.expression(closed(exported), "x", 0); (err == nil) != exported {
			t.Errorf("%v: %s, %v", exported, text, err)
		}
	}
}

// Conditions of the code say what rows and arguments are: the state with which a statement is sent comes first, a bound
// is kept by one amount and not by two, and rows are one fewer than it.
func TestGuarded(t *testing.T) {
	a, err := access.New(t.Context(), pg.Schema("CREATE TABLE job (id serial PRIMARY KEY, owner int NOT NULL, state text NOT NULL, open boolean NOT NULL)"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	args := []*source.Value{param("owner"), param("kind")}
	take, steps := call(t, a, "Take", args, "SELECT state, open, (SELECT count(*) FROM job) FROM job WHERE owner = $1 AND $2 = $2", "INSERT INTO job (owner, state, open) VALUES ($1, 'done', $2 = 1)")
	column := func(i int) *source.Value {
		return &source.Value{Op: source.Result, Statement: steps[0].Statement, Index: i}
	}
	binary := func(op token.Token, v *source.Value, c constant.Value) *source.Value {
		return &source.Value{Op: source.Binary, Token: op, Args: []*source.Value{v, {Op: source.Const, Const: c}}}
	}
	steps[1].Guards = []source.Guard{
		{If: binary(token.EQL, column(0), constant.MakeString("closed"))}, {If: binary(token.NEQ, column(0), constant.MakeString("ready"))},
		{If: &source.Value{Op: source.Not, Args: []*source.Value{column(1)}}, Then: true},
	}
	take.Call.Conditions = []source.Guard{{If: binary(token.GEQ, column(2), constant.MakeInt64(5))}, {If: binary(token.EQL, args[1], constant.MakeInt64(8)), Then: true}}
	_, list := configs(t, a, take)
	if len(list) == 0 {
		t.Fatal("no configuration")
	}
	seeds := map[string]bool{}
	for _, v := range list[0].Variants() {
		seed := list[0].Seed(v)
		if err := a.Try(t.Context(), seed); err != nil {
			t.Errorf("%v\n%s", err, seed)
		}
		given, err := list[0].Arguments(0, v, func(p *types.Package) string { return p.Name() }, nil)
		if err != nil || given[1] != "8" {
			t.Errorf("%q, %v", given, err)
		}
		seeds[fmt.Sprintf("%d ready, %d closed, %d open", strings.Count(seed, "'ready'"), strings.Count(seed, "'closed'"), strings.Count(seed, "'true'"))] = true
	}
	for _, want := range []string{"1 ready, 0 closed, 0 open", "0 ready, 1 closed, 0 open", "4 ready, 0 closed, 0 open"} {
		if !seeds[want] {
			t.Errorf("no rows with %s: %v", want, seeds)
		}
	}
}

// Of two tables into which calls insert each has rows alone: what is deleted from one comes into the other.
func TestSingle(t *testing.T) {
	a, err := access.New(t.Context(), pg.Schema("CREATE TABLE record (id text PRIMARY KEY); CREATE TABLE gone (id text PRIMARY KEY)"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	args := []*source.Value{param("id")}
	create, _ := call(t, a, "Create", args, "WITH d AS (DELETE FROM gone WHERE id = $1) INSERT INTO record VALUES ($1)")
	remove, _ := call(t, a, "Remove", args, "WITH d AS (DELETE FROM record WHERE id = $1 RETURNING id) INSERT INTO gone SELECT id FROM d")
	_, list := configs(t, a, create, remove)
	seeds := map[string]bool{}
	for _, c := range list {
		for _, v := range c.Variants() {
			seed := c.Seed(v)
			seeds[fmt.Sprint(strings.Contains(seed, `"record"`), strings.Contains(seed, `"gone"`))] = true
		}
	}
	if len(seeds) != 4 {
		t.Errorf("%v", seeds)
	}
}
