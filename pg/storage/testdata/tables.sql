create table meas (id int, at date not null, v int, primary key (id, at)) partition by range (at)
create table meas_1 partition of meas for values from ('2024-01-01') to ('2024-02-01')
create table meas_2 partition of meas for values from ('2024-02-01') to ('2024-03-01')
create table meas_d partition of meas default
create index on meas (v)
insert into meas values (1, '2024-01-05', 1), (2, '2024-02-05', 2), (3, '2030-01-01', 3)
select tableoid::regclass, * from meas order by id
update meas set at = '2024-02-07' where id = 1 returning *
select tableoid::regclass, * from meas order by id
delete from meas where v = 2 returning *
insert into meas values (1, '2024-02-07', 5) on conflict (id, at) do update set v = excluded.v returning *
insert into meas values (1, '2024-02-07', 5) on conflict do nothing
insert into meas values (1, '2024-02-07', 5)
select count(*) from meas_2
create table lst (k text, v int) partition by list (k)
create table lst_a partition of lst for values in ('a', 'b')
create table lst_c partition of lst for values in ('c')
insert into lst values ('a', 1), ('c', 2)
insert into lst values ('z', 1)
update lst set k = 'c' where k = 'a'
select tableoid::regclass, * from lst order by v
create table hsh (k int primary key, v int) partition by hash (k)
create table hsh0 partition of hsh for values with (modulus 2, remainder 0)
create table hsh1 partition of hsh for values with (modulus 2, remainder 1)
insert into hsh select g, g from generate_series(1, 6) g
select * from hsh where k = 3
select count(*) from hsh
update hsh set k = k + 10
select * from hsh order by k
alter table meas detach partition meas_2
select count(*) from meas
select count(*) from meas_2
alter table meas attach partition meas_2 for values from ('2024-02-01') to ('2024-03-01')
select count(*) from meas
create table animal (id serial primary key, name text)
create table dog (breed text) inherits (animal)
insert into animal (name) values ('gen')
insert into dog (name, breed) values ('rex', 'lab')
select * from animal order by id
select * from only animal
update animal set name = upper(name)
select * from dog
delete from animal where name = 'REX'
select count(*) from animal
create view grown as select id, name from animal where id > 0 with check option
insert into grown (id, name) values (50, 'viewed')
insert into grown (id, name) values (-1, 'viewed')
update grown set name = 'v2' where id = 50
select * from grown order by id
create materialized view mv as select name, count(*) n from animal group by name
select * from mv order by name
create unique index on mv (name)
insert into animal (name) values ('more')
select * from mv order by name
select * from mv order by name
select * from mv where name = 'more'
create table vt (id int primary key, v int)
create view vv as select id, v from vt
create function vvf() returns trigger language plpgsql as $$ begin insert into vt values (new.id, new.v * 10); return new; end $$
create trigger vvt instead of insert on vv for each row execute function vvf()
insert into vv values (1, 1)
select * from vt
create rule vr as on delete to vt do also insert into vt values (old.id + 100, 0)
delete from vt where id = 1
select * from vt order by id
create temp table tmp (id int primary key, v text) on commit delete rows
begin
insert into tmp values (1, 'a'), (2, 'b')
select * from tmp order by id
update tmp set v = 'c' where id = 2
select v from tmp where id = 2
commit
select count(*) from tmp
create temp table tmp2 as select * from vt
select * from tmp2 order by id
create unlogged table ul (id int primary key)
insert into ul values (1)
select * from ul
create table acc (id int primary key, v int, owner text default current_user)
insert into acc (id, v) values (1, 1), (2, 2)
alter table acc enable row level security
create policy p on acc using (v > 1)
select * from acc order by id
create role app
grant all on acc to app
set role app
select * from acc order by id
insert into acc (id, v) values (3, 0)
insert into acc (id, v) values (3, 5)
reset role
select * from acc order by id
begin
set local statement_timeout = '5s'
show statement_timeout
set local search_path = pg_catalog
show search_path
commit
show search_path
select pg_advisory_lock(1)
select pg_try_advisory_lock(1)
select pg_advisory_unlock(1)
begin
select pg_advisory_xact_lock(2)
select pg_try_advisory_xact_lock(2, 3)
commit
select id from acc tablesample bernoulli (100) order by id
select id from acc tablesample system (100) order by id
merge into acc a using (values (1, 100), (7, 700)) s(id, v) on a.id = s.id when matched and a.v < 50 then update set v = s.v when matched then delete when not matched then insert (id, v) values (s.id, s.v)
select id, v from acc order by id
merge into acc a using (values (1, 100), (8, 700)) s(id, v) on a.id = s.id when matched then delete when not matched by target then insert (id, v) values (s.id, s.v) when not matched by source then update set v = -1 returning merge_action(), a.id, a.v
select id, v from acc order by id
update acc set v = s.v from (values (2, 22), (8, 88)) s(id, v) where s.id = acc.id returning acc.id, acc.v
delete from acc using (values (2)) s(id) where s.id = acc.id returning acc.*
update acc set (v, owner) = (select 5, 'x') where id = 7 returning *
update acc set v = default, owner = default where id = 7 returning *
insert into acc select g, g from generate_series(20, 25) g on conflict (id) do nothing returning id
insert into acc (id, v) values (20, 1), (21, 2), (30, 3) on conflict (id) do update set v = acc.v + excluded.v where acc.id = 20 returning id, v, xmax <> 0
insert into acc (id, v) values (40, 1), (40, 2) on conflict (id) do update set v = excluded.v
insert into acc (id, v) values (40, 1) on conflict on constraint acc_pkey do update set v = 9 returning *
with d as (delete from acc where id > 22 returning *), i as (insert into vt select id + 1000, v from d returning *) select count(*) from i
with u as (update acc set v = v + 1 returning *) select sum(v) from u
with u as (update acc set v = v + 1 returning old.v as o, new.v as n) select sum(n - o) from u
select id, v from acc order by id
begin
declare c scroll cursor for select id from acc order by id
fetch first c
fetch next c
fetch prior c
fetch last c
fetch relative -1 c
move forward all in c
update acc set v = 0 where current of c
close c
rollback
begin
declare c2 cursor with hold for select id, v from acc order by id
commit
fetch 2 c2
update acc set v = 1000
fetch all c2
close c2
begin
declare c3 no scroll cursor for select id from acc order by id for update
fetch 1 c3
update acc set v = 77 where current of c3
fetch 1 c3
delete from acc where current of c3
commit
select id, v from acc order by id
begin
insert into acc (id, v) values (60, 1)
savepoint s1
update acc set v = 2 where id = 60
savepoint s2
delete from acc where id = 60
select count(*) from acc where id = 60
rollback to s2
select v from acc where id = 60
release s2
rollback to s1
select v from acc where id = 60
insert into acc (id, v) values (60, 1)
rollback to s1
insert into acc (id, v) values (61, 1)
commit
select id, v from acc where id >= 60 order by id
begin
delete from acc where id = 60
insert into acc (id, v) values (60, 99)
update acc set id = 62 where id = 60
insert into acc (id, v) values (60, 98)
commit
select id, v from acc where id >= 60 order by id
update acc set id = id + 1 where id >= 60
select id, v from acc where id >= 60 order by id
create table q (id bigserial primary key, payload jsonb, run_at timestamptz default now(), done bool default false)
create index q_ready on q (run_at) where not done
insert into q (payload) select jsonb_build_object('n', g) from generate_series(1, 4) g
delete from q where id = (select id from q where not done order by run_at, id for update skip locked limit 1) returning id, payload
with j as (select id from q where not done order by id limit 2 for update skip locked) update q set done = true from j where q.id = j.id returning q.id
select id from q where not done for no key update
select id from q for key share nowait
select a.id from q a join acc b on b.id = a.id for update of a
select id from acc where id in (select id from q) for share
