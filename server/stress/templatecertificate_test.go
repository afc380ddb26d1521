package stress

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/server/database"
)

func (s *script) afterSetup(ctx context.Context, r *run, c database.Conn) error {
	if w, ok := s.workloads.(*templates); ok {
		return w.afterSetup(ctx, r, c)
	}
	return nil
}

// A shop: two tables, rows that setup has made, rows that come and go.
const shop = `tables txmc_stress_item txmc_stress_grp
versions txmc_stress_item: 'item ' || id, v
versions txmc_stress_grp: 'group ' || id, v
setup
  CREATE TABLE txmc_stress_item (id bigint PRIMARY KEY, grp int NOT NULL, note text, tags int[], v bigint NOT NULL)
  INSERT INTO txmc_stress_item SELECT i, i % 4, 'it''s "' || i || '", \', ARRAY[i, i], 1 FROM generate_series(0, {keys} - 1) i
  CREATE TABLE txmc_stress_grp (id bigint PRIMARY KEY, v bigint)
  INSERT INTO txmc_stress_grp SELECT i, NULL FROM generate_series(0, 3) i
transaction 3
  read item {a}: SELECT v FROM txmc_stress_item WHERE id = {a}
  write item {a}: UPDATE txmc_stress_item AS t SET v = {value}, grp = (grp + 1) % 4 WHERE id = {a}
  count of txmc_stress_item where grp = 1: SELECT count(*) FROM txmc_stress_item WHERE grp = 1
transaction 2
  rows of txmc_stress_item where grp = 2 AND note IS NOT NULL: SELECT 'item ' || id, v FROM txmc_stress_item WHERE grp = 2 AND note IS NOT NULL
  write group 1: UPDATE txmc_stress_grp SET v = {value} WHERE id = 1
  read group 2: SELECT v FROM txmc_stress_grp WHERE id = 2
  rows of txmc_stress_item where grp = 2 AND note IS NOT NULL: SELECT 'item ' || id, v FROM txmc_stress_item WHERE grp = 2 AND note IS NOT NULL
transaction
  write item 1{value}: INSERT INTO txmc_stress_item VALUES (1{value}, {value} % 4, NULL, '{1,NULL}', {value})
  count of txmc_stress_item where grp = 1: SELECT count(*) FROM txmc_stress_item WHERE grp = 1
transaction
  delete item {a}: DELETE FROM txmc_stress_item WHERE id = {a}
  count of txmc_stress_item where grp = 1: SELECT count(*) FROM txmc_stress_item WHERE grp = 1
  rows of txmc_stress_item where tags[1] = {a}: SELECT 'item ' || id, v FROM txmc_stress_item WHERE tags[1] = {a}
`

// fileOf writes a workload into a file.
func fileOf(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "work.txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// SQL of one's own has a certificate, with which PostgreSQL keeps its promises.
func TestTemplatesCertificate(t *testing.T) {
	t.Parallel()
	dsn := shared(t)
	file := fileOf(t, shop)
	for begin, level := range map[string]isolation.Level{"serializable": isolation.SER, "repeatable read": isolation.SI} {
		o := options(dsn, begin, file)
		o.Certificate, o.Keys = true, 20
		r, recorded := recorded(t, t.Context(), checked(t, o))
		if r.Committed < 80 {
			t.Errorf("%v", r)
		}
		wants(t, recorded, level, false, "")
		wants(t, recorded, level, true, "")
		text, err := os.ReadFile(recorded)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`{"session":"setup","id":"setup"`, `{"versions":"item 3","values":[1`, `{"versions":"group 1"`, `{"deleted":[["item `, `"where":"txmc_stress_item where grp = 1"`, `{"matches":"txmc_stress_item where grp = 1","of":[["item `} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %s in the history", begin, want)
			}
		}
	}
	nothingLeft(t, dsn)
}

