package engine

import (
	"testing"
)

// TestTextIsTheServers compares values' texts with those of the server's output functions.
func TestTextIsTheServers(t *testing.T) {
	x := testInstance(t)
	expect(t, x, `create table v(b bool, y bytea, i2 int2, i4 int4, i8 int8, o oid, s text, vc varchar(20), c char(5),
		d date, ts timestamp, tz timestamptz, n numeric, n2 numeric(20,4), u uuid, j json, jb jsonb, f float8, a int[])`, "CREATE TABLE")
	expect(t, x, `insert into v select random()<0.5, decode(md5(g::text),'hex'), (random()*65535-32768)::int2, (random()*4e9-2e9)::int4,
		((random()-0.5)*1.8e19)::int8, (random()*4e9)::bigint::oid, repeat('é',g), 'x'||g, 'c'||g%7, date '0001-01-01'+(random()*3652058)::int,
		timestamp '0001-01-01'+random()*interval '3000000 days', timestamptz '1600-01-01 00:00:00.000001'+random()*interval '300000 days',
		((random()-0.5)*10^(random()*60-30)::int)::numeric, round(((random()-0.5)*1e9)::numeric,4), gen_random_uuid(),
		'{"a": 1}', '{"a": 1}', random(), array[1,2] from generate_series(1,300) g`, "INSERT 0 300")
	expect(t, x, `insert into v(d,ts,tz,n) values ('infinity','infinity','-infinity','NaN'), ('4000-01-01 BC','4000-01-01 BC','4000-01-01 BC','Infinity'),
		('20000-01-01','20000-01-01','20000-01-01',0), ('1999-12-31','1999-12-31 23:59:59.5','1969-12-31 23:59:59.999999',0.00),
		('0001-01-01','0001-01-01','9999-12-31 23:59:59.999999','-1e-500'), (null,null,null,'1e1000'), (null,null,null,-0.00012)`, "INSERT 0 7")
	tables, err := x.Tables()
	if err != nil {
		t.Fatal(err)
	}
	err = x.Do(func(c *Call) error {
		cols := c.Table(tables[0]).Columns
		return c.EachRow(tables[0], func(v Version, row Row) error {
			for i, col := range cols {
				if got, want := c.Text(col.Type, col, row[i]), x.text(col.Type, col, row[i]); got != want {
					t.Errorf("%s %x: %s, the server says %s", col.Name, []byte(row[i]), got, want)
				}
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
	// What a session sets for its output does not count.
	expect(t, x, "set timezone='Asia/Tokyo'; set datestyle='German'; set bytea_output='escape'", "SET SET SET")
	err = x.Do(func(c *Call) error {
		col := Column{length: 8, align: 'd'}
		if got := c.Text(TypeTimestamptz, col, make(Value, 8)); got != "2000-01-01 00:00:00+00" {
			t.Errorf("2000 is %s", got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
