package storage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/pg/storage"
	"github.com/txmc/txmc/program/rows"
)

// features are statements whose rows are found in special ways: keys with several
// spellings, partial indexes and indexes of expressions, exclusion constraints,
// deferred constraints, cursors, triggers, statements in statements.
const features = `
create table again (id int primary key, u text unique, v int)
insert into again values (1, 'a', 1)
insert into again values (2, 'a', 1)
delete from again where id = 1
insert into again values (2, 'a', 1)
select id from again where u = 'a'
select v from again where id = 2
begin
savepoint a
update again set v = 5 where id = 2
rollback to a
select v from again where u = 'a'
update again set v = 5 where id = 2
commit
select v from again where u = 'a'
create table num (n numeric primary key, u numeric unique, v int)
insert into num values (1.0, 2.50, 1), (2, 3, 2)
insert into num values (1.00, 7, 1)
insert into num values (9, 2.5, 1)
insert into num values (1.000, 8, 5) on conflict (n) do update set v = num.v + excluded.v returning v
insert into num values (10, 2.5000, 5) on conflict do nothing
select v from num where n = 1
select v from num where u = 2.500
update num set n = 1.000 where n = 1
select v from num where n = 1.0000
delete from num where n = 1
select count(*) from num
insert into num values (1, 2.5, 9)
select v from num where n = 1.0
create table fnum (id int primary key, n numeric references num)
insert into fnum values (1, 1.000), (2, 2.0)
insert into fnum values (3, 3)
delete from num where n = 1.0
create table fl (f float8 primary key)
insert into fl values (0), ('NaN')
insert into fl values ('-0')
insert into fl values ('nan')
create table ch (c char(5) primary key, v int)
insert into ch values ('a', 1)
insert into ch values ('a  ', 2)
select v from ch where c = 'a '
create table part (id int primary key, owner text, active bool)
create unique index on part (owner) where active
create unique index on part (lower(owner))
insert into part values (1, 'Ann', true), (2, 'Bob', false)
insert into part values (3, 'ANN', false)
insert into part values (4, 'bob', true)
update part set owner = 'Cid' where id = 2
insert into part values (4, 'bob', true)
insert into part values (5, 'BOB', true) on conflict (lower(owner)) do update set active = false returning id, active
update part set owner = 'ann' where id = 4
delete from part where id = 1
update part set owner = 'ann' where id = 4
select * from part order by id
create table span (id int primary key, r int4range, exclude using gist (r with &&))
insert into span values (1, '[1,5)'), (2, '[5,9)')
insert into span values (3, '[4,6)')
insert into span values (3, '[4,6)') on conflict do nothing
delete from span where id = 2
insert into span values (3, '[4,6)')
insert into span values (3, '[5,6)')
select * from span order by id
create table parent (id int primary key deferrable initially deferred, n int unique deferrable initially immediate)
create table child (id int primary key, p int references num (n) deferrable initially deferred)
insert into parent values (1, 1), (2, 2)
begin
insert into parent values (1, 3)
commit
select * from parent order by 1
begin
update parent set id = id + 1
commit
select * from parent order by 1
update parent set n = n + 1
select * from parent order by 1
begin
insert into child values (1, 77)
insert into num values (77, 77, 77)
commit
begin
insert into child values (2, 78)
commit
select * from child
begin
declare d cursor for select id from part order by id
fetch 1 from d
delete from part where current of d
fetch all from d
commit
select id from part order by id
create table audit (id bigserial, what text)
create function note() returns trigger language plpgsql as $$ begin insert into audit (what) values (tg_op || ' ' || coalesce(new.id, old.id)); return coalesce(new, old); end $$
create trigger noted after insert or update or delete on part for each row execute function note()
insert into part values (10, 'x', true), (11, 'y', true)
update part set active = false where id >= 10
delete from part where id = 11
select what from audit order by id
with gone as (delete from part where id = 10 returning *), kept as (insert into part select 12, owner || '2', active from gone returning id) select * from kept
with a as (insert into part values (20, 'cte', true) returning id) select count(*) from part
select id, owner from part order by id
do $$ begin for i in 1..3 loop begin insert into part values (i + 29, 'loop' || i % 2, true); exception when unique_violation then insert into audit (what) values ('again'); end; end loop; end $$
select id from part where id >= 30 order by id
select count(*) from audit where what = 'again'
merge into part using (values (30, 'merged'), (40, 'new')) as s(id, o) on part.id = s.id when matched then update set owner = s.o when not matched then insert values (s.id, s.o, false)
select id, owner from part where id >= 30 order by id
update part set id = id + 100 where id >= 30 returning id
insert into part values (30, 'back', true) returning *
truncate part
select count(*) from part
insert into part values (1, 'Ann', true)
create table up (id int primary key)
create table down (id int primary key, up int references up on update cascade on delete set null)
insert into up values (1), (2)
insert into down values (1, 1), (2, 2)
update up set id = 10 where id = 1
delete from up where id = 2
select * from down order by id
select up.id, down.id from up join down on down.up = up.id
begin
truncate up cascade
rollback
select count(*) from up
select count(*) from down
create table part_of (id int, day int, v int, primary key (id, day)) partition by range (day)
create table part_of_1 partition of part_of for values from (0) to (10)
create table part_of_2 partition of part_of for values from (10) to (20)
insert into part_of values (1, 5, 1), (2, 15, 2)
update part_of set day = 12 where id = 1
insert into part_of values (1, 12, 3)
select * from part_of order by id
create table big (id int primary key, t text)
insert into big select g, repeat(md5(g::text), 1000) from generate_series(1, 3) g
select id, length(t) from big where t like '%' order by id
update big set t = t || 'x' where id = 2
select md5(t) from big order by id
alter table big add column extra int default 7
select id, extra from big order by id
alter table big drop column t
insert into big values (4, 8)
select * from big order by id
`

