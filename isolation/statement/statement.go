// Package statement describes small programs of SQL transactions over the
// integer tables t(id primary key, v not null, u unique) and
// c(id primary key, tid references t). The models of the databases and the
// runners of real servers execute the same programs, and their outcomes are
// compared as text.
package statement

// Op names a form of statement.
type Op string

// The forms. In the comments, [lock] is a locking clause with its wait policy.
const (
	Get      Op = "get"      // SELECT id, v FROM t WHERE id = ID [lock]
	Scan     Op = "scan"     // SELECT id, v FROM t WHERE v >= D [lock]
	Agg      Op = "agg"      // SELECT count(*), sum(v) FROM t WHERE v >= D
	UpdKey   Op = "updkey"   // UPDATE t SET v = v + C WHERE id = ID
	UpdLocal Op = "updlocal" // UPDATE t SET v = $local + C WHERE id = ID
	UpdPred  Op = "updpred"  // UPDATE t SET v = v + C WHERE v >= D
	UpdU     Op = "updu"     // UPDATE t SET u = U WHERE id = ID
	Insert   Op = "insert"   // INSERT INTO t VALUES (ID, C, U) [on conflict]
	DelKey   Op = "delkey"   // DELETE FROM t WHERE id = ID
	DelPred  Op = "delpred"  // DELETE FROM t WHERE v >= D
	Child    Op = "child"    // INSERT INTO c VALUES (C, ID)
	DelChild Op = "delchild" // DELETE FROM c WHERE id = C
	UpdChild Op = "updchild" // UPDATE c SET tid = ID WHERE id = C
	Save     Op = "save"     // SAVEPOINT s
	BackTo   Op = "backto"   // ROLLBACK TO s
	Quit     Op = "quit"     // nothing is sent; if $local < C the client rolls back
	UpdID    Op = "updid"    // MariaDB: UPDATE t SET id = C WHERE id = ID
	// On MariaDB, by the index of the column By, with D <= By <= E:
	Range    Op = "range"    // SELECT id, v FROM t WHERE … [lock]
	UpdRange Op = "updrange" // UPDATE t SET v = v + C WHERE …
)

// All as a bound D means that the statement has no WHERE clause. As a bound of a range
// it means that the range has no such end.
const All = -1000

// The locking clauses of SELECT. An empty string is a plain SELECT.
const (
	ForUpdate      = "update"
	ForShare       = "share"
	ForNoKeyUpdate = "nokeyupdate"
	ForKeyShare    = "keyshare"
)

// The wait policies of a locking clause. An empty string waits.
const (
	NoWait     = "nowait"
	SkipLocked = "skip"
)

// The conflict clauses of INSERT. An empty string has none.
const (
	DoNothing   = "nothing"    // ON CONFLICT DO NOTHING; INSERT IGNORE
	DoNothingID = "nothing-id" // ON CONFLICT (id) DO NOTHING
	DoUpdate    = "update"     // ON CONFLICT (id) DO UPDATE SET v = t.v + C; ON DUPLICATE KEY UPDATE
)

// Statement is one statement of a program. Which fields matter depends on Op.
type Statement struct {
	Op       Op     `json:"op"`
	ID       int    `json:"id,omitempty"`
	C        int    `json:"c,omitempty"`
	D        int    `json:"d,omitempty"`
	U        int    `json:"u,omitempty"`  // 0 is null
	By       string `json:"by,omitempty"` // id, v or u
	E        int    `json:"e,omitempty"`
	Desc     bool   `json:"desc,omitempty"`  // Range: ORDER BY By DESC
	Limit    int    `json:"limit,omitempty"` // Range: at most so many rows; 0: all
	Lock     string `json:"lock,omitempty"`
	Wait     string `json:"wait,omitempty"`
	Conflict string `json:"conflict,omitempty"`
}

// ByKey reports whether the statement finds rows by the primary key of its
// table, and the key.
func (s Statement) ByKey() (key int, by bool) {
	switch s.Op {
	case Get, UpdKey, UpdLocal, UpdU, UpdID, DelKey:
		return s.ID, true
	case DelChild, UpdChild:
		return s.C, true
	}
	return 0, false
}

// Matches reports whether the WHERE clause accepts a row with this key and
// value.
func (s Statement) Matches(id, v int) bool {
	if key, by := s.ByKey(); by {
		return id == key
	}
	return s.D == All || v >= s.D
}

// Writes reports whether the statement writes or locks rows, so that a READ ONLY
// transaction of PostgreSQL may not send it.
func (s Statement) Writes() bool {
	switch s.Op {
	case Get, Scan, Range:
		return s.Lock != ""
	case Agg, Save, BackTo, Quit:
		return false
	}
	return true
}

// Transaction is one transaction of a session.
type Transaction struct {
	// Auto means one statement in autocommit: neither BEGIN nor COMMIT is sent.
	Auto     bool `json:"auto,omitempty"`
	ReadOnly bool `json:"readonly,omitempty"`
	// Deferrable counts for a transaction that is SERIALIZABLE and READ ONLY, on PostgreSQL.
	Deferrable bool        `json:"deferrable,omitempty"`
	Level      string      `json:"level,omitempty"` // empty: the program's level
	Stmts      []Statement `json:"stmts"`
	Rollback   bool        `json:"rollback,omitempty"` // it ends with ROLLBACK
	// GoOn means that the client sends the next statement after an error.
	// Without it the client sends ROLLBACK.
	GoOn bool `json:"goon,omitempty"`
}

// Row is a row of t. A U of 0 is null.
type Row struct {
	ID int `json:"id"`
	V  int `json:"v"`
	U  int `json:"u,omitempty"`
}

// ChildRow is a row of c.
type ChildRow struct {
	ID  int `json:"id"`
	Tid int `json:"tid"`
}

// The values of Program.DB.
const (
	PostgreSQL = "pg"
	MariaDB    = "maria"
)

// The isolation levels of programs and transactions.
const (
	ReadUncommitted = "ru" // MySQL and MariaDB
	ReadCommitted   = "rc"
	RepeatableRead  = "rr"
	SnapshotReads   = "rr-si" // MariaDB: REPEATABLE READ with innodb_snapshot_isolation
	Serializable    = "ser"
)

// Program is the tables' initial rows and the transactions of each session.
type Program struct {
	Seed     int64           `json:"seed"`
	DB       string          `json:"db"`
	Level    string          `json:"level"`
	Rows     []Row           `json:"rows"`
	IndexV   bool            `json:"indexv,omitempty"` // MariaDB: v has an index
	HasChild bool            `json:"haschild,omitempty"`
	Children []ChildRow      `json:"children,omitempty"`
	Sessions [][]Transaction `json:"sessions"`
}

// LevelOf is the level of a transaction of the program.
func (p *Program) LevelOf(t *Transaction) string {
	if t.Level != "" {
		return t.Level
	}
	return p.Level
}

// Interleavings counts the schedules in which no statement blocks or fails.
// Counts above 1<<40 are given as 1<<40.
func (p *Program) Interleavings() int {
	total, placed := 1, 0
	for _, s := range p.Sessions {
		for k := 1; k <= steps(s); k++ {
			placed++
			total = total * placed / k
			if total > 1<<40 {
				return 1 << 40
			}
		}
	}
	return total
}

func steps(s []Transaction) int {
	n := 0
	for _, t := range s {
		for _, st := range t.Stmts {
			if st.Op != Quit {
				n++
			}
		}
		if !t.Auto {
			n++
		}
	}
	return n
}
