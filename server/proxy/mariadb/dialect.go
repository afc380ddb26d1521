package mariadb

import (
	"regexp"
	"strings"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/innodb/mariadb"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/server/proxy"
	"github.com/txmc/txmc/server/proxy/packet"
)

// dialect is what the proxy knows of MariaDB's language.
var dialect = proxy.Dialect{
	Naming:   proxy.Naming{Of: isolation.InnoDB, Title: "MariaDB", Name: "mysql", Package: "mysql", Code: "error"},
	Levels:   map[isolation.Level]isolation.Level{isolation.RC: isolation.InnoRC, isolation.SI: isolation.InnoRRSI, isolation.SER: isolation.InnoSer},
	NoLevel:  "explore with --db=mysql, or at rc, si or ser, for which it has READ COMMITTED, REPEATABLE READ with innodb_snapshot_isolation, and SERIALIZABLE",
	Language: proxy.Language{Words: packet.Words, Kind: kindOf, Writes: writes, Locking: locking, Weaker: weaker, Known: known},
	Troubles: troubles, Unnamed: true, KeepsBlanks: true,
}

// levels are the statements that set the levels, by their names.
var levels = map[string][]string{
	isolation.InnoRC.String(): mariadb.SetLevel(statement.ReadCommitted), isolation.InnoRR.String(): mariadb.SetLevel(statement.RepeatableRead),
	isolation.InnoRRSI.String(): mariadb.SetLevel(statement.SnapshotReads), isolation.InnoSer.String(): mariadb.SetLevel(statement.Serializable),
	isolation.InnoRU.String(): mariadb.SetLevel(statement.ReadUncommitted),
}

// known are the first words of statements that change no definitions.
var known = proxy.WordSet("select insert update delete replace with values table begin start commit rollback savepoint release set show " +
	"prepare execute deallocate lock unlock explain describe desc use do handler xa")

var (
	// plainSet sets what means nothing to others, by constants.
	plainSet = regexp.MustCompile(`(?i)^set\s+(?:(?:session\s+|local\s+)?transaction\s|names\s|character\s+set\s|(?:session\s+|local\s+|@@session\.|@@local\.|@@)?\w+\s*:?=\s*(?:'[^']*'|"[^"]*"|[\w.+-]+)\s*;?\s*$)`)
	// apart are settings that end a transaction, or that statements depend on.
	apart = regexp.MustCompile(`(?i)\b(autocommit|global|persist|innodb_lock_wait_timeout)\b`)
	// changing begins a statement that writes rows.
	changing = regexp.MustCompile(`(?i)^(insert|replace|update|delete)\b`)
	// inserted is what stands before the columns of an INSERT.
	inserted = regexp.MustCompile("(?i)^\\s*(insert|replace)\\s+(?:(?:low_priority|delayed|high_priority|ignore)\\s+)*(?:into\\s+)?[\\w.`]+\\s*\\(")
	// passing is what does not wait for others.
	passing = regexp.MustCompile(`(?i)\b(nowait|locked|wait)\b`)
	// locking is a locking clause, INTO, or a variable that gets a value.
	locking = regexp.MustCompile(`(?i)\bfor\s+(update|share)\b|\block\s+in\b|\binto\b|:=`)
	// weaker is a level at which reads are of what is committed, after what sets it.
	weaker = regexp.MustCompile(`(?i)(isolation(\s+level|\s*=)?[\s'"]*|level\x00)(read[ -]committed|repeatable[ -]read|innodb-rc|innodb-rr-si|innodb-rr)`)
)

// kindOf is the kind of what is sent.
func kindOf(q *access.Sent) proxy.Kind {
	if q.Prepares {
		return proxy.Prepares
	}
	text := proxy.Single(q)
	if text == "" && len(q.Texts) > 0 && strings.Trim(q.Texts[0], "; \t\r\n") != "" {
		return proxy.Runs
	}
	words := strings.Fields(strings.ToLower(strings.TrimRight(text, "; \t\r\n")))
	if len(words) == 0 {
		return proxy.Means
	}
	has := func(list ...string) bool {
		for _, word := range list {
			for _, w := range words[1:] {
				if w == word {
					return true
				}
			}
		}
		return false
	}
	switch words[0] {
	case "begin", "start":
		if has("snapshot", "only", "write", "slave", "replica") {
			return proxy.Runs
		}
		return proxy.Means
	case "deallocate", "show":
		return proxy.Means
	case "set":
		if plainSet.MatchString(text) && !apart.MatchString(text) {
			return proxy.Means
		}
	case "savepoint", "release":
		return proxy.Saves
	case "commit":
		return proxy.Commits
	case "rollback":
		if !has("to") {
			return proxy.RollsBack
		}
	}
	return proxy.Runs
}

// everyTable stands for the tables of a statement that writes. Which tables it reads and
// writes is not looked at: so two such statements never commute.
const everyTable = "*"

// writes is everyTable for a statement that writes rows and does nothing else.
func writes(q *access.Sent) (table string, adds bool) {
	text := proxy.Single(q)
	if !changing.MatchString(text) || passing.MatchString(text) || proxy.Calls(inserted.ReplaceAllString(text, "")) {
		return "", false
	}
	return everyTable, true
}

// troubles are the errors that end a run (MariaDB documentation, "MariaDB Error Codes"), and
// what to do.
var troubles = []proxy.Trouble{
	{Code: "1021", What: "the disk of the server is full: make room there"},
	{Code: "1114", What: "the disk of the server is full, or the table may not grow: make room there"},
	{Code: "1030", What: "the server met an error of its storage"},
	{Code: "1026", What: "the server met an error of its storage"},
	{Code: "1037", What: "the server lacks memory: give it more"},
	{Code: "1038", What: "the server lacks memory: give it more"},
	{Code: "1041", What: "the server lacks memory: give it more"},
	{Code: "1040", What: "the server takes no more connections: raise max_connections"},
	{Code: "1053", What: "the server ends: start it again"},
	{Code: "1317", What: "the statement was ended from outside"},
	{Code: "1927", What: "the connection was ended from outside"},
	{Code: "1969", What: "the statement was ended by a timeout: set no max_statement_time", Timed: true},
	{Code: "3024", What: "the statement was ended by a timeout: set no max_execution_time", Timed: true},
}
