package model_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/sirupsen/logrus"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/program"
)

// TestSilent: a deadlock while a trigger runs is an answer, and nothing that is logged.
func TestSilent(t *testing.T) {
	var logged bytes.Buffer
	logrus.SetOutput(&logged)
	defer logrus.SetOutput(os.Stderr)
	p := mariadb.Script{Level: statement.RepeatableRead,
		Schema: []string{pairs, "CREATE TABLE l (a INT PRIMARY KEY, b INT)", "CREATE TRIGGER tl AFTER UPDATE ON t FOR EACH ROW UPDATE l SET b = b + 1 WHERE a = 1"},
		Rows:   []string{pairs12, "INSERT INTO l VALUES (1, 0)"}, Tables: []string{"t", "l"},
		Sessions: [][]string{{mariadb.Begin, "UPDATE t SET b = 11 WHERE a = 1", mariadb.Commit}, {mariadb.Begin, "UPDATE l SET b = 7 WHERE a = 1", "UPDATE t SET b = 12 WHERE a = 1", mariadb.Commit}}}
	got := sqltest.ScriptOutcomes(t, &p, modelLevels[p.Level], func(q *program.Program) { script(q, &p) })
	if victim := "s0[!1213] s1[1 1 C] t[1,12 2,20]l[1,8]"; !got[victim] {
		t.Errorf("%v, want %s among them", got, victim)
	}
	if logged.Len() > 0 {
		t.Errorf("logged: %s", &logged)
	}
}
