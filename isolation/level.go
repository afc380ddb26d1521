// Package isolation says which histories an isolation level allows.
//
// A level is an axiom on histories: Biswas and Enea, "On the complexity of
// checking transactional consistency", OOPSLA 2019; the form used here is that
// of Bouajjani, Enea, Román-Calvo, PLDI 2023, section 2.2. Let φ be the level's. A
// history satisfies the level when there is a strict total order co ⊇ so ∪ wr with
// this property. Take a read e of x, in t3 from t1, and another transaction t2 that
// writes x: then φ(t2, e) implies (t2, t1) ∈ co.
//
// A locking read has a second φ at every level, (t2, t3) ∈ co: it reads the latest
// version. With locking reads no level is causally extensible (docs/levels.md).
package isolation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Level is an isolation level. Levels are compared by [Level.Implies] only: they
// form an order, and need not form a chain. The zero Level is [True].
type Level uint8

const (
	// True allows every history with acyclic so ∪ wr.
	True Level = iota
	// RC is read committed.
	RC
	// RA is read atomic.
	RA
	// CC is causal consistency.
	CC
	// PC is prefix consistency.
	PC
	// SI is snapshot isolation.
	SI
	// SER is serializability.
	SER
	// PgRC is PostgreSQL's READ COMMITTED. The levels of databases are no axioms on
	// histories, but machines: see the package of the database.
	PgRC
	// PgRR is PostgreSQL's REPEATABLE READ.
	PgRR
	// PgSer is PostgreSQL's SERIALIZABLE.
	PgSer
	// InnoRC is InnoDB's READ COMMITTED, of MySQL and MariaDB.
	InnoRC
	// InnoRR is InnoDB's REPEATABLE READ.
	InnoRR
	// InnoRRSI is InnoDB's REPEATABLE READ in MariaDB with innodb_snapshot_isolation=ON.
	InnoRRSI
	// InnoSer is InnoDB's SERIALIZABLE.
	InnoSer
	// InnoRU is InnoDB's READ UNCOMMITTED. It is explored where it is asked for, and is not
	// among the levels of InnoDB that are explored together.
	InnoRU
	// RYW is read your writes. It and those below are levels of recorded histories: see recorded.go.
	RYW
	// MR is monotonic reads.
	MR
	// MW is monotonic writes.
	MW
	// WFR is writes follow reads.
	WFR
	// UA is update atomic.
	UA
	// PSI is parallel snapshot isolation.
	PSI
	// SSI is strong snapshot isolation: SI in real time.
	SSI
	// SSER is strict serializability: SER in real time.
	SSER
	// LIN is linearizability, of registers of which each operation uses one.
	LIN
)

// description is what is declared of a level. A level is added to the module by
// its constant and its description.
type description struct {
	name, title string
	others      []string // what people call it, in lower case and without hyphens
	implies     []Level  // the strongest other levels that it implies
	base        Level    // see Level.Base
	database    Database // see Level.Database
	alone       bool     // it is not among LevelsOf
	recorded    bool     // it is a level of recorded histories alone
}

// Database is a database whose own concurrency control is modelled.
type Database string

// The databases. An axiomatic level has none.
const (
	NoDatabase Database = ""
	PostgreSQL Database = "postgres"
	InnoDB     Database = "innodb" // MySQL and MariaDB
)

// DatabaseNamed is the database that users call so: postgres, mysql, mariadb; NoDatabase
// of other names.
func DatabaseNamed(name string) Database {
	switch name {
	case "postgres":
		return PostgreSQL
	case "mysql", "mariadb", "innodb":
		return InnoDB
	}
	return NoDatabase
}

// Title is the database's name.
func (d Database) Title() string {
	return map[Database]string{PostgreSQL: "PostgreSQL", InnoDB: "InnoDB"}[d]
}

// Default is the level that the database's transactions have when they ask for none;
// SI without a database.
func (d Database) Default() Level {
	return map[Database]Level{PostgreSQL: PgRC, InnoDB: InnoRR, NoDatabase: SI}[d]
}