// Rows that are found in special ways are found as by PostgreSQL.
func TestFeatures(t *testing.T) {
	t.Parallel()
	alike(t, features)
}

// Statements of all kinds of applications, one a line, are answered as by PostgreSQL with
// its own storage.
func TestStatements(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatal("no statements", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			alike(t, string(text))
		})
	}
}

// alike compares PostgreSQL's answers with its own storage and with this one.
func alike(t *testing.T, statements string) {
	t.Helper()
	plain := connect(t, nil)
	kept := connect(t, storage.NewStore().NewSession("s", rows.NewMemory().Log()))
	n := 0
	for sql := range strings.Lines(strings.TrimSpace(statements)) {
		n++
		want, got := answer(t.Context(), plain, sql), answer(t.Context(), kept, sql)
		if got != want {
			t.Errorf("%d: %sgot  %s\nwant %s", n, sql, got, want)
		}
	}
}

// What moves rows about is refused by name.
func TestRefused(t *testing.T) {
	t.Parallel()
	c := connect(t, storage.NewStore().NewSession("s", rows.NewMemory().Log()))
	for _, sql := range []string{"create table t (id int primary key)", "create materialized view m as select 1", "analyze", "analyze t"} {
		if got := answer(t.Context(), c, sql); strings.HasPrefix(got, "ERROR") {
			t.Errorf("%s: %s", sql, got)
		}
	}
	for sql, name := range map[string]string{"vacuum": "VACUUM", "vacuum full t": "VACUUM", "vacuum (analyze) t": "VACUUM", "cluster t using t_pkey": "CLUSTER",
		"reindex table t": "REINDEX", "refresh materialized view m": "REFRESH MATERIALIZED VIEW", "listen a": "LISTEN"} {
		if got := answer(t.Context(), c, sql); !strings.HasPrefix(got, "ERROR: "+name+" is not supported in a session: ") || !strings.HasSuffix(got, "(SQLSTATE 0A000)") {
			t.Errorf("%s: %s", sql, got)
		}
	}
}
