package mysql

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/txmc/txmc/program/rows"
)

// Scripts of applications: triggers with bodies, DELIMITER, a database that the script makes, and
// comments that a server executes.
func TestScripts(t *testing.T) {
	const guest = "CREATE TABLE guest (id INT PRIMARY KEY, room INT, KEY r (room)); CREATE TABLE tot (id INT PRIMARY KEY, n INT); INSERT INTO tot VALUES (1, 0); "
	for name, c := range map[string]struct {
		schema string
		facts  [][2]string
	}{
		"a body with a query and a signal": {
			guest + "CREATE TRIGGER chk BEFORE INSERT ON guest FOR EACH ROW BEGIN IF (SELECT COUNT(*) FROM guest WHERE room = NEW.room) >= 1 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'full'; END IF; END; INSERT INTO guest VALUES (1, 1)",
			[][2]string{{"INSERT INTO guest VALUES (2, 1)", "error 1644 45000"}, {"INSERT INTO guest VALUES (2, 2)", "affected 1 id 0"}}},
		"a body that sets": {
			guest + "CREATE TRIGGER chk BEFORE INSERT ON guest FOR EACH ROW BEGIN IF NEW.room > 5 THEN SET NEW.room = 5; END IF; END;",
			[][2]string{{"INSERT INTO guest VALUES (1, 9)", "affected 1 id 0"}, {"SELECT room FROM guest", "[[5]]"}}},
		"a body that declares": {
			guest + "DELIMITER //\nCREATE TRIGGER chk AFTER INSERT ON guest FOR EACH ROW\nBEGIN\n DECLARE k INT;\n SELECT n INTO k FROM tot WHERE id = 1;\n UPDATE tot SET n = k + 1 WHERE id = 1;\nEND//\nDELIMITER ;\nINSERT INTO tot VALUES (2, 5);",
			[][2]string{{"INSERT INTO guest VALUES (1, 9)", "affected 1 id 0"}, {"SELECT n FROM tot ORDER BY id", "[[1] [5]]"}}},
		"a dump": {
			guest + "DELIMITER ;;\n/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER chk BEFORE INSERT ON guest FOR EACH ROW BEGIN\n SET NEW.room = 3;\nEND */;;\nDELIMITER ;\n/*!40000 ALTER TABLE `guest` DISABLE KEYS */;",
			[][2]string{{"INSERT INTO guest VALUES (1, 9)", "affected 1 id 0"}, {"SELECT room FROM guest", "[[3]]"}}},
		"a database of its own": {
			"CREATE DATABASE IF NOT EXISTS shop DEFAULT CHARACTER SET utf8mb4; USE shop; CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE shop.u (id INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES shop.t (id)); INSERT INTO shop.t VALUES (1);",
			[][2]string{{"SELECT COUNT(*) FROM t", "[[1]]"}, {"INSERT INTO shop.u VALUES (1, 1)", "affected 1 id 0"}, {"INSERT INTO shop.u VALUES (2, 9)", "error 1452 23000"},
				{"USE shop", "affected 0 id 0"}, {"SELECT shop.u.id FROM shop.u JOIN app.t ON t.id = u.t", "[[1]]"}, {"UPDATE shop.t SET id = 1", "affected 0 id 0"}, {"DELETE FROM `shop`.u WHERE `shop`.`u`.id = 1 AND 'shop.u' <> 'u'", "affected 1 id 0"}}},
		"a database that is made elsewhere": {
			"-- of a container\nUSE `Shop`; CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO shop.t VALUES (1);",
			[][2]string{{"SELECT COUNT(*) FROM shop.t", "[[1]]"}, {"USE shop", "affected 0 id 0"}, {"USE other", "error 1049 HY000"}}},
		"a database in names of tables alone": {
			"CREATE TABLE shop.t (id INT PRIMARY KEY); CREATE INDEX i ON shop.t (id); INSERT INTO shop.t VALUES (1); CREATE VIEW shop.v AS SELECT * FROM shop.t;",
			[][2]string{{"SELECT COUNT(*) FROM t", "[[1]]"}, {"SELECT COUNT(*) FROM shop.v", "[[1]]"}, {"INSERT INTO other.t VALUES (2)", "error 1049 HY000"}}},
	} {
		t.Run(name, func(t *testing.T) {
			conn := connect(t, c.schema, false)
			for _, f := range c.facts {
				if got := answer(t.Context(), conn, f[0]); got != f[1] {
					t.Errorf("%s: got %s, want %s", f[0], got, f[1])
				}
			}
		})
	}
}

// A program has one database. The schema may give it one name.
func TestOneDatabase(t *testing.T) {
	for schema, want := range map[string]string{
		"CREATE DATABASE a; CREATE DATABASE b;":                               "a program has one database",
		"CREATE TABLE t (id INT PRIMARY KEY); DROP DATABASE app;":             "DROP DATABASE is not explored",
		"DROP DATABASE IF EXISTS a; CREATE DATABASE a; USE a; USE app; USE b": "b",
		"USE a; USE b":                           "b",
		"USE a;\nCREATE TABLE b.t (id INT)":      "line 2: Error 1049 (HY000): database not found: b",
		"USE mysql":                              "database not found: mysql",
		"USE a; CREATE DATABASE b":               "a program has one database",
		"CREATE DATABASE a;\nINSERT INTO b.t ()": "line 2",
	} {
		c := newConfig(nil)
		Schema(schema)(c)
		if _, err := newBase(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// Code of the schema may not ignore what a server may answer otherwise.
func TestScriptedCode(t *testing.T) {
	at := &pool{watch: &scripted{}}
	if err := at.watch.ended("schema", rows.Place{}, nil); err != nil {
		t.Error(err)
	}
	c := newConfig(nil)
	SchemaDSN(func(ctx context.Context, dsn string) error {
		db, err := sql.Open("mysql", dsn)
		if err != nil {
			return err
		}
		defer db.Close()
		db.ExecContext(ctx, "CREATE PROCEDURE p() SELECT 1")
		return nil
	})(c)
	if _, err := newBase(c); err == nil || !strings.Contains(err.Error(), "stored procedures are not explored") {
		t.Error(err)
	}
}
