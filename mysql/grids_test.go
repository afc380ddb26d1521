package mysql

import (
	"fmt"
	"strings"
)

// Grids of statements: values around the limits of every type of a number, and operators.

// withGrids has the programs with the statements of the grids in place of those recorded.
func withGrids(list []recordedProgram) []recordedProgram {
	grids := map[string]func() ([]string, []string){"arithmetic": arithmeticGrid, "assignments": assignmentGrid, "parameters": parameterGrid, "literals": literalGrid,
		"keys-texts":   func() ([]string, []string) { return keyGrid(0, 5) },
		"keys-bytes":   func() ([]string, []string) { return keyGrid(5, 10) },
		"keys-numbers": func() ([]string, []string) { return keyGrid(10, len(keyTypes)) },
		"composite":    compositeKeys,
	}
	var others []recordedProgram
	for _, p := range list {
		name := strings.TrimSuffix(p.file[strings.LastIndexByte(p.file, '/')+1:], ".txt")
		if grids[name] == nil {
			others = append(others, p)
		}
	}
	for name, grid := range grids {
		p := recordedProgram{file: "testdata/recorded/" + name + ".txt"}
		var statements []string
		p.schema, statements = grid()
		for _, s := range statements {
			p.statements = append(p.statements, answeredStatement{text: s})
		}
		others = append(others, p)
	}
	return others
}

// gridColumns are columns of numbers, with their least value and their greatest.
var gridColumns = []struct{ name, typ, least, greatest string }{
	{"t8", "TINYINT", "-128", "127"}, {"u8", "TINYINT UNSIGNED", "0", "255"}, {"u16", "SMALLINT UNSIGNED", "0", "65535"}, {"m24", "MEDIUMINT", "-8388608", "8388607"},
	{"i32", "INT", "-2147483648", "2147483647"}, {"u32", "INT UNSIGNED", "0", "4294967295"}, {"b64", "BIGINT", "-9223372036854775808", "9223372036854775807"},
	{"u64", "BIGINT UNSIGNED", "0", "18446744073709551615"}, {"d", "DECIMAL(10,2)", "-99999999.99", "99999999.99"}, {"r", "DOUBLE", "-1e15", "1e15"}, {"s", "VARCHAR(9)", "'-7'", "'150'"},
}

// gridSchema has a row of the least values, one of the greatest, and one of 100.
func gridSchema() []string {
	var columns []string
	rows := []string{"1", "2", "3"}
	for _, c := range gridColumns {
		columns = append(columns, c.name+" "+c.typ)
		for i, v := range []string{c.least, c.greatest, "100"} {
			rows[i] += ", " + v
		}
	}
	return []string{"CREATE TABLE n (id INT PRIMARY KEY, " + strings.Join(columns, ", ") + ")", "INSERT INTO n VALUES (" + strings.Join(rows, "), (") + ")"}
}

var gridLiterals = strings.Fields("1 150 65535 2147483648 9223372036854775807 18446744073709551615 -150 1.5 1e3 '150' NULL")

func arithmeticGrid() (schema, statements []string) {
	for _, c := range gridColumns {
		for _, l := range gridLiterals {
			for _, op := range []string{"+", "-", "*", "/", "DIV", "%"} {
				for id := 1; id <= 3; id++ {
					if l == "NULL" && id > 1 || op == "%" && l == "1e3" && id < 3 || id == 3 && c.least != "0" {
						continue
					}
					statements = append(statements, fmt.Sprintf("SELECT %s %s %s FROM n WHERE id = %d", c.name, op, l, id))
				}
				if l != "NULL" {
					statements = append(statements, fmt.Sprintf("SELECT %s %s %s FROM n WHERE id = 3", l, op, c.name))
				}
			}
			statements = append(statements,
				fmt.Sprintf("SELECT id, %[1]s = %[2]s, %[1]s < %[2]s, %[1]s >= %[2]s, %[1]s <=> %[2]s, %[1]s IN (%[2]s, 5), %[1]s BETWEEN %[2]s AND 100 FROM n", c.name, l),
				fmt.Sprintf("SELECT id, %[1]s & %[2]s, %[1]s | %[2]s, %[1]s ^ %[2]s, %[1]s << 3, %[1]s >> 3 FROM n", c.name, l))
			if !strings.HasPrefix(l, "'") && c.name != "s" {
				statements = append(statements,
					fmt.Sprintf("SELECT id, GREATEST(%[1]s, %[2]s), LEAST(%[1]s, %[2]s), IF(id < 3, %[1]s, %[2]s), COALESCE(%[1]s, %[2]s), IFNULL(%[1]s, %[2]s), CASE WHEN id < 3 THEN %[1]s ELSE %[2]s END FROM n", c.name, l))
			}
		}
		for _, f := range []string{"-%s", "ABS(%s)", "SIGN(%s)", "BIT_COUNT(%s)", "SUM(%s)", "AVG(%s - 1)", "MIN(%s)", "~%s", "-%s - 150"} {
			for id := 1; id <= 3; id++ {
				statements = append(statements, fmt.Sprintf("SELECT "+f+" FROM n WHERE id = %d", c.name, id))
			}
		}
	}
	return gridSchema(), statements
}