// What the server has judged leaves no table behind while the connection is open: such a table is of
// the type of the workload's, which could not be dropped before.
func TestTemplatesForget(t *testing.T) {
	t.Parallel()
	c := connected(t, shared(t))
	w, err := parseTemplates("w", shop)
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"CREATE TEMP TABLE txmc_stress_item (id bigint, v bigint)", "CREATE TEMP TABLE txmc_stress_grp (id bigint, v bigint)"} {
		if _, err := c.Do(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	item := w.tracked["txmc_stress_item"]
	l := &rowLog{w: w, rows: []loggedRow{{table: item, row: "(1,2)"}}}
	if err := l.judge(t.Context(), c); err != nil || l.rows[0].key != "item 1" {
		t.Errorf("row %q: %v", l.rows[0].key, err)
	}
	l = &rowLog{w: w}
	if err := l.facts(t.Context(), c, func(history.Fact) error { return nil }); err == nil {
		t.Error("the tables of the first judgement are not in the way of the second one")
	}
	for _, table := range w.tables() {
		if _, err := c.Do(t.Context(), "DROP TABLE "+table); err != nil {
			t.Error(err)
		}
	}
}

// steps are two transactions of a file, of which the second one runs in the middle of the
// first, or a step of both in turn.
func steps(t *testing.T, inTurn bool, first, second string) *script {
	t.Helper()
	w, err := parseTemplates("w", strings.Split(shop, "transaction")[0]+"transaction\n"+first+"\ntransaction\n"+second+"\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.checkCertificate(); err != nil {
		t.Fatal(err)
	}
	return newScript(w, func(s *script, c *reader, begins bool) error {
		x := &templateTxn{client: c.client, ctx: c.ctx, w: w, names: w.names(c.client)}
		mine := w.txns[0]
		if c.name == "1" {
			mine = w.txns[1]
			if !inTurn {
				<-s.done["0"]
				c.atEnd = append(c.atEnd, func(history.Fate) { close(s.done["1"]) })
			}
		}
		for i := range mine {
			if err := x.run(&mine[i]); err != nil {
				return err
			}
			if i > 0 || !begins {
				continue
			}
			switch {
			case inTurn:
				close(s.done[c.name])
				<-s.done[map[string]string{"0": "1", "1": "0"}[c.name]]
			case c.name == "0":
				close(s.done["0"])
				<-s.done["1"]
			}
		}
		return nil
	}, "0", "1")
}

// What predicates of SQL of one's own do not see is found by the certificate only.
func TestTemplatesAnomalies(t *testing.T) {
	t.Parallel()
	dsn := shared(t)
	const (
		count  = "  count of txmc_stress_item where grp = %d: SELECT count(*) FROM txmc_stress_item WHERE grp = %[1]d"
		rows   = "  rows of txmc_stress_item where grp = %d: SELECT 'item ' || id, v FROM txmc_stress_item WHERE grp = %[1]d"
		insert = "  write item 1{value}: INSERT INTO txmc_stress_item VALUES (1{value}, %d, NULL, NULL, {value})"
		move   = "  write item %d: UPDATE txmc_stress_item SET grp = %d, v = {value} WHERE id = %[1]d"
		remove = "  delete item %d: DELETE FROM txmc_stress_item WHERE id = %[1]d"
	)
	line := fmt.Sprintf
	for _, test := range []struct {
		begin         string
		inTurn        bool
		first, second string
		level         isolation.Level
		items, all    string
	}{
		{"read committed", false, line(count, 1) + "\n" + line(count, 1), line(insert, 1), isolation.SI, "", "phantom"},
		{"read committed", false, line(count, 1) + "\n" + line(count, 1), line(move, 2, 1), isolation.SI, "", "phantom"},
		{"read committed", false, line(count, 1) + "\n" + line(count, 1), line(move, 5, 2), isolation.SI, "", "phantom"},
		{"read committed", false, line(count, 1) + "\n" + line(count, 1), line(remove, 5), isolation.SI, "", "phantom"},
		{"read committed", false, line(rows, 1) + "\n" + line(rows, 1), line(insert, 1), isolation.SI, "", "phantom"},
		{"read committed", false, line(count, 1) + "\n" + line(count, 1), line(insert, 3), isolation.SI, "", ""},
		{"repeatable read", false, line(count, 1) + "\n" + line(count, 1), line(remove, 5), isolation.SER, "", ""},
		{"repeatable read", false, line(rows, 1) + "\n" + line(rows, 1), line(move, 2, 1), isolation.SER, "", ""},
		{"repeatable read", true, line(count, 1) + "\n" + line(insert, 1), line(count, 1) + "\n" + line(insert, 1), isolation.SER, "", "phantom write skew"},
		{"repeatable read", true, line(count, 1) + "\n" + line(insert, 1), line(count, 1) + "\n" + line(insert, 1), isolation.SI, "", ""},
		{"repeatable read", true, line(count, 1) + "\n" + line(insert, 2), line(count, 1) + "\n" + line(insert, 3), isolation.SER, "", ""},
		{"serializable", true, line(count, 1) + "\n" + line(insert, 1), line(count, 1) + "\n" + line(insert, 1), isolation.SER, "", ""},
		{"repeatable read", true, line(insert, 1) + "\n" + line(count, 1), line(move, 3, 1) + "\n" + line(rows, 1), isolation.SI, "", ""},
	} {
		t.Run(test.begin+" "+test.level.String(), func(t *testing.T) {
			_, file := follow(t, dsn, test.begin, true, steps(t, test.inTurn, test.first, test.second))
			wants(t, file, test.level, false, test.items)
			wants(t, file, test.level, true, test.all)
		})
	}
}

// A statement that does not give what its condition selects is a wrong result of a predicate: here
// it is so by the file, and only after some time.
func TestTemplatesWrongResult(t *testing.T) {
	t.Parallel()
	dsn, lies := shared(t), "SELECT least(count(*), 4) FROM txmc_stress_item WHERE grp = 1"
	for what, sql := range map[string]string{"count": lies, "rows": "SELECT 'item ' || id, v FROM txmc_stress_item WHERE grp = 1 ORDER BY id LIMIT 4"} {
		o := options(dsn, "serializable", fileOf(t, strings.Split(shop, "transaction")[0]+"transaction\n"+
			"  write item 1{value}: INSERT INTO txmc_stress_item VALUES (1{value}, 1, NULL, NULL, {value})\n"+
			"  "+what+" of txmc_stress_item where grp = 1: "+sql+"\n"))
		o.Certificate = true
		_, file := recorded(t, t.Context(), checked(t, o))
		wants(t, file, isolation.SER, false, "")
		wants(t, file, isolation.SER, true, "wrong predicate result")
	}
}

// What the certificate cannot have is said with its line, before the run or after it.
func TestTemplatesUncertain(t *testing.T) {
	t.Parallel()
	deadlinetest.Long(t)
	dsn := shared(t)
	head := strings.Split(shop, "transaction")[0]
	const count = "  count of txmc_stress_item where grp = 1: SELECT count(*) FROM txmc_stress_item WHERE grp = 1\n"
	for _, test := range []struct{ text, want string }{
		{stock, "does not say which rows are which keys"},
		{head + "transaction\n  count of txmc_stress_x where k = 1: SELECT 1", "no line versions txmc_stress_x"},
		{head + "transaction\n  rows of txmc_stress_item where grp = 1: SELECT id, v FROM txmc_stress_item WHERE grp = 1 FOR UPDATE", ":10: rows of: a statement that locks"},
		{head + "transaction\n  write item 1: UPDATE txmc_stress_item SET v = {value} WHERE id = 1 RETURNING v", "without RETURNING"},
		{head + "transaction\n  delete item 1: TRUNCATE txmc_stress_item", "expected DELETE"},
		{strings.Replace(head, ", v\n", "\n", 1) + "transaction\n" + count, "line 2 of the workload: versions: expected two expressions"},
		{strings.Replace(head, "'item ' || id, v", "NULL, v", 1) + "transaction\n" + count, "the key of a row of txmc_stress_item is NULL"},
		{head + "transaction\n  count of txmc_stress_item where grp = (SELECT 1): SELECT count(*) FROM txmc_stress_item WHERE grp = 1", "must be one of the row alone"},
		{head + "transaction\n  count of txmc_stress_item where note < now()::text: SELECT count(*) FROM txmc_stress_item", "must be one of the row alone"},
		{head + "transaction\n  count of txmc_stress_item where grp = 1: SELECT count(*) FROM txmc_stress_item WHERE grp = 1 AND id > 1", "does not give the count"},
		{head + "transaction\n  rows of txmc_stress_item where grp = 1: SELECT 'item ' || id, v FROM txmc_stress_item WHERE grp = 1 LIMIT 1", "does not give the rows"},
		{head + "transaction\n  count of txmc_stress_grp where id = 2: SELECT count(*) FROM txmc_stress_grp WHERE id = 2", "as setup has made it"},
		{head + "transaction\n  write item 1: UPDATE txmc_stress_item SET v = {value} WHERE grp = 1\n" + count, "each row needs a statement of its own"},
		{head + "transaction\n  write item 2: UPDATE txmc_stress_item SET v = {value} WHERE id = 1\n" + count, "it has written it to item 2"},
		{head + "transaction\n  write item 1: UPDATE txmc_stress_item SET v = {value} WHERE id = 1\n  UPDATE txmc_stress_item SET grp = 2 WHERE id = 1", "still has the value"},
		{head + "transaction\n  UPDATE txmc_stress_item SET v = 77 + id WHERE id = {a}", "it has no such write"},
		{head + "transaction\n  UPDATE txmc_stress_grp SET v = 0 WHERE id = 1", "still has the value 0"},
		{head + "transaction\n  DELETE FROM txmc_stress_item WHERE id = 1", "without delete item 1: before it"},
		{head + "transaction\n  delete item 2: DELETE FROM txmc_stress_item WHERE id = 1", "without delete item 1: before it"},
		{head + "transaction\n  delete item 1: DELETE FROM txmc_stress_item WHERE id = 1\n  write item 1: INSERT INTO txmc_stress_item VALUES (1, 1, NULL, NULL, {value})", "comes back after its deletion"},
		{head + "transaction\n  TRUNCATE txmc_stress_item", "TRUNCATE of txmc_stress_item"},
	} {
		o := options(dsn, "read committed", fileOf(t, test.text))
		o.Certificate, o.Sessions, o.Txns = true, 1, 2
		err := o.Check()
		if err == nil {
			_, err = Run(t.Context(), o, filepath.Join(t.TempDir(), "h"))
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
	nothingLeft(t, dsn)
}

// Lines versions, conditions and deletions are for servers without a certificate too: what setup
// has made is known, and a row that is not there may have been deleted.
func TestTemplatesOnMariaDB(t *testing.T) {
	t.Parallel()
	dsn := mariaDB(t)
	o := options(dsn, "repeatable read", fileOf(t, `tables txmc_stress_item
versions txmc_stress_item: concat('item ', id), v
setup
  CREATE TABLE txmc_stress_item (id bigint PRIMARY KEY, grp int NOT NULL, v bigint NOT NULL)
  INSERT INTO txmc_stress_item VALUES (0, 0, 5), (1, 1, 6), (2, 0, 0)
transaction
  read item {a}: SELECT v FROM txmc_stress_item WHERE id = {a}
  write item {a}: UPDATE txmc_stress_item SET v = {value} WHERE id = {a}
  rows of txmc_stress_item where grp = 0: SELECT concat('item ', id), v FROM txmc_stress_item WHERE grp = 0
  count of txmc_stress_item where grp = 0: SELECT count(*) FROM txmc_stress_item WHERE grp = 0
transaction
  write item 1{value}: INSERT INTO txmc_stress_item VALUES (1{value}, 0, {value})
  delete item {a}: DELETE FROM txmc_stress_item WHERE id = {a}
`))
	o.Keys = 3
	_, file := recorded(t, t.Context(), checked(t, o))
	wants(t, file, isolation.SI, false, "")
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(text), `{"session":"setup","id":"setup","called":-1,"returned":0,"ops":[["w","item 0",5],["w","item 1",6]]}`) {
		t.Errorf("%.200s %v", text, err)
	}
	o.Certificate = true
	if _, err := Run(t.Context(), checked(t, o), ""); err == nil || !strings.Contains(err.Error(), "--certificate is for PostgreSQL: MariaDB") {
		t.Error(err)
	}
}
