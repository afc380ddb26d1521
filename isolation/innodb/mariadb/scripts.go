package mariadb

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random programs of SQL text: secondary indexes of one and two columns, ranges, IN,
// LIMIT, locking clauses, several rows in an INSERT, REPLACE, INSERT … SELECT, a table
// without a primary key, foreign keys that cascade. Hints say which index is scanned: which one a
// server takes otherwise depends on statistics.

// RandomScript makes a program from a seed, always the same.
func RandomScript(seed uint64, level string) *Script {
	g := &scripter{rand.New(rand.NewPCG(seed, 3))}
	p := &Script{Level: level}
	statement := g.indexed
	switch seed % 5 {
	case 3:
		p.Tables = []string{"h"}
		p.Schema = []string{"CREATE TABLE h (x INT NULL, y INT NOT NULL, KEY kx (x))"}
		p.Rows = []string{"INSERT INTO h VALUES (1, 10), (2, 20), (NULL, 30)"}
		statement = g.keyless
	case 4:
		p.Tables = []string{"q", "p"}
		p.Schema = []string{"CREATE TABLE p (a INT PRIMARY KEY, b INT NOT NULL)",
			"CREATE TABLE q (a INT PRIMARY KEY, p INT NULL, KEY kp (p), FOREIGN KEY (p) REFERENCES p (a) ON DELETE " + choice(g, "CASCADE", "SET NULL") + ")"}
		p.Rows = []string{"INSERT INTO p VALUES (1, 10), (2, 20)", "INSERT INTO q VALUES (1, 1), (5, 2)"}
		statement = g.family
	default:
		p.Tables = []string{"t"}
		p.Schema = []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, c INT NULL, d INT NOT NULL, KEY kb (b), KEY kcd (c, d))"}
		p.Rows = []string{fmt.Sprintf("INSERT INTO t VALUES (1, 10, 1, 5), (3, 20, 1, 8), (5, %d, NULL, 2)", choice(g, 20, 30))}
	}
	for range 2 {
		p.Sessions = append(p.Sessions, g.session(statement))
	}
	return p
}

type scripter struct{ *rand.Rand }

func choice[T any](g *scripter, of ...T) T { return of[g.IntN(len(of))] }

func (g *scripter) session(statement func() string) (list []string) {
	if g.IntN(5) == 0 {
		return []string{statement()}
	}
	list = append(list, Begin)
	for range 1 + g.IntN(3) {
		list = append(list, statement())
	}
	return append(list, Commit)
}

// lock is a locking clause, or none.
func (g *scripter) lock() string {
	return choice(g, "", "", " FOR UPDATE", " FOR UPDATE", " LOCK IN SHARE MODE", " FOR UPDATE SKIP LOCKED", " FOR UPDATE NOWAIT", " LOCK IN SHARE MODE SKIP LOCKED")
}

// limit is a LIMIT behind an ORDER BY, or less.
func (g *scripter) limit(column string) string {
	return choice(g, "", "", " ORDER BY "+column, " ORDER BY "+column+" LIMIT 1", " ORDER BY "+column+" DESC", " ORDER BY "+column+" DESC LIMIT 1")
}

// hint names an index with a condition on it.
func (g *scripter) hint() (index, where, order string) {
	b, c, d, a := choice(g, 10, 15, 20, 30), choice(g, 1, 1, 2), choice(g, 2, 5, 6, 8), 1+g.IntN(5)
	switch g.IntN(9) {
	case 0:
		return "kb", fmt.Sprintf("b = %d", b), "b"
	case 1:
		return "kb", fmt.Sprintf("b >= %d", b), "b"
	case 2:
		return "kb", fmt.Sprintf("b < %d", b), "b"
	case 3:
		return "kb", fmt.Sprintf("b BETWEEN %d AND %d", b, b+choice(g, 0, 5, 10)), "b"
	case 4:
		return "kcd", fmt.Sprintf("c = %d", c), "d"
	case 5:
		return "kcd", fmt.Sprintf("c = %d AND d >= %d", c, d), "d"
	case 6:
		return "kcd", "c IS NULL", "d"
	case 7:
		return "PRIMARY", fmt.Sprintf("a >= %d", a), "a"
	}
	return "PRIMARY", fmt.Sprintf("a BETWEEN %d AND %d", a, a+g.IntN(3)), "a"
}

