package mariadb

import (
	"fmt"
	"math/rand/v2"
)

// Random programs on keys: a primary key of two columns, a unique index whose column may be
// NULL, joins with another table, and statements that meet taken keys. Hints say which index
// is scanned.

// KeyedScript makes a program from a seed, always the same.
func KeyedScript(seed uint64, level string) *Script {
	g := &scripter{rand.New(rand.NewPCG(seed, 5))}
	p := &Script{Level: level, Tables: []string{"t", "w"},
		Schema: []string{"CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, c INT NULL, d INT NOT NULL, PRIMARY KEY (a, b), UNIQUE KEY uc (c), KEY kd (d))",
			"CREATE TABLE w (k INT PRIMARY KEY, n INT NOT NULL)"},
		Rows: []string{fmt.Sprintf("INSERT INTO t VALUES (1, 1, 10, 5), (1, 3, NULL, 5), (2, 1, %s, 8)", choice(g, "20", "NULL")), "INSERT INTO w VALUES (1, 5), (2, 8)"}}
	for range 2 {
		p.Sessions = append(p.Sessions, g.session(g.keyed))
	}
	return p
}

// keyedRange names an index of t with a condition on it.
func (g *scripter) keyedRange() (index, where, order string) {
	a, b, c, d := 1+g.IntN(2), 1+g.IntN(3), choice(g, 10, 15, 20), choice(g, 5, 6, 8)
	switch g.IntN(9) {
	case 0:
		return "PRIMARY", fmt.Sprintf("a = %d", a), "b"
	case 1:
		return "PRIMARY", fmt.Sprintf("a = %d AND b = %d", a, b), "b"
	case 2:
		return "PRIMARY", fmt.Sprintf("a = %d AND b >= %d", a, b), "b"
	case 3:
		return "PRIMARY", fmt.Sprintf("a >= %d", a), "a"
	case 4:
		return "uc", fmt.Sprintf("c = %d", c), "c"
	case 5:
		return "uc", fmt.Sprintf("c >= %d", c), "c"
	case 6:
		return "uc", "c IS NULL", "c"
	case 7:
		return "kd", fmt.Sprintf("d = %d", d), "d"
	}
	return "kd", fmt.Sprintf("d > %d", d), "d"
}

// keyed is a statement on t or w.
func (g *scripter) keyed() string {
	index, where, order := g.keyedRange()
	values := fmt.Sprintf("(%d, %d, %s, %d)", 1+g.IntN(3), 1+g.IntN(3), choice(g, "10", "15", "20", "NULL"), choice(g, 5, 6, 8))
	set := choice(g, "d = d + 1", "c = c + 5", "c = NULL", "c = 15", "b = b + 1", "a = a + 2", "d = 6")
	switch g.IntN(14) {
	case 0, 1, 2:
		return "SELECT * FROM t FORCE INDEX (" + index + ") WHERE " + where + g.limit(order) + g.lock()
	case 3, 4, 5:
		return "UPDATE t FORCE INDEX (" + index + ") SET " + set + " WHERE " + where
	case 6:
		return "INSERT INTO t VALUES " + values
	case 7:
		return "INSERT INTO t VALUES " + values + " ON DUPLICATE KEY UPDATE " + choice(g, "d = d + 1", "d = VALUES(d)", "c = NULL", "c = c + 5")
	case 8:
		return "REPLACE INTO t VALUES " + values
	case 9:
		return "INSERT IGNORE INTO t VALUES " + values
	case 10:
		return "SELECT t.a, t.b, w.n FROM t FORCE INDEX (" + index + ") STRAIGHT_JOIN w FORCE INDEX (PRIMARY) ON w.k = t.a WHERE " + where + choice(g, "", " FOR UPDATE", " LOCK IN SHARE MODE")
	case 11:
		return fmt.Sprintf("UPDATE w SET n = n + 1 WHERE k = %d", 1+g.IntN(2))
	case 12:
		return fmt.Sprintf("INSERT INTO w SELECT a + 2 + b, d FROM t FORCE INDEX (%s) WHERE %s", index, where)
	}
	return fmt.Sprintf("DELETE FROM t WHERE a = %d AND b = %d", 1+g.IntN(2), 1+g.IntN(3))
}
