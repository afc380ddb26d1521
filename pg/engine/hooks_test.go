package engine

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func hooked(t *testing.T) (*Instance, *keeper) {
	x, k := testInstance(t), newKeeper()
	k.rows = true
	x.Hook(k)
	expect(t, x, "create table acct(id int primary key, owner text unique, bal numeric not null default 0 check (bal>=0), note text)", "CREATE TABLE")
	expect(t, x, "create table item(id bigint primary key, acct int references acct on delete cascade)", "CREATE TABLE")
	expect(t, x, "insert into acct select g,'o'||g,100*g from generate_series(1,4) g", "INSERT 0 4")
	expect(t, x, "insert into item select g,1+g%2 from generate_series(1,4) g", "INSERT 0 4")
	k.log = nil
	return x, k
}

// what expects what the hooks were asked and told by a statement.
func (k *keeper) what(t *testing.T, x *Instance, sql, want, log string) {
	t.Helper()
	k.log = nil
	expect(t, x, sql, want)
	if got := strings.Join(k.log, "; "); got != log {
		t.Errorf("%s: hooks\n got %s\nwant %s", sql, got, log)
	}
}

func TestHooksSeeWhatStatementsRead(t *testing.T) {
	x, k := hooked(t)
	k.what(t, x, "select bal from acct where id=3", "(300) SELECT 1", "scan acct acct_pkey 1:3:03000000; see acct 3")
	k.what(t, x, "select id from acct where owner='o2'", "(2) SELECT 1", "scan acct acct_owner_key 1:3:6f32; see acct 2")
	k.what(t, x, "select count(*) from item", "(4) SELECT 1", "scan item item_pkey; see item 1; see item 2; see item 3; see item 4")
	k.what(t, x, "select id from acct where id=9", "SELECT 0", "scan acct acct_pkey 1:3:09000000")
	k.what(t, x, "update acct set bal=bal+1 where id=1 returning bal", "(101) UPDATE 1",
		"scan acct acct_pkey 1:3:01000000; see acct 1; insert acct; see acct 1; see acct 1")
	k.what(t, x, "select id from acct where id=1 for update", "(1) SELECT 1", "scan acct acct_pkey 1:3:01000000; see acct 1; lock acct 3")
}

func TestHooksConstraints(t *testing.T) {
	x, _ := hooked(t)
	expect(t, x, "insert into acct values (1,'z')", `ERROR 23505: duplicate key value violates unique constraint "acct_pkey"`)
	expect(t, x, "insert into acct values (9,'o2')", `ERROR 23505: duplicate key value violates unique constraint "acct_owner_key"`)
	expect(t, x, "insert into acct values (9,'z',-1)", `ERROR 23514: new row for relation "acct" violates check constraint "acct_bal_check"`)
	expect(t, x, "insert into item values (9,77)", `ERROR 23503: insert or update on table "item" violates foreign key constraint "item_acct_fkey"`)
	expect(t, x, "insert into acct values (9,'o2',7) on conflict (owner) do update set bal=acct.bal+excluded.bal returning id,bal", "(2,207) INSERT 0 1")
	expect(t, x, "insert into acct values (10,'new') on conflict do nothing", "INSERT 0 1")
	upsert := "insert into acct values (%d,'u') on conflict (owner) do update set bal=1 returning xmax<>0"
	expect(t, x, fmt.Sprintf(upsert, 11), "(f) INSERT 0 1")
	expect(t, x, fmt.Sprintf(upsert, 12), "(t) INSERT 0 1")
	expect(t, x, "update acct set bal=bal where id=11 returning xmax", "(0) UPDATE 1")
	expect(t, x, "delete from acct where id=11", "DELETE 1")
	expect(t, x, "delete from acct where id=1", "DELETE 1")
	expect(t, x, "select id from item order by id", "(1) (3) SELECT 2")
	expect(t, x, "begin; delete from acct; rollback", "BEGIN DELETE 4 ROLLBACK")
	expect(t, x, "select id,bal from acct order by id", "(2,207) (3,300) (4,400) (10,0) SELECT 4")
	expect(t, x, "truncate acct cascade", "TRUNCATE TABLE")
	expect(t, x, "select count(*) from acct", "(0) SELECT 1")
}

