create table tenant (id int primary key, name text)
create table doc (id bigserial primary key, tenant int not null references tenant, slug text not null, body text, version int not null default 1, deleted_at timestamptz, updated_at timestamptz not null default '2024-01-01', unique (tenant, slug, deleted_at))
create unique index doc_live on doc (tenant, slug) where deleted_at is null
alter table doc enable row level security
alter table doc force row level security
create policy by_tenant on doc using (tenant = current_setting('app.tenant', true)::int) with check (tenant = current_setting('app.tenant', true)::int)
create role worker
grant all on all tables in schema public to worker
grant all on all sequences in schema public to worker
insert into tenant values (1, 'a'), (2, 'b')
begin
set local role worker
set local app.tenant = '1'
insert into doc (tenant, slug, body) values (1, 'x', 'one')
savepoint s
insert into doc (tenant, slug, body) values (2, 'x', 'two')
rollback to s
select tenant, slug from doc
commit
begin
set local role worker
select set_config('app.tenant', '2', true)
insert into doc (tenant, slug, body) values (2, 'x', 'two')
update doc set body = 'mine' returning tenant, body
delete from doc where tenant = 1
select count(*) from doc
commit
select tenant, slug, body from doc order by 1
update doc set deleted_at = '2024-02-02' where tenant = 1 and slug = 'x' and deleted_at is null
insert into doc (tenant, slug, body) values (1, 'x', 'again') on conflict (tenant, slug) where deleted_at is null do update set body = excluded.body, version = doc.version + 1 returning body, version
insert into doc (tenant, slug, body) values (1, 'x', 'third') on conflict (tenant, slug) where deleted_at is null do update set body = excluded.body, version = doc.version + 1 where doc.version < 2 returning body, version
insert into doc (tenant, slug, body) values (1, 'x', 'fourth') on conflict (tenant, slug) where deleted_at is null do update set body = excluded.body, version = doc.version + 1 where doc.version < 2 returning body, version
update doc set deleted_at = null where deleted_at is not null
select count(*), count(deleted_at) from doc
create table cat (id int primary key, parent int references cat on delete cascade, name text not null, unique nulls not distinct (parent, name))
insert into cat values (1, null, 'root'), (2, 1, 'a'), (3, 1, 'b'), (4, 2, 'c')
insert into cat values (5, 99, 'z')
insert into cat values (5, null, 'root')
with recursive tree as (select id, name::text as path, 0 as depth from cat where parent is null union all select c.id, t.path || '/' || c.name, depth + 1 from cat c join tree t on c.parent = t.id) select * from tree order by path
with recursive up as (select id, parent from cat where id = 4 union select c.id, c.parent from cat c join up on c.id = up.parent) select array_agg(id order by id) from up
update cat set parent = 3 where id = 4
delete from cat where id = 2
select * from cat order by id
delete from cat where id = 1
select count(*) from cat
create table head (id int primary key, first_line int)
create table line (head int references head on delete cascade deferrable initially deferred, no int, what text, primary key (head, no))
alter table head add foreign key (id, first_line) references line (head, no) deferrable initially deferred
begin
insert into head values (1, 1)
insert into line values (1, 1, 'x'), (1, 2, 'y')
commit
begin
insert into head values (2, 5)
commit
select * from head order by id
begin
set constraints all immediate
insert into line values (7, 1, 'x')
rollback
delete from line where head = 1 and no = 1
update line set no = no + 10 where no = 2 returning *
create table stock (sku text primary key, n int not null check (n >= 0))
create table move (id bigint generated always as identity, sku text references stock on update cascade on delete restrict, d int not null, at timestamptz default '2024-01-01', ref jsonb)
create function apply() returns trigger language plpgsql as $$ begin update stock set n = n + new.d where sku = new.sku; if not found then insert into stock values (new.sku, new.d); end if; return new; exception when check_violation then raise exception 'not enough of %', new.sku using errcode = 'P0001', detail = new.d::text, hint = 'order more'; end $$
create trigger applied before insert on move for each row execute function apply()
create function never() returns trigger language plpgsql as $$ begin return null; end $$
create trigger nothing before delete on move for each row when (old.d < 0) execute function never()
insert into move (sku, d) values ('nut', 5), ('bolt', 7), ('nut', -2)
insert into move (sku, d) values ('nut', -9)
select * from stock order by sku
delete from move where sku = 'nut' returning d
select count(*) from move
update stock set sku = 'nut2' where sku = 'nut'
select sku, d from move order by id
delete from stock where sku = 'nut2'
insert into move (sku, d) select s, d from unnest(array['nut2', 'cog'], array[1, 2]) as u(s, d) returning sku, d
insert into move (sku, d, ref) select x->>'sku', (x->>'d')::int, x from jsonb_array_elements('[{"sku":"cog","d":1},{"sku":"cog","d":3}]') x returning ref->'d'
with sold as (insert into move (sku, d) values ('cog', -1) returning sku, d) select s.sku, s.n, sold.d from stock s join sold using (sku)
select n from stock where sku = 'cog'
with old as (delete from move where sku = 'cog' and d > 0 returning *), total as (select sku, sum(d) d from old group by sku) update stock set n = n - total.d + 10 from total where stock.sku = total.sku returning stock.sku, n
select sku, sum(d) over w, first_value(d) over w, nth_value(d, 2) over w from move window w as (partition by sku order by id rows between unbounded preceding and unbounded following exclude current row) order by id
select sku, count(*) filter (where d > 0) ins, count(*) filter (where d < 0) outs from move group by grouping sets ((sku), ()) order by sku nulls last
select grouping(sku), sku, sum(d) from move group by cube (sku) order by 1, 2
select * from stock s, lateral (select sum(d) from move m where m.sku = s.sku) x order by sku
select sku from stock where (select count(*) from move m where m.sku = stock.sku) > 1 order by sku
select sku from stock where sku = all (select sku from move where sku = 'bolt')
select s.sku, m.d from stock s left join move m on m.sku = s.sku and m.d < 0 where m.id is not null or s.n > 5 order by 1, 2
select s.sku from stock s where not exists (select from move m where m.sku = s.sku) order by 1
select sku from stock where sku in ('nut2', 'zzz') union select sku from stock where n > 5 intersect select 'bolt' order by 1
select * from stock natural join (select distinct sku from move) m order by sku
update stock set n = case sku when 'nut2' then n + 1 else n end where n > 0 returning sku, n
update stock s set n = s.n + x.c from (select sku, count(*)::int c from move group by sku) x where x.sku = s.sku and s.n < 100 returning s.sku, s.n
update stock set n = n - 1 where ctid in (select ctid from stock where n > 3 order by sku limit 1 for update skip locked) returning sku
select sku from stock order by sku limit 2 for update
select sku from stock where n > (select avg(n) from stock) for no key update
select s.sku from stock s join move m on m.sku = s.sku for update of s nowait
begin
declare c cursor for select sku from stock order by sku for update
fetch 1 from c
update stock set n = 50 where current of c
fetch 1 from c
move backward 1 in c
close c
commit
select * from stock order by sku
create function restock(least int) returns table (s text, added int) language plpgsql as $$ declare r record; begin for r in select * from stock where n < least order by sku for update loop update stock set n = least where stock.sku = r.sku; s := r.sku; added := least - r.n; return next; end loop; end $$
select * from restock(20)
create function dyn(t text) returns bigint language plpgsql as $$ declare n bigint; begin execute format('select count(*) from %I where n > $1', t) into n using 0; return n; end $$
select dyn('stock')
create function try(sk text) returns text language plpgsql as $$ declare msg text; begin begin insert into stock values (sk, -1); exception when others then get stacked diagnostics msg = constraint_name; insert into stock values (sk, 0) on conflict do nothing; return msg; end; return 'ok'; end $$
select try('gear'), try('gear')
create procedure loops() language plpgsql as $$ declare a int[] := '{1,2,3}'; x int; begin foreach x in array a loop continue when x = 2; insert into stock values ('l' || x, x); end loop; while x > 0 loop x := x - 1; end loop; perform 1 from stock; if found then delete from stock where sku like 'l%'; end if; end $$
call loops()
select count(*) from stock
create aggregate concat_all(text) (sfunc = textcat, stype = text, initcond = '')
select concat_all(sku order by sku) from stock
create view low as select * from stock where n < 30
update low set n = n + 5 returning *
insert into low values ('viewed', 1) returning sku
delete from low where sku = 'viewed'
create materialized view mv as select count(*) from stock
select * from mv
create type pair as (a int, b text)
create table comp (id int primary key, p pair, ps pair[], m int[][] default '{{1,2},{3,4}}')
insert into comp values (1, row(1, 'x'), array[row(2, 'y')::pair])
update comp set p.b = 'z', m[1][2] = 9, ps = ps || row(3, 'w')::pair returning p, m, cardinality(ps)
select (p).b, m[2][1], (ps[2]).a, array_length(m, 1) from comp
select c.id, u.* from comp c, unnest(ps) with ordinality u(a, b, n) order by n
create table ts (at timestamptz primary key, v float8)
insert into ts select timestamptz '2024-01-01 00:00+00' + g * interval '37 minutes', g from generate_series(0, 9) g
select date_bin('2 hours', at, '2024-01-01'), avg(v), min(v), max(v) from ts group by 1 order by 1
select date_trunc('hour', at) h, v - lag(v) over (order by at) from ts order by at limit 3
select width_bucket(v, 0, 10, 4), count(*) from ts group by 1 order by 1
delete from ts where at < '2024-01-01 02:00+00'
select count(*), regr_slope(v, extract(epoch from at)) > 0, corr(v, v) from ts
select percentile_disc(0.5) within group (order by v), mode() within group (order by v > 5) from ts
select jsonb_object_agg(v, at order by v) ->> '9' from ts
select jsonb_path_query_array('{"a":[1,2,3]}', '$.a[*] ? (@ >= $m)', '{"m":2}'), '{"a":{"b":1}}'::jsonb #>> '{a,b}', '{"a":1}'::jsonb || '{"b":2}', jsonb_strip_nulls('{"a":null}'), '[1,2]'::jsonb - 0, jsonb_insert('{"a":[1]}', '{a,0}', '0')
select xmlelement(name a, 'b'), (xpath('/a/text()', '<a>t</a>'))[1]
select string_agg(x, ',' order by x desc) from regexp_split_to_table('b a c', ' ') x
select * from crosstab_missing
select 1/0
select 'x'::int
insert into stock values (null, 1)
insert into stock (nope) values (1)
insert into nope values (1)
insert into stock values ('a', 1, 2)
insert into stock values ('toolong', 99999999999)
select * from stock where n = 'x'
update stock set sku = 'bolt' where sku = 'cog'
select sum(n) over () from stock group by sku having count(*) > 5
insert into stock values ('bolt', 1) on conflict do nothing returning sku
insert into stock values ('bolt', 1) on conflict (sku) do update set n = stock.n + excluded.n returning n, (xmax = 0) as inserted
insert into stock values ('newone', 1) on conflict (sku) do update set n = stock.n + excluded.n returning n, (xmax = 0) as inserted
insert into stock select 'bulk' || g, g from generate_series(1, 3) g on conflict (sku) do update set n = excluded.n returning sku
truncate move restart identity
insert into move (sku, d) values ('bolt', 1) returning id
truncate stock
truncate stock cascade
select count(*) from move
insert into stock values ('p', 1), ('q', 2)
insert into move (sku, d) values ('p', 1), ('q', 1)
with x as materialized (update stock set sku = 'u' || sku returning sku) select x.sku, s.sku, s.n from x join stock s on 'u' || s.sku = x.sku order by 1
select m.sku, s.n from move m join stock s using (sku) order by 1
with gone as (delete from move returning sku) select g.sku, s.n from gone g join stock s using (sku) order by 1
with a as (insert into stock values ('v', 1) returning sku), b as (update stock set n = 100 where sku = 'up' returning n) select (select sku from a), (select n from b), (select count(*) from stock), (select n from stock where sku = 'up')
update stock set sku = 'up2' where sku = 'up' returning (select count(*) from stock where sku in ('up', 'up2'))
create function outer_n(k text) returns int language sql stable as $$ select n from stock where sku = k $$
create function outer_v(k text) returns int language sql volatile as $$ select n from stock where sku = k $$
update stock set n = n + 1 where sku = 'v' returning n, outer_n('v'), outer_v('v')
with x as (update stock set n = n + 1 where sku = 'v' returning n) select n, outer_n('v'), outer_v('v') from x
begin
update stock set n = 7 where sku = 'v'
with x as (update stock set n = 8 where sku = 'v' returning n) select x.n, s.n from x, stock s where s.sku = 'v'
with x as (update stock set sku = 'w' where sku = 'v' returning n) select x.n, s.n, s.sku from x, stock s where s.sku in ('v', 'w')
select n from stock where sku in ('v', 'w')
rollback
begin isolation level repeatable read
select sum(n) from stock
update stock set n = 7 where sku = 'v'
with x as (update stock set n = 8 where sku = 'v' returning n) select x.n, s.n from x, stock s where s.sku = 'v'
with x as (update stock set sku = 'w' where sku = 'v' returning n) select x.n, s.n, s.sku from x, stock s where s.sku in ('v', 'w')
select n from stock where sku in ('v', 'w')
commit
