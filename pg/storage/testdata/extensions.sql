create extension citext
create table ci (id serial primary key, mail citext unique, v int)
insert into ci (mail, v) values ('Ann@x', 1), ('bob@x', 2)
insert into ci (mail, v) values ('ANN@X', 3)
insert into ci (mail, v) values ('ANN@X', 3) on conflict (mail) do update set v = excluded.v returning id, mail, v
select id from ci where mail = 'BOB@X'
update ci set mail = 'ann@x' where id = 2
update ci set mail = 'ANN@x' where id = 1
select mail from ci where mail = 'ann@X'
delete from ci where mail = 'ANN@X'
insert into ci (mail, v) values ('aNN@X', 3) returning mail
create table ck (mail citext primary key, v int)
insert into ck values ('A', 1)
insert into ck values ('a', 1)
select v from ck where mail = 'a'
create table cf (id int primary key, m citext references ck on update cascade)
insert into cf values (1, 'a'), (2, 'A')
insert into cf values (3, 'b')
update ck set mail = 'B'
select * from cf order by id
create extension pgcrypto
select encode(digest('a', 'sha256'), 'hex')
select crypt('pw', '$2a$04$abcdefghijklmnopqrstuu')
create extension "uuid-ossp"
select uuid_generate_v5(uuid_ns_url(), 'x')
create extension hstore
create table hs (id int primary key, h hstore)
insert into hs values (1, 'a=>1, b=>2')
select h->'a' from hs
update hs set h = h || 'c=>3' returning h
create extension pg_trgm
create table tg (id int primary key, t text)
create index on tg using gin (t gin_trgm_ops)
insert into tg values (1, 'hello world'), (2, 'help')
select id, similarity(t, 'hel') > 0.1 from tg where t % 'help' order by id
select id from tg where t like '%orl%'
create extension ltree
create table lt (p ltree primary key)
create index on lt using gist (p)
insert into lt values ('a.b'), ('a.b.c'), ('d')
select p from lt where p <@ 'a' order by p
create extension btree_gist
create table rooms (room int, during tsrange, exclude using gist (room with =, during with &&))
insert into rooms values (1, '[2024-01-01,2024-01-02)'), (2, '[2024-01-01,2024-01-02)')
insert into rooms values (1, '[2024-01-01,2024-01-03)')
create extension unaccent
select unaccent('Hôtel')
create extension fuzzystrmatch
select levenshtein('a', 'b')
create extension intarray
create extension tablefunc
create extension btree_gin
create table bg (id int primary key, v int)
create index on bg using gin (v)
insert into bg values (1, 1), (2, 5)
select id from bg where v = 5
create extension isn
create extension cube
create extension postgis
create table br (id int, v int)
create index on br using brin (v)
insert into br values (1, 1), (2, 50)
select id from br where v > 10
create table hh (id int, v text)
create index on hh using hash (v)
insert into hh values (1, 'a'), (2, 'b'), (3, 'a')
select id from hh where v = 'a' order by id
update hh set v = 'a' where id = 2
select id from hh where v = 'a' order by id
create table sp (id int, p point, r inet)
create index on sp using spgist (p)
create index on sp using gist (r inet_ops)
insert into sp values (1, '(1,1)', '10.0.0.0/8'), (2, '(5,5)', '192.168.0.1')
select id from sp where p <@ box '((0,0),(2,2))'
select id from sp where r && '10.1.0.0/16'
select id from sp order by p <-> point '(4,4)' limit 1
create table inc (id int primary key, a int, b int)
create unique index on inc (a) include (b)
create unique index on inc (a, b) nulls not distinct
insert into inc values (1, 1, null), (2, 2, null)
insert into inc values (3, 1, 5)
insert into inc values (3, 3, null)
create table nnd (id int primary key, a int, b int, unique nulls not distinct (a, b))
insert into nnd values (1, 1, null)
insert into nnd values (2, 1, null)
insert into nnd values (2, 1, null) on conflict (a, b) do update set id = 20 returning *
select * from nnd
create table coll (t text collate "C" primary key)
insert into coll values ('b'), ('A'), ('a')
select t from coll order by t
create table m (id int primary key, p money, i interval, b bit(3), mac macaddr, x xml, j json, pt path, ts time, tz timetz)
insert into m values (1, '12.34', '1 day 2 hours', B'101', '08:00:2b:01:02:03', '<a/>', '{"a": 1}', '[(0,0),(1,1)]', '10:00', '10:00+02')
select * from m
create table iv (i interval primary key, v int)
insert into iv values ('1 day', 1)
insert into iv values ('24 hours', 2)
select v from iv where i = '24:00:00'
create table jb (j jsonb primary key)
insert into jb values ('{"a":1,"b":2}'), ('[1,2]')
insert into jb values ('{"b":2, "a":1}')
select j from jb where j = '{"b":2,"a":1}'
create table arr (a int[] primary key, b text[] unique)
insert into arr values ('{1,2}', '{x}'), ('{1}', '{}')
insert into arr values (array[1,2], null)
select b from arr where a = '{1,2}'
create table comp (id int primary key)
create type pair as (a int, b text)
create table cp (p pair primary key, ps pair[])
insert into cp values ((1,'x'), array[(2,'y')::pair])
insert into cp values ((1,'x'), null)
select (p).a, (ps[1]).b from cp
update cp set p.a = 5 returning p
create table en (s text, e text, primary key (s, e))
insert into en values ('a,b', 'c'), ('a', 'b,c')
select * from en order by 1
delete from en where s = 'a'
select * from en
create sequence sq start 5 increment 5
select nextval('sq'), currval('sq'), lastval()
select setval('sq', 100), nextval('sq')
select currval('sq')
alter sequence sq restart with 7
select nextval('sq')
create table ser (id serial primary key, v int)
insert into ser (v) values (1), (2) returning id
truncate ser restart identity
insert into ser (v) values (1) returning id
create table t1 as select g as a, g * 2 as b from generate_series(1, 3) g
select * from t1 order by a
select * into t2 from t1 where a > 1
select * from t2 order by a
create table t3 (like t1 including all)
insert into t3 table t1
select count(*) from t3
create table tt1 (a int primary key, bb text unique, c text not null default 'd')
insert into tt1 values (1, 'x2'), (2, 'x4'), (3, 'x6')
insert into tt1 values (1, 'dup')
copy (select a from tt1 order by a) to stdout
lock table tt1 in exclusive mode
begin
lock table tt1 in share row exclusive mode
commit
do $$ declare r record; n int := 0; begin for r in select * from tt1 order by a loop n := n + r.a; update tt1 set c = n::text where a = r.a; end loop; raise notice 'n %', n; end $$
select a, c from tt1 order by a
create function transfer(f int, t int, n int) returns int language plpgsql as $$ declare x int; begin select a into strict x from tt1 where a = f for update; if not found then raise exception 'no %', f using errcode = 'P0002', hint = 'h'; end if; update tt1 set c = n::text where a = t; get diagnostics x = row_count; return x; exception when no_data_found then return -1; end $$
select transfer(1, 2, 5)
select transfer(99, 2, 6)
create procedure pr(n int) language plpgsql as $$ begin insert into tt1 values (n, 'p' || n); commit; insert into tt1 values (n + 1, 'p' || n + 1); rollback; end $$
call pr(50)
select a from tt1 where a >= 50 order by a
create function sqlf(int) returns setof tt1 language sql as $$ select * from tt1 where a >= $1 order by a $$
select a from sqlf(2)
create function atomicf(x int) returns int language sql begin atomic; insert into tt1 values (x, 'at' || x); select count(*)::int from tt1; end
select atomicf(70)
create table ev (id int primary key, n int)
create function evt() returns trigger language plpgsql as $$ begin if tg_op = 'UPDATE' and new.n < old.n then raise exception 'down' using errcode = '23514', constraint = 'ev_up', table = 'ev'; end if; new.n := new.n + 1; return new; end $$
create trigger b before insert or update on ev for each row execute function evt()
insert into ev values (1, 1), (2, 2) returning *
update ev set n = 0 where id = 1
update ev set n = 10 where id = 1 returning *
create function evs() returns trigger language plpgsql as $$ begin insert into t2 select id, n from news; return null; end $$
create trigger s after insert on ev referencing new table as news for each statement execute function evs()
insert into ev values (3, 3), (4, 4)
select * from t2 order by 1
create constraint trigger ct after insert on ev deferrable initially deferred for each row execute function evt()
insert into ev values (5, 5)
create function nn() returns event_trigger language plpgsql as $$ begin raise notice 'ddl'; end $$
create event trigger et on ddl_command_end execute function nn()
create table aft (id int)
drop event trigger et
prepare ps (int) as select n from ev where id = $1
execute ps (2)
deallocate ps
select * from json_to_recordset('[{"a":1,"b":"x"}]') as x(a int, b text)
select * from jsonb_to_record('{"a":1}') as x(a int)
select * from json_table('[{"a":1},{"a":2}]', '$[*]' columns (a int path '$.a'))
select array(select n from ev order by id)
select row_to_json(e) from ev e order by id limit 1
select to_jsonb(e) - 'n' from ev e order by id limit 1
select jsonb_pretty('{"a":1}')
select date_trunc('month', timestamptz '2024-05-17 10:00+00'), extract(epoch from timestamptz '2024-05-17 10:00+00'), age(timestamp '2024-05-17', timestamp '2023-04-01')
select generate_series(date '2024-01-01', date '2024-01-03', '1 day')::date
select timestamptz '2024-05-17 10:00+00' at time zone 'America/New_York'
select to_char(timestamptz '2024-05-17 10:00+00', 'YYYY-MM-DD HH24:MI TZ'), to_char(1234.5, 'FM9,999.00')
select format('%s %I %L', 'a', 'b c', 'd''e'), quote_literal('x'), regexp_replace('abc', 'b', 'x'), split_part('a.b', '.', 2)
select current_database(), current_schema(), current_user, version() like 'PostgreSQL%'
select exists (select from information_schema.tables where table_name = 'ev')
select column_name, data_type, is_nullable from information_schema.columns where table_name = 'ev' order by ordinal_position
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'ev'::regclass order by 1
select pg_get_serial_sequence('ser', 'id')
select obj_description('ev'::regclass)
comment on table ev is 'hello'
select obj_description('ev'::regclass)
select to_regclass('nope') is null, to_regclass('ev')
drop table ev cascade
select * from ev
create schema app
create table app.t (id int primary key)
set search_path = app, public
insert into t values (1)
select * from t
drop schema app cascade
select txid_current() > 0, pg_current_xact_id()::text <> ''
select xmin is not null, ctid is not null, tableoid::regclass from t1 limit 1