var descriptions = [...]description{
	True: {name: "true", title: "any", base: True},
	RC:   {name: "rc", title: "read committed", implies: []Level{True}, base: RC},
	RA:   {name: "ra", title: "read atomic", others: []string{"atomic"}, implies: []Level{RC, RYW}, base: RA},
	CC:   {name: "cc", title: "causal consistency", others: []string{"causal"}, implies: []Level{RA, MR, MW, WFR}, base: CC},
	PC:   {name: "pc", title: "prefix consistency", others: []string{"prefix"}, implies: []Level{CC}, base: CC},
	SI:   {name: "si", title: "snapshot isolation", others: []string{"snapshot"}, implies: []Level{PC, PSI}, base: CC},
	SER:  {name: "ser", title: "serializability", others: []string{"serializable"}, implies: []Level{SI}, base: CC},

	PgRC:  {name: "pg-rc", title: "PostgreSQL READ COMMITTED", base: PgRC, database: PostgreSQL},
	PgRR:  {name: "pg-rr", title: "PostgreSQL REPEATABLE READ", base: PgRR, database: PostgreSQL},
	PgSer: {name: "pg-ser", title: "PostgreSQL SERIALIZABLE", base: PgSer, database: PostgreSQL},

	InnoRC:   {name: "innodb-rc", title: "InnoDB READ COMMITTED", base: InnoRC, database: InnoDB},
	InnoRR:   {name: "innodb-rr", title: "InnoDB REPEATABLE READ", base: InnoRR, database: InnoDB},
	InnoRRSI: {name: "innodb-rr-si", title: "InnoDB REPEATABLE READ with innodb_snapshot_isolation", base: InnoRRSI, database: InnoDB},
	InnoSer:  {name: "innodb-ser", title: "InnoDB SERIALIZABLE", base: InnoSer, database: InnoDB},
	InnoRU:   {name: "innodb-ru", title: "InnoDB READ UNCOMMITTED", base: InnoRU, database: InnoDB, alone: true},

	RYW:  {name: "ryw", title: "read your writes", implies: []Level{True}, recorded: true},
	MR:   {name: "mr", title: "monotonic reads", implies: []Level{RC}, recorded: true},
	MW:   {name: "mw", title: "monotonic writes", implies: []Level{True}, recorded: true},
	WFR:  {name: "wfr", title: "writes follow reads", implies: []Level{True}, recorded: true},
	UA:   {name: "ua", title: "update atomic", implies: []Level{RA}, recorded: true},
	PSI:  {name: "psi", title: "parallel snapshot isolation", implies: []Level{CC, UA}, recorded: true},
	SSI:  {name: "ssi", title: "strong snapshot isolation", others: []string{"strong si"}, implies: []Level{SI}, recorded: true},
	SSER: {name: "sser", title: "strict serializability", others: []string{"strict", "strict serializable", "strong serializability"}, implies: []Level{SER, SSI}, recorded: true},
	LIN:  {name: "lin", title: "linearizability", others: []string{"linearizable"}, implies: []Level{True}, recorded: true},
}

// String returns the level's short name: rc, ra, cc, pc, si, ser, or true.
func (l Level) String() string { return descriptions[l].name }

// Title returns the level's full name, in lower case; of a database's level, the
// database's words.
func (l Level) Title() string { return descriptions[l].title }

// Database returns the database that has the level; NoDatabase of an axiomatic
// level. Levels of databases are not compared with others.
func (l Level) Database() Database { return descriptions[l].database }

// LevelsOf are the levels of a database that are explored together, weakest first.
func LevelsOf(d Database) (list []Level) {
	for l := range descriptions {
		if Level(l) != True && descriptions[l].database == d && !descriptions[l].alone && !descriptions[l].recorded {
			list = append(list, Level(l))
		}
	}
	return list
}

// Implies reports whether every history that l allows is allowed by m too. A
// level implies itself.
func (l Level) Implies(m Level) bool {
	return l == m || slices.ContainsFunc(descriptions[l].implies, func(k Level) bool { return k.Implies(m) })
}

// depth is the length of the longest chain of levels that l implies.
func (l Level) depth() int {
	n := 0
	for _, m := range descriptions[l].implies {
		n = max(n, 1+m.depth())
	}
	return n
}

// WeakestFirst sorts levels such that each comes after those that it implies.
func WeakestFirst(list []Level) {
	slices.SortFunc(list, func(l, m Level) int { return cmp.Or(cmp.Compare(l.depth(), m.depth()), cmp.Compare(l, m)) })
}

// CausallyExtensible reports whether the level is causally extensible (PLDI 2023,
// section 3.2): a history with one pending transaction can be extended by that
// transaction's next event and still satisfies the level; a read may read from the
// causal past. Explore-ce needs that.
func (l Level) CausallyExtensible() bool { return l.Base() == l }

// Base returns the strongest causally extensible level that l implies: the level
// that explore-ce* keeps to when l is asked for.
func (l Level) Base() Level { return descriptions[l].base }

// Levels are the axiomatic levels a user can ask for, weakest first.
func Levels() []Level { return LevelsOf(NoDatabase) }

// MarshalText returns the level's short name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText is the inverse of MarshalText. It takes all that [Parse] takes.
func (l *Level) UnmarshalText(text []byte) (err error) {
	*l, err = Parse(string(text))
	return err
}

// UnknownLevelError says that no level has that name.
type UnknownLevelError struct {
	Name string
	All  bool // a list of levels was asked for, which may be "all"
}

// Error lists the names that there are.
func (e *UnknownLevelError) Error() string {
	or := ""
	if e.All {
		or = ", or all"
	}
	return fmt.Sprintf("unknown isolation level %q: the levels are rc, ra, cc, pc, si and ser%s", e.Name, or)
}