// indexed is a statement on t.
func (g *scripter) indexed() string {
	index, where, order := g.hint()
	a, b, c, d := 1+g.IntN(6), choice(g, 10, 15, 20, 30), choice(g, "1", "2", "NULL"), choice(g, 2, 5, 6, 8)
	key := fmt.Sprintf("a = %d", a)
	if g.IntN(3) == 0 {
		key = fmt.Sprintf("a IN (%d, %d)", a, a+1+g.IntN(2))
	}
	set := choice(g, "d = d + 1", "b = b + 10", "c = 2", "c = NULL", "b = 15", "d = 6", "a = a + 10")
	values := fmt.Sprintf("(%d, %d, %s, %d)", a, b, c, d)
	switch g.IntN(16) {
	case 0, 1, 2, 3:
		return "SELECT " + choice(g, "*", "a", "a, "+order) + " FROM t FORCE INDEX (" + index + ") WHERE " + where + g.limit(order) + g.lock()
	case 4:
		return "SELECT * FROM t FORCE INDEX (PRIMARY) WHERE " + key + g.lock()
	case 5, 6:
		return "UPDATE t FORCE INDEX (" + index + ") SET " + set + " WHERE " + where
	case 7:
		return "UPDATE t FORCE INDEX (PRIMARY) SET " + set + " WHERE " + key
	case 8:
		return fmt.Sprintf("UPDATE t IGNORE INDEX (kb, kcd) SET %s WHERE d >= %d", set, d)
	case 9:
		return "INSERT INTO t VALUES " + values
	case 10:
		return fmt.Sprintf("INSERT %s INTO t VALUES %s, (%d, 20, 1, 9)", choice(g, "", "IGNORE"), values, a+choice(g, 1, 2))
	case 11:
		return "INSERT INTO t VALUES " + values + " ON DUPLICATE KEY UPDATE " + choice(g, "d = d + 1", "b = VALUES(b)", "c = 2")
	case 12:
		return "REPLACE INTO t VALUES " + values
	case 13:
		return fmt.Sprintf("INSERT INTO t SELECT a + %d, b, c, d FROM t FORCE INDEX (%s) WHERE %s", choice(g, 1, 10), index, where)
	case 14:
		return fmt.Sprintf("SELECT COUNT(*), SUM(d) FROM t IGNORE INDEX (kb, kcd) WHERE d >= %d", d)
	}
	return fmt.Sprintf("DELETE FROM t WHERE a = %d", a)
}

// keyless is a statement on h.
func (g *scripter) keyless() string {
	x, y := choice(g, "1", "2", "3"), choice(g, 10, 20, 30, 40)
	switch g.IntN(8) {
	case 0, 1:
		return "SELECT * FROM h FORCE INDEX (kx) WHERE x = " + x + g.lock()
	case 2:
		return "SELECT * FROM h FORCE INDEX (kx) WHERE x >= " + x + g.limit("x") + g.lock()
	case 3:
		return "UPDATE h FORCE INDEX (kx) SET " + choice(g, "y = y + 1", "x = x + 1", "x = 3") + " WHERE x = " + x
	case 4:
		return fmt.Sprintf("UPDATE h SET %s WHERE y >= %d", choice(g, "y = y + 1", "x = 2"), y)
	case 5, 6:
		return fmt.Sprintf("INSERT INTO h VALUES (%s, %d)", choice(g, x, "NULL"), y)
	}
	return fmt.Sprintf("DELETE FROM h WHERE y = %d", y)
}

// family is a statement on p or q.
func (g *scripter) family() string {
	a, p := 1+g.IntN(6), choice(g, "1", "2", "3", "NULL")
	switch g.IntN(9) {
	case 0, 1:
		return fmt.Sprintf("DELETE FROM p WHERE a = %d", 1+g.IntN(3))
	case 2:
		return fmt.Sprintf("UPDATE p SET b = b + 1 WHERE a = %d", 1+g.IntN(2))
	case 3, 4:
		return fmt.Sprintf("INSERT INTO q VALUES (%d, %s)", a, p)
	case 5:
		return fmt.Sprintf("UPDATE q SET p = %s WHERE a = %d", p, a)
	case 6:
		return fmt.Sprintf("INSERT INTO p VALUES (%d, 30)", choice(g, 2, 3))
	case 7:
		return "SELECT * FROM q FORCE INDEX (kp) WHERE p = " + strings.Replace(p, "NULL", "1", 1) + g.lock()
	}
	return fmt.Sprintf("SELECT * FROM p WHERE a = %d%s", 1+g.IntN(3), g.lock())
}

// Interleavings bounds the number of a program's interleavings from above.
func (p *Script) Interleavings() int {
	n, total := 1, 0
	for _, s := range p.Sessions {
		for k := range s {
			if s[k] == Begin {
				continue
			}
			total++
			n = n * total
		}
	}
	for _, s := range p.Sessions {
		steps := 0
		for k := range s {
			if s[k] != Begin {
				steps++
				n /= steps
			}
		}
	}
	return n
}
