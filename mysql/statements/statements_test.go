package statements

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/find/parsed"
)

const shopSQL = `
CREATE TABLE product (id INT PRIMARY KEY, code VARCHAR(20) UNIQUE, stock INT NOT NULL DEFAULT 1, kind ENUM('big', 'small'));
CREATE TABLE sale (id BIGINT AUTO_INCREMENT PRIMARY KEY, product INT NOT NULL, n INT, sold DATETIME,
	FOREIGN KEY (product) REFERENCES product (id) ON DELETE CASCADE);
CREATE TABLE log (text TEXT);
CREATE TRIGGER noted AFTER INSERT ON sale FOR EACH ROW INSERT INTO log VALUES ('sold');`

// words are the accesses of a statement, such as "read product(stock) id=$1 share".
func words(s *Schema, accesses []parsed.Access) string {
	var list []string
	for _, a := range accesses {
		t := s.Tables[a.Table]
		w := a.Kind + " " + t.Name
		var names []string
		for _, c := range a.Columns {
			names = append(names, t.Columns[c].Name)
		}
		if len(names) > 0 {
			w += "(" + strings.Join(names, " ") + ")"
		}
		w += operands(t, "", a.Bound) + operands(t, "set ", a.Sets)
		if a.Lock != "" {
			w += " " + a.Lock
		}
		list = append(list, w)
	}
	return strings.Join(list, "; ")
}

func operands(t parsed.Table, before string, all map[int]parsed.Operand) (text string) {
	for _, c := range slices.Sorted(maps.Keys(all)) {
		value := all[c].Const
		switch {
		case all[c].Param > 0:
			value = fmt.Sprint("$", all[c].Param)
		case value == "":
			value = "?"
		}
		text += " " + before + t.Columns[c].Name + "=" + value
	}
	return text
}

