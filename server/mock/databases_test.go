package mock

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
)

// Clients make databases, which have nothing to do with each other, and drop them.
func TestDatabases(t *testing.T) {
	t.Parallel()
	for _, level := range []isolation.Level{isolation.PgRC, isolation.RC} {
		s, dsn := start(t, Options{Level: level}, accounts)
		var sessions []string
		s.Record(func(x *Transaction) { sessions = append(sessions, x.Session) })
		c := dial(t, dsn)
		code := func(sql string, args ...any) string {
			t.Helper()
			_, err := c.Exec(t.Context(), sql, args...)
			if err == nil {
				return ""
			}
			return codeOf(err)
		}
		for _, step := range []struct{ sql, want string }{
			{"DROP DATABASE IF EXISTS test_app", ""},
			{"DROP DATABASE test_app", "3D000"},
			{"CREATE DATABASE test_app WITH ENCODING 'UTF8' TEMPLATE template0", ""},
			{`CREATE DATABASE "test_app";`, "42P04"},
			{"/* of a runner */ CREATE DATABASE Other", ""},
			{"CREATE DATABASE third TEMPLATE test_app", "0A000"},
			{"BEGIN; CREATE DATABASE fourth", "25001"},
			{"ROLLBACK", ""},
		} {
			if got := code(step.sql); got != step.want {
				t.Errorf("%s: %s: %q, want %q", level, step.sql, got, step.want)
			}
		}
		if tag, err := c.Exec(t.Context(), "DROP DATABASE other", pgx.QueryExecModeSimpleProtocol); err != nil || tag.String() != "DROP DATABASE" {
			t.Errorf("%s: %v, %v", level, tag, err)
		}
		for _, want := range []string{"", "42P04"} { // by the extended protocol
			got := ""
			if err := c.PgConn().ExecParams(t.Context(), "CREATE DATABASE extended", nil, nil, nil, nil).Read().Err; err != nil {
				got = codeOf(err)
			}
			if got != want {
				t.Errorf("%s: prepared: %q, want %q", level, got, want)
			}
		}
		in := dial(t, strings.Replace(dsn, "/postgres?", "/test_app?", 1))
		does(t, in, "CREATE TABLE account (id int PRIMARY KEY, owner text); INSERT INTO account VALUES (7, 'zoe')")
		if got := answers(t, in, "SELECT * FROM account"); got != "7 zoe" {
			t.Errorf("%s: in the database: %s", level, got)
		}
		if got := answers(t, c, "SELECT * FROM account ORDER BY id"); got != "1 100, 2 100" {
			t.Errorf("%s: in the first one: %s", level, got)
		}
		if err := in.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if got := code("DROP DATABASE test_app"); got != "" {
			t.Errorf("%s: dropped: %s", level, got)
		}
		if !strings.Contains(fmt.Sprint(sessions), "test_app ") {
			t.Errorf("%s: recorded are the sessions %v", level, sessions)
		}
	}
}

// Django's runner of tests makes a database, its tables, and drops the database.
func TestDjangoRunner(t *testing.T) {
	deadlinetest.Long(t)
	t.Parallel()
	const python = "/usr/bin/python3" // others do not have Debian's packages
	if exec.CommandContext(t.Context(), python, "-c", "import django, psycopg2").Run() != nil {
		t.Skip("there is no python3-django")
	}
	_, dsn := start(t, Options{Level: isolation.PgRC}, "")
	port, _, _ := strings.Cut(dsn[strings.LastIndexByte(dsn, ':')+1:], "/")
	if got := run(t, djangoTests, python, "-", port); !strings.Contains(got, "failures: 0 of 2") {
		t.Error(got)
	}
}

const djangoTests = `
import sys, django
from django.conf import settings
settings.configure(INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes"], USE_TZ=True, SECRET_KEY="x", DATABASES={"default":
    {"ENGINE": "django.db.backends.postgresql", "NAME": "app", "USER": "postgres", "HOST": "127.0.0.1", "PORT": sys.argv[1]}})
django.setup()
import unittest
from django.contrib.auth.models import User
from django.test import TestCase, TransactionTestCase
from django.test.runner import DiscoverRunner
class Alone(TestCase):
    def test(self):
        User.objects.create_user("zoe")
        self.assertEqual(User.objects.count(), 1)
class Committed(TransactionTestCase):
    def test(self):
        User.objects.create_user("bob")
        self.assertEqual([u.username for u in User.objects.all()], ["bob"])
runner = DiscoverRunner(verbosity=0)
old = runner.setup_databases()
suite = unittest.TestSuite([Alone("test"), Committed("test")])
result = runner.run_suite(suite)
runner.teardown_databases(old)
print("failures: %d of %d" % (len(result.failures) + len(result.errors), result.testsRun))
`
