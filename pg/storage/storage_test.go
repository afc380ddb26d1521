package storage_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/storage"
	"github.com/txmc/txmc/pg/wire"
	_ "github.com/txmc/txmc/program/deadlinetest" // its threads
	"github.com/txmc/txmc/program/rows"
)

var server = sync.OnceValues(func() (*engine.Engine, error) {
	return engine.Open(context.Background(), engine.Options{})
})

type quiet struct{}

func (quiet) Statement(string) error { return nil }
func (quiet) Refuse(m string) error  { return fmt.Errorf("refused: %s", m) }

// connect returns a connection to an instance; storage is nil where PostgreSQL
// keeps its rows itself.
func connect(t *testing.T, s *storage.Session) *pgx.Conn {
	t.Helper()
	e, err := server()
	if err != nil {
		t.Skipf("PostgreSQL's package is not to be had: %v", err)
	}
	x, err := e.Instance()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if s != nil {
		x.Hook(s)
	}
	cfg := configure(t, x)
	cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	c, err := pgx.ConnectConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// configure returns the configuration of connections to an instance.
func configure(t *testing.T, x *engine.Instance) *pgx.ConnConfig {
	t.Helper()
	h := wire.NewHub(x, quiet{})
	cfg, err := pgx.ParseConfig("postgres://postgres@/postgres?host=/txmc&sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	cfg.DialFunc = func(context.Context, string, string) (net.Conn, error) { return h.Dial(), nil }
	return cfg
}

// answer is what a statement answers, for comparison.
func answer(ctx context.Context, c *pgx.Conn, sql string) string {
	rows, err := c.Query(ctx, sql)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for rows.Next() {
		for _, v := range rows.RawValues() {
			fmt.Fprintf(&b, "%q ", v)
		}
		b.WriteString("; ")
	}
	if err := rows.Err(); err != nil {
		if e, ok := err.(*pgconn.PgError); ok {
			return e.Code + " " + e.Message + " " + e.ConstraintName
		}
		return err.Error()
	}
	return b.String() + rows.CommandTag().String()
}

const script = `
create table branch(id int primary key, name text)
create table acct(id bigserial primary key, owner text unique, branch int references branch on delete cascade, bal numeric(12,2) not null default 0 check (bal>=0))
create index on acct(branch)
create table log(what text, n int)
insert into branch values (1,'north'),(2,'south')
insert into acct(owner,branch,bal) select 'o'||g, 1+g%2, 100*g from generate_series(1,6) g
select bal from acct where id=3
select id,bal from acct where owner='o4'
select sum(bal) from acct where branch=1
select a.owner,b.name from acct a join branch b on b.id=a.branch where a.id in (2,5)
select count(*) from acct
update acct set bal=bal-50 where id=3 returning id,bal
update acct set bal=bal+1 where id=3 and bal>200 returning bal
insert into acct(owner,branch,bal) values('o4',1,5)
insert into acct(owner,branch,bal) values('zz',9,5)
insert into acct(owner,branch,bal) values('zz',1,-5)
insert into acct(owner,branch,bal) values('o4',1,5) on conflict (owner) do update set bal=acct.bal+excluded.bal returning *
insert into acct(owner,branch,bal) values('o4',1,5) on conflict do nothing
insert into acct(owner,branch,bal) values('o9',1,5) on conflict do nothing returning id
select id,bal from acct where owner='o4'
select * from acct where id=2 for update
begin
savepoint a
insert into acct(owner,branch,bal) values('new',1,5)
update branch set name='n2' where id=1
rollback to a
update acct set owner='renamed' where id=1
select id, owner from acct order by id
commit
select id from acct where owner='o1'
select id from acct where owner='renamed'
insert into acct(owner) values('o1') returning id
update acct set owner='o1' where id=2
update acct set id=100 where id=2
select * from acct where id=100 or id=2
delete from branch where id=2
select id, owner from acct order by id
insert into log values ('a',1),('a',1),('b',2)
update log set n=n+1 where what='a'
delete from log where what='b'
select * from log order by 1,2
with x as (update acct set bal=0 where branch=1 returning id) select count(*) from x
do $$ begin insert into branch values (7,'x'); begin insert into branch values (7,'y'); exception when unique_violation then insert into branch values (8,'z'); end; end $$
select * from branch order by id
begin
insert into branch values (9,'gone')
select 1/0
select 1
rollback
select count(*) from branch
truncate log
select * from log
insert into log values ('c',3)
select * from log
update acct set bal = bal + 1
select sum(bal) from acct
`

// Statements are answered as by PostgreSQL with its own storage.
func TestAsPostgreSQL(t *testing.T) {
	t.Parallel()
	plain := connect(t, nil)
	kept := connect(t, storage.NewStore().NewSession("s", rows.NewMemory().Log()))
	for sql := range strings.Lines(strings.TrimSpace(script)) {
		want, got := answer(t.Context(), plain, sql), answer(t.Context(), kept, sql)
		if got != want {
			t.Errorf("%sgot  %s\nwant %s", sql, got, want)
		}
	}
}

// Sessions with instances of their own see each other's rows.
func TestTwoSessions(t *testing.T) {
	t.Parallel()
	store, memory := storage.NewStore(), rows.NewMemory()
	one, two := connect(t, store.NewSession("one", memory.Log())), connect(t, store.NewSession("two", memory.Log()))
	const schema = "create table t(id int primary key, u text unique, v int)"
	for _, c := range []*pgx.Conn{one, two} {
		if got := answer(t.Context(), c, schema); got != "CREATE TABLE" {
			t.Fatal(got)
		}
	}
	for _, x := range []struct {
		c         *pgx.Conn
		sql, want string
	}{
		{one, "insert into t values (1,'a',10),(2,'b',20)", "INSERT 0 2"},
		{two, "select * from t order by id", `"1" "a" "10" ; "2" "b" "20" ; SELECT 2`},
		{two, "select id from t where u='b'", `"2" ; SELECT 1`},
		{two, "update t set v=v+1, u='c' where id=2", "UPDATE 1"},
		{one, "select id from t where u='b'", "SELECT 0"},
		{one, "select id, v from t where u='c'", `"2" "21" ; SELECT 1`},
		{one, "insert into t values (3,'c',0)", "ERROR: duplicate key value violates unique constraint \"t_u_key\" (SQLSTATE 23505)"},
		{one, "insert into t values (3,'b',0)", "INSERT 0 1"},
		{two, "insert into t values (4,'b',5) on conflict (u) do update set v=t.v+excluded.v returning id,v", `"3" "5" ; INSERT 0 1`},
		{one, "select v from t where id=3 for update", `"5" ; SELECT 1`},
		{two, "delete from t where v > 5", "DELETE 2"},
		{one, "select count(*) from t", `"1" ; SELECT 1`},
		{one, "insert into t values (1,'a',7)", "INSERT 0 1"},
		{two, "select * from t order by id", `"1" "a" "7" ; "3" "b" "5" ; SELECT 2`},
	} {
		if got := answer(t.Context(), x.c, x.sql); got != x.want {
			t.Errorf("%s\ngot  %s\nwant %s", x.sql, got, x.want)
		}
	}
}
