package mariadb

import (
	"fmt"
	"strings"

	"github.com/txmc/txmc/isolation/statement"
)

// Programs as SQL: their tables, rows and levels.

// Schema makes the program's tables.
func Schema(p *statement.Program) []string {
	index := ""
	if p.IndexV {
		index = ", KEY (v)"
	}
	list := []string{"CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, u int UNIQUE NULL" + index + ") ENGINE=InnoDB"}
	if p.HasChild {
		list = append(list, "CREATE TABLE c (id int PRIMARY KEY, tid int NOT NULL, FOREIGN KEY (tid) REFERENCES t (id)) ENGINE=InnoDB")
	}
	return list
}

// Rows puts the program's rows into them.
func Rows(p *statement.Program) []string {
	var rows []string
	for _, row := range p.Rows {
		rows = append(rows, fmt.Sprintf("(%d, %d, %s)", row.ID, row.V, statement.Null(row.U)))
	}
	list := []string{"INSERT INTO t (id, v, u) VALUES " + strings.Join(rows, ", ")}
	for _, c := range p.Children {
		list = append(list, fmt.Sprintf("INSERT INTO c (id, tid) VALUES (%d, %d)", c.ID, c.Tid))
	}
	return list
}

var isolation = map[string]string{
	statement.ReadCommitted:   "READ COMMITTED",
	statement.ReadUncommitted: "READ UNCOMMITTED",
	statement.RepeatableRead:  "REPEATABLE READ",
	statement.SnapshotReads:   "REPEATABLE READ",
	statement.Serializable:    "SERIALIZABLE",
}

// SetLevel sets the level of a connection's transactions.
func SetLevel(level string) []string {
	on := "OFF"
	if level == statement.SnapshotReads {
		on = "ON"
	}
	return []string{"SET SESSION TRANSACTION ISOLATION LEVEL " + isolation[level], "SET SESSION innodb_snapshot_isolation=" + on}
}