// What statements read and write, by key or by condition, and how they lock.
func TestAccesses(t *testing.T) {
	s, err := New(shopSQL)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ sql, want string }{
		{"SELECT stock FROM product WHERE id = ?", "read product(id stock) id=$1"},
		{"SELECT p.* FROM product AS p WHERE p.code = 'A''b' AND (p.stock > ?) FOR UPDATE", "read product(id code stock kind) code='A''b' exclusive"},
		{"SELECT stock FROM product WHERE id IN (?) LOCK IN SHARE MODE", "read product(id stock) id=$1 share"},
		{"SELECT stock FROM product WHERE id = 1 FOR SHARE", "read product(id stock) id=1 share"},
		{"SELECT stock FROM product WHERE id = 1 FOR SHARE SKIP LOCKED", "read product(id stock) id=1 share"},
		{"SELECT stock FROM product WHERE id = ? OR stock = 1", "read product(id stock)"},
		{"SELECT COUNT(*) FROM sale WHERE product = ? LIMIT 1", "read sale(product) product=$1"},
		{"SELECT n FROM sale s JOIN product p ON p.id = s.product WHERE p.id = ? FOR UPDATE OF s", "read sale(product n) product=$1 exclusive; read product(id) id=$1"},
		{"SELECT n FROM sale s LEFT JOIN product p ON p.id = s.product AND p.id = ?", "read sale(product n); read product(id)"},
		{"SELECT 1 FROM product p WHERE EXISTS (SELECT 1 FROM sale WHERE product = p.id AND n = ?)", "read sale(product n) n=$1; read product(id)"},
		{"WITH w AS (SELECT id FROM product WHERE stock = 0) SELECT id FROM w", "read product(id stock) stock=0"},
		{"SELECT id FROM product UNION SELECT product FROM sale", "read product(id); read sale(product)"},
		{"UPDATE product SET stock = stock - ?, code = ? WHERE id = ?", "read product(id stock) id=$3 exclusive; update product(code stock) id=$3 set code=$2 set stock=?"},
		{"UPDATE product p JOIN sale s ON s.product = p.id SET p.stock = 0 WHERE s.id = ? ", "read product(id) exclusive; update product(stock) set stock=0; read sale(id product) id=$1"},
		{"DELETE FROM sale WHERE id = ? LIMIT 1", "read sale(id) id=$1 exclusive; delete sale id=$1"},
		{"DELETE s FROM sale s JOIN product p ON p.id = s.product WHERE p.id = ?", "read sale(product) product=$1 exclusive; delete sale product=$1; read product(id) id=$1"},
		{"INSERT INTO sale (product, n) VALUES (?, 1), (2, DEFAULT)", "insert sale set product=$1 set n=1; insert sale set product=2"},
		{"INSERT INTO sale (product, n) SELECT id, ? FROM product WHERE stock = 0", "read product(id stock) stock=0; insert sale set product=? set n=$1"},
		{"INSERT INTO product (id, stock) VALUES (?, ?) ON DUPLICATE KEY UPDATE stock = stock + VALUES(stock)",
			"insert product set id=$1 set stock=$2; read product(id stock) id=$1 exclusive; update product(stock) id=$1 set stock=?"},
		{"REPLACE INTO product (id, stock) VALUES (?, 0)", "insert product set id=$1 set stock=0; read product(id) id=$1 exclusive; delete product id=$1"},
	} {
		accesses, _, err := s.Analyse(c.sql)
		if got := words(s, accesses); err != nil || got != c.want {
			t.Errorf("%s\n got %s, %v\nwant %s", c.sql, got, err, c.want)
		}
	}
	for sql, want := range map[string]string{
		"SELECT 1 FROM nothing":           "there is no table nothing",
		"INSERT INTO sale (x) VALUES (1)": "there is no column x in sale",
		"UPDATE sale SET x = 1":           "there is no column x",
		"SET @a = 1":                      "it is no statement that reads or writes rows",
		"SELEC":                           "syntax error",
	} {
		if _, _, err := s.Analyse(sql); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// addsTo are the columns to which a statement adds, such as "a b($1 $2)".
func addsTo(t *testing.T, s *Schema, statement string) string {
	t.Helper()
	accesses, _, err := s.Analyse(statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	of := map[string]string{}
	for _, a := range accesses {
		var list []string
		for _, x := range a.Adds {
			name := s.Tables[a.Table].Columns[x.Column].Name
			if len(x.Params) > 0 {
				name += strings.ReplaceAll(fmt.Sprint(x.Params), " ", ",")
			}
			list = append(list, name)
		}
		of[a.Kind] = strings.Join(list, " ")
	}
	if of[parsed.Read] != of[parsed.Update] {
		t.Errorf("%s: the read adds to %q, the update to %q", statement, of[parsed.Read], of[parsed.Update])
	}
	return of[parsed.Update]
}

// The columns to which statements only add: nothing else reads or watches them, and parameters are told.
func TestAdds(t *testing.T) {
	const tables = `CREATE TABLE t (id INT PRIMARY KEY, a INT, b BIGINT NOT NULL, c DECIMAL(8,2), e INT CHECK (e > 0), f DOUBLE, u INT UNIQUE, p TINYINT, y YEAR, bits BIT(8), k INT, KEY (k), x VARCHAR(9));
		CREATE TABLE made (a INT, b INT GENERATED ALWAYS AS (a * 2) STORED); CREATE TABLE touched (a INT, at TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP);
		CREATE TABLE fires (a INT); CREATE TABLE log (a INT); CREATE TRIGGER fire AFTER UPDATE ON fires FOR EACH ROW INSERT INTO log VALUES (1);
		CREATE TABLE parent (id INT PRIMARY KEY, n INT, KEY (n)); CREATE TABLE child (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES parent (n));`
	s, err := New(tables)
	if err != nil {
		t.Fatal(err)
	}
	for statement, want := range map[string]string{
		"UPDATE t SET a = a + ? WHERE id = ?":                         "a[1]",
		"UPDATE t AS x SET x.a = 1 + x.A, b = (b - (? * -2)), k=k+1":  "a b[1] k",
		"UPDATE t SET a = a + 1, x = ? WHERE id = 1":                  "a",
		"UPDATE t SET c = c + ?, p = p - 1":                           "c[1] p",
		"UPDATE t SET a = a + ? * ?":                                  "a[1,2]",
		"UPDATE t SET a = a + 1 WHERE a > 0":                          "",
		"UPDATE t SET a = a + 1, b = a":                               "",
		"UPDATE t SET a = a + 1, a = a + 2":                           "",
		"UPDATE t SET a = ? - a":                                      "",
		"UPDATE t SET a = a * 2":                                      "",
		"UPDATE t SET a = a + k":                                      "",
		"UPDATE t SET a = a + a":                                      "",
		"UPDATE t SET a = k + 1":                                      "",
		"UPDATE t SET a = a + RAND()":                                 "",
		"UPDATE t SET a = a + 1.5":                                    "",
		"UPDATE t SET a = a + '1'":                                    "",
		"UPDATE t SET a = a + (SELECT 1)":                             "",
		"UPDATE t SET a = a + 1 WHERE EXISTS (SELECT 1 FROM log)":     "",
		"UPDATE t SET a = a + 1 ORDER BY a LIMIT 1":                   "",
		"UPDATE t SET a = a + 1 LIMIT 1":                              "",
		"UPDATE t JOIN log ON log.a = t.id SET t.a = t.a + 1":         "",
		"UPDATE t SET e = e + 1, f = f + 1, u = u + 1, y = y + 1":     "",
		"UPDATE t SET bits = bits + 1, id = id + 1":                   "",
		"UPDATE made SET a = a + 1":                                   "",
		"UPDATE touched SET a = a + 1":                                "",
		"UPDATE fires SET a = a + 1":                                  "",
		"UPDATE parent SET n = n + 1":                                 "",
		"UPDATE child SET parent = parent + 1":                        "",
		"INSERT INTO t (id) VALUES (1) ON DUPLICATE KEY UPDATE a=a+1": "",
	} {
		if got := addsTo(t, s, statement); got != want {
			t.Errorf("%s: adds to %q, not %q", statement, got, want)
		}
	}
	if s, err = New("CREATE TABLE t (a INT UNSIGNED, c DECIMAL(8,2) UNSIGNED, b INT)"); err != nil {
		t.Fatal(err)
	}
	if got := addsTo(t, s, "UPDATE t SET a = a - 1, b = b - 1, c = c - 1"); got != "b" {
		t.Errorf("unsigned: adds to %q", got)
	}
}

// A process is asked for the tables, for statements, and whether rows fit.
func TestServe(t *testing.T) {
	var questions, out strings.Builder
	for _, q := range []parsed.Question{{Statement: "SELECT 1"}, {Schema: []parsed.Script{{Name: "schema.sql", Text: shopSQL}}}, {Statement: "SELECT *, stock + 1 FROM product"},
		{Rows: "INSERT INTO product (id) VALUES (1)"}, {Rows: "INSERT INTO sale (product) VALUES (7)"}, {Schema: []parsed.Script{{Text: "CREATE TABEL x"}}}} {
		json.NewEncoder(&questions).Encode(q)
	}
	if err := Serve(strings.NewReader(questions.String()), &out); err != nil {
		t.Fatal(err)
	}
	var answers []parsed.Answer
	for line := range strings.Lines(out.String()) {
		var a parsed.Answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	if len(answers) != 6 || answers[0].Error == "" || answers[3].Error != "" || !strings.Contains(answers[4].Error, "Foreign key") || answers[5].Error == "" {
		t.Fatal(out.String())
	}
	tables := answers[1].Tables
	if len(tables) != 3 || tables[1].Name != "product" || tables[2].Foreign[0].Action != "c" || tables[2].Foreign[0].To != 1 || tables[2].Triggers[0] != "noted" || !tables[2].Columns[0].Counts {
		t.Fatalf("%+v", tables)
	}
	p := tables[1]
	if fmt.Sprint(p.Unique) != "[[0] [1]]" || p.Columns[0].Type != "integer" || p.Columns[1].Type != "character varying(20)" || !p.Columns[2].Default || fmt.Sprint(p.Columns[3].Labels) != "[big small]" {
		t.Errorf("%+v", p)
	}
	if r := answers[2].Results; len(r) != 5 || r[2].Column != 2 || r[4] != nil {
		t.Errorf("%v", r)
	}
}
