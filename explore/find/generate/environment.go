package generate

import (
	"fmt"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Variables of the environment from which the application takes the address of its database. Each session has its own, whenever
// it goes on.

// ofDatabase matches the names of those that may say where the database is.
var ofDatabase = regexp.MustCompile(`(?i)(?:^|_)(?:DB|DATABASE|PG|POSTGRES|POSTGRESQL|PSQL|MYSQL|MARIADB|SQL|DSN)(?:_|$)|^PG(?:HOST|PORT|USER|PASSWORD|DATABASE|SSLMODE)$|_(?:DB|DSN)(?:_|$)`)

// numbers matches those that are numbers.
var numbers = regexp.MustCompile(`(?i)(?:^|_)(?:MAX|MIN|POOL|IDLE|OPEN|SIZE|CONNS|RETRIES)(?:_|$)`)

// wholeAddress matches those that are the whole address, besides what their words tell.
var wholeAddress = regexp.MustCompile(`(?i)(?:^|_)(?:DSN|URL|URI|SOURCE|CONN|CONNECTION|CONNSTR|STRING)$`)

// environment sets these variables; "" where there are none.
func (f *File) environment() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(f.Environment)) {
		if !ofDatabase.MatchString(name) {
			continue
		}
		text, ok := f.textFor(name, maker(f.Makers))
		switch {
		case numbers.MatchString(name):
			text, ok = `"10"`, true
		case wholeAddress.MatchString(name):
			text, ok = "db.DSN(s)", true
		}
		if ok {
			list = append(list, fmt.Sprintf("%q: %s", name, text))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("\t\ts.Environment(map[string]string{%s})\n", strings.Join(list, ", "))
}

// maker is the package of the first of some functions, whose driver the application has; nil without one.
func maker(list []*types.Func) *types.Package {
	if len(list) == 0 {
		return nil
	}
	return list[0].Pkg()
}
