package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/access"
)

// TestDatabaseVersion: --db takes the versions that the database inside can answer as, and no others.
func TestDatabaseVersion(t *testing.T) {
	t.Parallel()
	understood := func(name, db string) (*explore.Options, error) {
		var c cli
		parser, err := kong.New(&c, kong.Name("txmc"), helpVars(), kong.Writers(&strings.Builder{}, &strings.Builder{}))
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parse(parser, []string{name, "--db=" + db})
		if err != nil {
			return nil, err
		}
		err = parsed.Selected().Target.Addr().Interface().(command).check()
		return map[string]*explore.Options{"explore": &c.Explore.Options.Options, "levels": &c.Levels.Options.Options, "advise": &c.Advise.Options.Options}[name], err
	}
	for _, name := range []string{"explore", "levels", "advise"} {
		for v := engine.Oldest - 1; v <= engine.Newest+1; v++ {
			o, err := understood(name, fmt.Sprint("postgres:", v))
			switch known := v >= engine.Oldest && v <= engine.Newest; {
			case known != (err == nil):
				t.Errorf("%s of version %d: %v", name, v, err)
			case known && (o.DatabaseVersion != v || o.Levels[0].Database() != isolation.PostgreSQL):
				t.Errorf("%s of version %d: %d at %v", name, v, o.DatabaseVersion, o.Levels)
			}
		}
		if o, err := understood(name, "postgres"); err != nil || o.DatabaseVersion != 0 {
			t.Errorf("%s: %v %v", name, o, err)
		}
		for db, want := range map[string]access.Product{"mysql": access.MySQL84, "mysql:8.4": access.MySQL84, "mariadb": access.MariaDB118, "mariadb:11.8": access.MariaDB118, "mariadb:10.11": access.MariaDB1011} {
			if o, err := understood(name, db); err != nil || o.DatabaseVersion != int(want) || o.Levels[0].Database() != isolation.InnoDB {
				t.Errorf("%s: %s is %v, %v", name, db, o, err)
			}
		}
		for _, db := range []string{"mysql:8", "mysql:10.11", "mariadb:8.4", "postgres:8.4"} {
			if _, err := understood(name, db); err == nil {
				t.Errorf("%s knows %s", name, db)
			}
		}
	}
}
