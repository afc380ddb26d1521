package statement

import (
	"fmt"
	"strings"
)

// SQL is the statement as its server reads it; local is the client's $local.
func (s Statement) SQL(db string, local int) string {
	lock := lockClause(db, s.Lock) + waitClause(s.Wait)
	switch s.Op {
	case Get:
		return fmt.Sprintf("SELECT id, v FROM t WHERE id = %d%s", s.ID, lock)
	case Scan:
		return "SELECT id, v FROM t" + where(s.D) + lock
	case Agg:
		return "SELECT count(*), coalesce(sum(v), 0) FROM t" + where(s.D)
	case UpdKey:
		return fmt.Sprintf("UPDATE t SET v = v + %d WHERE id = %d", s.C, s.ID)
	case UpdLocal:
		return fmt.Sprintf("UPDATE t SET v = %d WHERE id = %d", local+s.C, s.ID)
	case UpdPred:
		return fmt.Sprintf("UPDATE t SET v = v + %d%s", s.C, where(s.D))
	case UpdU:
		return fmt.Sprintf("UPDATE t SET u = %s WHERE id = %d", Null(s.U), s.ID)
	case UpdID:
		return fmt.Sprintf("UPDATE t SET id = %d WHERE id = %d", s.C, s.ID)
	case Insert:
		return s.insertSQL(db)
	case DelKey:
		return fmt.Sprintf("DELETE FROM t WHERE id = %d", s.ID)
	case DelPred:
		return "DELETE FROM t" + where(s.D)
	case Child:
		return fmt.Sprintf("INSERT INTO c (id, tid) VALUES (%d, %d)", s.C, s.ID)
	case DelChild:
		return fmt.Sprintf("DELETE FROM c WHERE id = %d", s.C)
	case UpdChild:
		return fmt.Sprintf("UPDATE c SET tid = %d WHERE id = %d", s.ID, s.C)
	case Save:
		return "SAVEPOINT s"
	case BackTo:
		return "ROLLBACK TO s"
	case Range:
		return "SELECT id, v FROM t" + s.between() + s.order() + lock
	case UpdRange:
		return fmt.Sprintf("UPDATE t%s SET v = v + %d%s", s.force(), s.C, strings.TrimPrefix(s.between(), s.force()))
	case Quit:
		return fmt.Sprintf("-- if $local < %d: ROLLBACK", s.C)
	}
	return "-- unknown statement " + string(s.Op)
}

func (s Statement) insertSQL(db string) string {
	into := fmt.Sprintf("INTO t (id, v, u) VALUES (%d, %d, %s)", s.ID, s.C, Null(s.U))
	maria := db == MariaDB
	switch {
	case s.Conflict == DoNothing && maria:
		return "INSERT IGNORE " + into
	case s.Conflict == DoUpdate && maria:
		return fmt.Sprintf("INSERT %s ON DUPLICATE KEY UPDATE v = v + %d", into, s.C)
	case s.Conflict == DoNothing:
		return "INSERT " + into + " ON CONFLICT DO NOTHING"
	case s.Conflict == DoNothingID:
		return "INSERT " + into + " ON CONFLICT (id) DO NOTHING"
	case s.Conflict == DoUpdate:
		return fmt.Sprintf("INSERT %s ON CONFLICT (id) DO UPDATE SET v = t.v + %d", into, s.C)
	}
	return "INSERT " + into
}

// SQL is the action as the server reads it, without BEGIN.
func (a Action) SQL(p *Program, session int) string {
	switch a.Kind {
	case Commit:
		return "COMMIT"
	case Rollback:
		return "ROLLBACK"
	case Run:
		return p.Sessions[session][a.Txn].Stmts[a.Stmt].SQL(p.DB, a.Local)
	}
	return ""
}

func where(d int) string {
	if d == All {
		return ""
	}
	return fmt.Sprintf(" WHERE v >= %d", d)
}

// force makes the server use the index of the column By.
func (s Statement) force() string {
	if s.By == "id" {
		return " FORCE INDEX (PRIMARY)"
	}
	return " FORCE INDEX (" + s.By + ")"
}

// between is the range of a statement, with its index.
func (s Statement) between() string {
	switch {
	case s.D == s.E:
		return fmt.Sprintf("%s WHERE %s = %d", s.force(), s.By, s.D)
	case s.D == All:
		return fmt.Sprintf("%s WHERE %s <= %d", s.force(), s.By, s.E)
	case s.E == All:
		return fmt.Sprintf("%s WHERE %s >= %d", s.force(), s.By, s.D)
	}
	return fmt.Sprintf("%s WHERE %s BETWEEN %d AND %d", s.force(), s.By, s.D, s.E)
}

// order is the order and the limit of a range.
func (s Statement) order() string {
	order := ""
	if s.Desc || s.Limit > 0 {
		order = " ORDER BY " + s.By
	}
	if s.Desc {
		order += " DESC"
	}
	if s.Limit > 0 {
		order += fmt.Sprintf(" LIMIT %d", s.Limit)
	}
	return order
}

// Null renders a nullable value, in which 0 is null.
func Null(u int) string {
	if u == 0 {
		return "NULL"
	}
	return fmt.Sprint(u)
}

func lockClause(db, lock string) string {
	switch {
	case lock == ForShare && db == MariaDB:
		return " LOCK IN SHARE MODE"
	case lock == ForUpdate:
		return " FOR UPDATE"
	case lock == ForShare:
		return " FOR SHARE"
	case lock == ForNoKeyUpdate:
		return " FOR NO KEY UPDATE"
	case lock == ForKeyShare:
		return " FOR KEY SHARE"
	}
	return ""
}

func waitClause(wait string) string {
	switch wait {
	case NoWait:
		return " NOWAIT"
	case SkipLocked:
		return " SKIP LOCKED"
	}
	return ""
}

// Text renders the program for people.
func (p *Program) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- %s %s seed %d; t:", p.DB, p.Level, p.Seed)
	for _, r := range p.Rows {
		fmt.Fprintf(&b, " (%d,%d,%s)", r.ID, r.V, Null(r.U))
	}
	if p.HasChild {
		b.WriteString("; c:")
		for _, r := range p.Children {
			fmt.Fprintf(&b, " (%d,%d)", r.ID, r.Tid)
		}
	}
	b.WriteString("\n")
	for i, s := range p.Sessions {
		for j := range s {
			fmt.Fprintf(&b, "s%d.%d:%s\n", i, j, s[j].text(p.DB))
		}
	}
	return b.String()
}

func (t *Transaction) text(db string) string {
	var b strings.Builder
	if !t.Auto {
		b.WriteString(" BEGIN")
		if t.Level != "" {
			b.WriteString(" " + t.Level)
		}
		if t.ReadOnly {
			b.WriteString(" READ ONLY")
		}
		if t.Deferrable {
			b.WriteString(" DEFERRABLE")
		}
		b.WriteString(";")
	}
	for _, s := range t.Stmts {
		sql := s.SQL(db, 0)
		if s.Op == UpdLocal {
			sql = fmt.Sprintf("UPDATE t SET v = $local + %d WHERE id = %d", s.C, s.ID)
		}
		b.WriteString(" " + sql + ";")
	}
	switch {
	case t.Auto && t.Level != "":
		b.WriteString(" -- at " + t.Level)
	case !t.Auto && t.Rollback:
		b.WriteString(" ROLLBACK")
	case !t.Auto:
		b.WriteString(" COMMIT")
	}
	if t.GoOn {
		b.WriteString(" -- goes on after errors")
	}
	return b.String()
}