// AmbiguousLevelError says that databases mean different levels by a name.
type AmbiguousLevelError struct {
	Name      string
	Axiomatic bool // an axiomatic level was asked for
}

// Error asks which database is meant.
func (e *AmbiguousLevelError) Error() string {
	if e.Axiomatic {
		return fmt.Sprintf("%q: which database is meant? PostgreSQL's is snapshot isolation, si; InnoDB's (MySQL, MariaDB) is none of the levels here exactly, and pc tells most about it", e.Name)
	}
	return fmt.Sprintf("%q: which database is meant? PostgreSQL's is snapshot isolation (si), and pg-rr has its errors; InnoDB's (MySQL, MariaDB) is weaker than that: innodb-rr", e.Name)
}

// DatabaseLevelError says that a database's level was given where axiomatic levels
// are asked for.
type DatabaseLevelError struct{ Level Level }

// Error lists the axiomatic levels.
func (e *DatabaseLevelError) Error() string {
	return fmt.Sprintf("%v is the level of a database, %s: here the levels are rc, ra, cc, pc, si and ser", e.Level, e.Level.Title())
}

// repeatableRead is the level that databases mean differently.
const repeatableRead = "repeatable read"

// spoken is a name as it is compared: in lower case, without hyphens.
func spoken(name string) string {
	return strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(name))
}

// Parse returns the level of that name, in any case: a short name, a title, or
// what people say, such as "snapshot" and "serializable".
func Parse(name string) (Level, error) {
	said := spoken(name)
	for l := range descriptions {
		d := &descriptions[l]
		if !d.recorded && d.named(Level(l), said) {
			return Level(l), nil
		}
	}
	if said == repeatableRead || said == "rr" {
		return 0, &AmbiguousLevelError{Name: name}
	}
	return 0, &UnknownLevelError{Name: name}
}

// named reports whether the level has that name, as spoken makes it.
func (d *description) named(l Level, said string) bool {
	return said == spoken(d.name) || said == spoken(d.title) && l != True || slices.Contains(d.others, said)
}

// ParseAt returns the level of that name in a database. The name is the database's
// words, such as "repeatable read", or the end of a short name, or a name that [Parse]
// takes. Without a database it is Parse.
func ParseAt(d Database, name string) (Level, error) {
	said := spoken(name)
	for _, l := range LevelsOf(d) {
		_, title, _ := strings.Cut(spoken(l.Title()), " ")
		_, short, _ := strings.Cut(spoken(l.String()), " ")
		if d != NoDatabase && (said == title || said == short) {
			return l, nil
		}
	}
	return Parse(name)
}

// ParseWords returns the levels of a database that a comma-separated list names by the
// database's own words alone, such as "repeatable read". They come in the order given,
// without repetition. There are none where another name is in the list, such as "si" or
// "pg-rr".
func ParseWords(d Database, list string) (levels []Level) {
	for name := range strings.SplitSeq(list, ",") {
		l, ok := word(d, strings.TrimSpace(name))
		if !ok {
			return nil
		}
		if !slices.Contains(levels, l) {
			levels = append(levels, l)
		}
	}
	return levels
}

// word is the level that a database's words name.
func word(d Database, name string) (Level, bool) {
	said := spoken(name)
	if said == "rr" {
		said = repeatableRead
	}
	for _, l := range LevelsOf(d) {
		if _, title, _ := strings.Cut(spoken(l.Title()), " "); d != NoDatabase && said == title {
			return l, true
		}
	}
	return True, false
}

// ParseList returns the levels of a comma-separated list, in the order given
// and without repetition; "all" stands for all six.
func ParseList(list string) ([]Level, error) {
	levels, err := ParseListAt(NoDatabase, list)
	if ambiguous, ok := err.(*AmbiguousLevelError); ok {
		ambiguous.Axiomatic = true
	}
	for _, l := range levels {
		if l.Database() != NoDatabase {
			return nil, &DatabaseLevelError{Level: l}
		}
	}
	return levels, err
}

// ParseListAt is ParseList with names as [ParseAt] takes them; "all" stands for all
// levels of the database.
func ParseListAt(d Database, list string) ([]Level, error) {
	var levels []Level
	add := func(l Level) {
		if !slices.Contains(levels, l) {
			levels = append(levels, l)
		}
	}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if strings.EqualFold(name, "all") {
			for _, l := range LevelsOf(d) {
				add(l)
			}
			continue
		}
		l, err := ParseAt(d, name)
		switch _, unknown := err.(*UnknownLevelError); {
		case unknown, err == nil && l == True:
			return nil, &UnknownLevelError{Name: name, All: true}
		case err != nil:
			return nil, err
		}
		add(l)
	}
	return levels, nil
}