func TestHooksRaise(t *testing.T) {
	x, k := hooked(t)
	k.raise = "40001"
	expect(t, x, "select * from acct", "ERROR 40001: raised 100%s by the hook")
	expect(t, x, "do $$ begin perform 1 from acct; exception when serialization_failure then null; end $$", "DO")
	k.raise = ""
	expect(t, x, "select count(*) from acct", "(4) SELECT 1")
	k.deny = func(w Write) Result { return Result{Code: Deleted} }
	expect(t, x, "update acct set bal=0", "UPDATE 0")
}

// breaker ends in the middle of a scan in a way that hooks should not.
type breaker struct {
	*keeper
	how func()
}

func (b *breaker) Scan(*Call, Scan) { b.how() }

func TestHooksThatPanic(t *testing.T) {
	x, k := hooked(t)
	s, err := x.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	mine := errors.New("mine")
	for name, how := range map[string]func(){
		"error": func() { panic(mine) }, "text": func() { panic("text") }, "exit": runtime.Goexit,
		"fault": func() { var none *keeper; none.log = nil },
	} {
		x.Hook(&breaker{k, how})
		var err error
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, err = x.Exchange(query("select count(*) from acct"))
		}()
		<-done
		crash := new(CrashError)
		if name == "exit" {
			_, err = x.Exchange(query("select 1"))
		}
		if !errors.As(err, &crash) || name == "error" && !errors.Is(err, mine) {
			t.Errorf("%s: %v", name, err)
		}
		if err := x.Reset(s); err != nil {
			t.Fatal(err)
		}
		x.Hook(k)
		expect(t, x, "select count(*) from acct", "(4) SELECT 1")
	}
}

func TestHooksLocks(t *testing.T) {
	x, k := hooked(t)
	k.busy = true
	expect(t, x, "select id from acct for update skip locked", "SELECT 0")
	expect(t, x, "select id from acct for update nowait", `ERROR 55P03: could not obtain lock on row in relation "acct"`)
	k.busy = false
	expect(t, x, "select id from acct where id=2 for share skip locked", "(2) SELECT 1")
	// A newer version than the one that the statement saw: its condition is evaluated again.
	first := true
	k.deny = func(w Write) Result {
		if !first {
			return Result{}
		}
		first = false
		return Result{Code: Updated, Newest: w.TID}
	}
	expect(t, x, "update acct set bal=bal+1 where id=2 returning bal", "(201) UPDATE 1")
	first = true
	expect(t, x, "begin isolation level repeatable read; update acct set bal=bal+1 where id=2; rollback",
		"BEGIN ERROR 40001: could not serialize access due to concurrent update")
	expect(t, x, "rollback", "ROLLBACK")
}