// assignmentGrid has values assigned to columns, in UPDATE, INSERT and ON DUPLICATE KEY UPDATE.
func assignmentGrid() (schema, statements []string) {
	for _, c := range gridColumns {
		if c.name == "s" {
			continue
		}
		for _, l := range append(gridLiterals, "'1.5'", "'x'", "'12x'", "''") {
			for _, s := range []string{
				"UPDATE n SET %[1]s = %[2]s WHERE id = 3", "UPDATE n SET %[1]s = %[1]s - (%[2]s) WHERE id = 3", "UPDATE n SET %[1]s = %[1]s + %[2]s WHERE id = 2",
				"INSERT INTO n (id, %[1]s) VALUES (3, %[2]s) ON DUPLICATE KEY UPDATE %[1]s = %[1]s - VALUES(%[1]s)",
				"INSERT INTO n (id, %[1]s) VALUES (3, 1) ON DUPLICATE KEY UPDATE %[1]s = %[1]s * %[2]s",
			} {
				statements = append(statements, fmt.Sprintf(s, c.name, l))
			}
			statements = append(statements, fmt.Sprintf("SELECT %s FROM n WHERE id > 1", c.name), fmt.Sprintf("UPDATE n SET %s = 100 WHERE id = 3", c.name),
				fmt.Sprintf("UPDATE n SET %s = %s WHERE id = 2", c.name, c.greatest))
		}
	}
	return gridSchema(), statements
}

func parameterGrid() (schema, statements []string) {
	args := strings.Fields("i1 i150 i65535 i2147483648 i-150 i-9223372036854775808 u1 u150 f1.5 s150 s-1 n")
	for _, c := range gridColumns {
		for _, a := range args {
			for _, op := range []string{"+", "-", "*", "/", "DIV", "%"} {
				statements = append(statements, fmt.Sprintf("SELECT %s %s ? FROM n WHERE id = 3 -- args %s", c.name, op, a), fmt.Sprintf("SELECT ? %s %s FROM n WHERE id = 3 -- args %s", op, c.name, a))
			}
			statements = append(statements, fmt.Sprintf("SELECT id, %[1]s < ?, %[1]s IN (?, 7) FROM n -- args %[2]s %[2]s", c.name, a))
			if c.name == "s" {
				continue
			}
			statements = append(statements, fmt.Sprintf("UPDATE n SET %[1]s = %[1]s - ? WHERE id = 3 -- args %[2]s", c.name, a), fmt.Sprintf("SELECT %s FROM n WHERE id = 3", c.name),
				fmt.Sprintf("UPDATE n SET %s = ? WHERE id = 3 -- args %s", c.name, a), fmt.Sprintf("SELECT %s FROM n WHERE id = 3", c.name), fmt.Sprintf("UPDATE n SET %s = 100 WHERE id = 3", c.name))
		}
	}
	return gridSchema(), statements
}

// literalGrid has literals alone, user variables, and columns of derived tables.
func literalGrid() (schema, statements []string) {
	for _, a := range gridLiterals {
		for _, b := range gridLiterals {
			statements = append(statements, fmt.Sprintf("SELECT %[1]s - %[2]s", a, b), fmt.Sprintf("SELECT %[1]s + %[2]s", a, b), fmt.Sprintf("SELECT %[1]s * %[2]s", a, b))
		}
		for _, t := range []string{"SIGNED", "DECIMAL(5,1)", "DECIMAL(20,0)", "DOUBLE"} {
			if t != "SIGNED" || !strings.HasPrefix(a, "9223372036854775808") && !strings.HasPrefix(a, "18446744073709551615") {
				statements = append(statements, fmt.Sprintf("SELECT CAST(%s AS %s)", a, t), fmt.Sprintf("SELECT 3 - CAST(%s AS %s)", a, t))
			}
		}
		if a != "1.5" {
			statements = append(statements, "SET @v = "+a, "SELECT @v, @v - 150, 5 - @v, -@v")
		}
		statements = append(statements, fmt.Sprintf("SELECT x - 150, 5 - x FROM (SELECT %s AS x) d", a), fmt.Sprintf("WITH c AS (SELECT %s AS x) SELECT 3 - x FROM c", a),
			fmt.Sprintf("SELECT - -%s, 7--%s", a, a), "UPDATE t SET n = n - ("+a+") WHERE k = 1", "SELECT * FROM v", "UPDATE t SET n = 100")
	}
	return []string{"CREATE TABLE t (k INT PRIMARY KEY, n BIGINT, m INT DEFAULT (100 - 150), c BIGINT AS (n - 150), CHECK (n - 150 > -100000000000000000))", "INSERT INTO t (k, n) VALUES (1, 100)",
		"CREATE VIEW v AS SELECT k, n AS w, n - 150 AS less, m, c FROM t"}, statements
}
