create type mood as enum ('sad','ok','happy')
create domain posint as int check (value > 0)
create domain email as text check (value ~ '^[^@]+@[^@]+$') not null
create table person (id uuid primary key default gen_random_uuid(), name text not null, m mood default 'ok', age posint, mail email, tags text[] not null default '{}', doc jsonb not null default '{}', full_name text generated always as (name || '!') stored, at timestamptz default '2020-01-01')
create index on person using gin (tags)
create index on person using gin (doc)
create index on person using gin (doc jsonb_path_ops)
create unique index on person (lower(mail::text))
create index person_m on person (m) where age > 20
create index on person ((doc->>'k'))
insert into person (id,name,m,age,mail,tags,doc) values ('00000000-0000-0000-0000-000000000001','Ann','happy',30,'ann@x','{a,b}','{"k":"1","n":{"x":[1,2]}}'),('00000000-0000-0000-0000-000000000002','Bob','sad',20,'bob@x','{b}','{"k":"2"}')
insert into person (id,name,age,mail) values ('00000000-0000-0000-0000-000000000003','Cid',0,'c@x')
insert into person (id,name,age,mail) values ('00000000-0000-0000-0000-000000000003','Cid',1,'cx')
insert into person (id,name,age,mail) values ('00000000-0000-0000-0000-000000000003','Cid',1,'ANN@x')
insert into person (id,name,m,age,mail) values ('00000000-0000-0000-0000-000000000003','Cid','angry',1,'c@x')
insert into person (id,name,age,mail) values ('00000000-0000-0000-0000-000000000003','Cid',1,'c@x') returning id, name, m, age, mail, tags, doc, full_name
select name from person where tags @> '{a}' order by name
select name from person where tags && array['b','z'] order by name
select name from person where 'b' = any(tags) order by name
select name from person where doc @> '{"k":"1"}' order by name
select name from person where doc ? 'k' order by name
select name from person where doc @? '$.n.x[*] ? (@ > 1)' order by name
select name from person where doc->>'k' = '2' order by name
select name from person where lower(mail::text) = 'ann@x' order by name
select name, m from person where m > 'sad' order by m, name
select name from person where m = 'happy' and age > 20
update person set doc = jsonb_set(doc, '{n,x,0}', '9') where name = 'Ann' returning doc
update person set doc = doc || '{"z":null}', tags = array_append(tags, 'c') where id = '00000000-0000-0000-0000-000000000002' returning doc, tags
update person set doc = doc - 'z' where doc ? 'z'
update person set name = name || name where age < 25 returning full_name
update person set full_name = 'x'
select jsonb_agg(jsonb_build_object('n', name, 'm', m) order by name) from person
select name, unnest(tags) t from person order by 1, 2
select name, e.key, e.value from person, jsonb_each(doc) e order by 1, 2
select m, count(*), array_agg(name order by name), string_agg(name, ',' order by name desc), avg(age)::numeric(10,2), percentile_cont(0.5) within group (order by age::int) from person group by m order by m
select m, count(*) from person group by rollup (m) order by 1 nulls last
select name, row_number() over (order by age), rank() over (partition by m order by age), lag(name) over (order by name), sum(age) over (order by age rows between unbounded preceding and current row) from person order by name
with recursive r(n, s) as (select 1, 'a' union all select n + 1, s || 'b' from r where n < 5) select * from r order by n
with recursive t as (select id, name, age from person where name = 'Ann' union select p.id, p.name, p.age from person p join t on p.age < t.age) select name from t order by name
select distinct on (m) m, name from person order by m, age desc
select name from person p where exists (select 1 from person q where q.age > p.age) order by name
select p.name, l.name from person p left join lateral (select name from person q where q.age < p.age order by age desc limit 1) l on true order by p.name
select a.name, b.name from person a full join person b on a.age = b.age + 10 order by 1, 2
select name from person where age between 10 and 25 or name like 'C%' order by name
select name from person where name ilike 'a%' order by name
select name from person where name ~* '^b' order by name
select name from person where (age, name) > (1, 'Bob') order by age, name
select name from person order by age desc nulls last limit 1 offset 1
select name from person order by age fetch first 2 rows with ties
select count(*) filter (where age > 10), bool_or(age > 25), every(age > 0) from person
select coalesce(max(age), 0), min(name) from person where false
select name from person except select name from person where age > 10 order by 1
select name from person union all select name from person order by 1
values (1, 'a'), (2, 'b')
table person order by name
select * from (values (1, 'x'), (2, 'y')) v(a, b) join person on person.age = v.a
select case when age > 10 then 'old' else 'young' end, count(*) from person group by 1 order by 1
select to_tsvector('english', 'The quick brown foxes') @@ to_tsquery('english', 'fox & quick')
create table docs (id serial primary key, body text, tsv tsvector generated always as (to_tsvector('english', body)) stored)
create index on docs using gin (tsv)
insert into docs (body) values ('PostgreSQL is a database'), ('Go is a language'), ('databases and languages')
select id, ts_rank(tsv, q) > 0 from docs, plainto_tsquery('english', 'database') q where tsv @@ q order by id
select id, ts_headline('english', body, q) from docs, websearch_to_tsquery('english', 'language -go') q where tsv @@ q order by id
create table booking (id int generated always as identity primary key, room int, during tstzrange, exclude using gist (during with &&))
insert into booking (room, during) values (1, '[2024-01-01,2024-01-02)') returning id
insert into booking (room, during) values (1, '[2024-01-01 12:00,2024-01-03)')
insert into booking (room, during) values (1, '[2024-01-02,2024-01-03)') returning id
insert into booking (id, room, during) values (9, 1, '[2025-01-02,2025-01-03)')
insert into booking (id, room, during) overriding system value values (9, 1, '[2025-01-02,2025-01-03)')
select id from booking where during @> '2024-01-01 10:00'::timestamptz
select id, lower(during), upper(during) from booking where during && '[2024-01-01,2024-02-01)' order by id
update booking set during = '[2024-01-01,2024-01-02)' where id = 9
delete from booking where during << '[2024-01-02,2024-01-03)' returning id
update booking set during = '[2024-01-01,2024-01-02)' where id = 9 returning id
select range_agg(during) from booking
create table mr (id int primary key, r int4multirange)
insert into mr values (1, '{[1,3),[5,8)}')
select id from mr where r @> 6