func TestHooksSavepoints(t *testing.T) {
	x, k := hooked(t)
	r := &ends{keeper: k}
	x.Hook(r)
	expect(t, x, "begin; savepoint a; update acct set bal=1 where id=1; rollback to a; release a; commit",
		"BEGIN SAVEPOINT UPDATE 1 ROLLBACK RELEASE COMMIT")
	expect(t, x, "do $$ begin insert into acct values (1); exception when unique_violation then null; end $$", "DO")
	want := "begin 2/1 abort 2/1 begin 3/1 pre-commit 3/1 commit 3/1 pre-commit commit begin 2/1 abort 2/1 pre-commit commit"
	if got := strings.Join(r.seen, " "); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// ends writes down how transactions and their parts end.
type ends struct {
	*keeper
	seen []string
}

func (e End) name() string { return [...]string{"begin", "pre-commit", "commit", "abort"}[e] }

func (r *ends) Transaction(c *Call, e End) {
	r.seen = append(r.seen, e.name())
	r.keeper.Transaction(c, e)
}

func (r *ends) Subtransaction(_ *Call, e End, id, parent uint32) {
	r.seen = append(r.seen, fmt.Sprintf("%s %d/%d", e.name(), id, parent))
}

// mover puts a row of one instance into another at the first scan.
type mover struct {
	*keeper
	table OID
	rows  []Row
	err   error
}

func (m *mover) Scan(c *Call, s Scan) {
	for _, r := range m.rows {
		if ok, err := c.Satisfies(s, r); err != nil || !ok {
			m.err = err
			continue
		}
		t, err := c.Insert(m.table, r, nil)
		if err != nil {
			m.err = err
		}
		m.versions[m.key(m.table, t)] = &kept{table: m.table}
	}
	m.rows = nil
	m.keeper.Scan(c, s)
}

func TestRowsMoveBetweenInstances(t *testing.T) {
	t.Parallel()
	x, k := hooked(t)
	big := strings.Repeat("all work and no play ", 1000)
	expect(t, x, "update acct set note=repeat('all work and no play ',1000) where id=3", "UPDATE 1")
	r := &reader{keeper: k}
	x.Hook(r)
	expect(t, x, "select count(*) from acct", "(4) SELECT 1")

	y, k2 := hooked(t)
	expect(t, y, "delete from item; delete from acct", "DELETE 4 DELETE 4")
	m := &mover{keeper: k2, table: r.table, rows: r.rows}
	y.Hook(m)
	expect(t, y, "select id,bal,note='"+big+"' from acct where id in (2,3) order by id", "(2,200,NULL) (3,300,t) SELECT 2")
	expect(t, y, "select count(*) from acct", "(2) SELECT 1")
	expect(t, y, "insert into acct values (3,'x')", `ERROR 23505: duplicate key value violates unique constraint "acct_pkey"`)
	expect(t, y, "select id from acct where owner='o2'", "(2) SELECT 1")
	if m.err != nil {
		t.Error(m.err)
	}
}

// reader keeps the rows that are seen.
type reader struct {
	*keeper
	table OID
	rows  []Row
}

func (r *reader) Visible(c *Call, v Version, w View) bool {
	yes := r.keeper.Visible(c, v, w)
	if yes {
		row, _ := c.Row(v)
		r.table, r.rows = v.Table, append(r.rows, row)
	}
	return yes
}

func TestDo(t *testing.T) {
	t.Parallel()
	x := testInstance(t)
	expect(t, x, "create extension citext", "CREATE EXTENSION")
	expect(t, x, "create table n(id numeric primary key, name citext unique, v int)", "CREATE TABLE")
	expect(t, x, "insert into n values (1.0,'Ann',1),(2,'bob',2); update n set v=3 where id=2; delete from n where id=1", "INSERT 0 2 UPDATE 1 DELETE 1")
	tables, err := x.Tables()
	if err != nil || len(tables) != 1 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	var seen []string
	k := newKeeper()
	err = x.Do(func(c *Call) error {
		rel := c.Table(tables[0])
		if rel.Name != "n" || rel.Schema != "public" || !rel.Indexes[0].Primary || len(rel.Indexes) != 2 || !rel.Indexes[1].Plain() {
			t.Errorf("table is %+v", rel)
		}
		var rows []Row
		err := c.EachRow(rel.OID, func(v Version, row Row) error {
			seen = append(seen, v.TID.String())
			k.versions[k.key(v.Table, v.TID)] = &kept{table: v.Table}
			rows = append(rows, row)
			for i, col := range rel.Columns {
				seen = append(seen, c.Text(col.Type, col, row[i]))
			}
			return nil
		})
		if err != nil || len(rows) != 1 {
			return fmt.Errorf("%d rows, %w", len(rows), err)
		}
		sameKeys(t, c, rel, rows[0])
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if got := strings.Join(seen, " "); got != "(0,3) 2 bob 3" {
		t.Errorf("rows are %s", got)
	}
	x.Hook(k)
	expect(t, x, "select * from n", "(2,bob,3) SELECT 1")
	if err := x.Do(func(c *Call) error { c.Raise("22012", "on purpose"); return nil }); err == nil || !strings.Contains(err.Error(), "on purpose") {
		t.Errorf("an error inside: %v", err)
	}
	expect(t, x, "select * from n", "(2,bob,3) SELECT 1")
}

// sameKeys compares names that are the same but for their case.
func sameKeys(t *testing.T, c *Call, rel *Relation, row Row) {
	if same, err := c.SameKey(rel.Indexes[1].OID, row, Row{row[0], Value("BOB"), nil}); err != nil || !same {
		t.Errorf("bob and BOB: %v, %v", same, err)
	}
	if same, err := c.SameKey(rel.Indexes[1].OID, row, Row{row[0], Value("rob"), nil}); err != nil || same {
		t.Errorf("bob and rob: %v, %v", same, err)
	}
	if same, err := c.SameKey(rel.Indexes[1].OID, row, Row{row[0], nil, nil}); err != nil || same {
		t.Errorf("bob and null: %v, %v", same, err)
	}
}
