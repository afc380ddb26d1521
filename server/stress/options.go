// Package stress runs workloads with many clients on a real database server and records what
// they see as a history, for txmc check to decide whether the server keeps the promise of
// its isolation level.
package stress

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/txmc/txmc/history/workload"
	"github.com/txmc/txmc/server/database"
	"github.com/txmc/txmc/server/scratch"
)

// Options say what is run. The command has them as flags.
type Options struct {
	DSN        string `name:"dsn" required:"" placeholder:"DSN" help:"The database: postgres:temp or mariadb:temp start a throw-away server from this machine's programs, with settings as in postgres:temp?fsync=on; or an address such as postgres://user@host/txmc_db or mysql://user:password@host/txmc_db."`
	YesScratch string `placeholder:"NAME" help:"The database of that name may be used although its name does not begin with txmc_. Only tables whose names begin with txmc_stress_ are touched."`
	Begin      string `placeholder:"LEVEL" help:"The level at which transactions begin: read uncommitted, read committed, repeatable read or serializable; the server's default without it."`

	Workload     string        `default:"rw" placeholder:"NAME" help:"rh, rw or wh: registers with unique values, 95, 50 or 30 percent reads; lists: appends; bank: transfers and audits; skew: pairs of which each transaction reads both and writes one; predicates: inserts, updates, deletes, and counts, sums, ranges and joins; inserts: only inserts and counts; or a file with SQL of your own. ${default} by default."`
	Sessions     int           `default:"10" placeholder:"N" help:"Clients, each with a connection; ${default} by default."`
	Txns         int           `default:"200" placeholder:"N" help:"Transactions of each session that commit; ${default} by default."`
	Ops          int           `default:"6" placeholder:"N" help:"Operations of a transaction; ${default} by default."`
	Keys         int           `default:"100" placeholder:"N" help:"Rows that are there at a time; ${default} by default."`
	Distribution string        `default:"uniform" placeholder:"NAME" help:"How often keys are used: uniform, zipfian, or hotspot, 80 percent of the operations on 20 percent of the keys; ${default} by default."`
	Time         time.Duration `placeholder:"D" help:"Stop after this long, as in 30s, however many transactions there are."`
	Seed         uint64        `default:"1" placeholder:"N" help:"What the clients ask for; what they get depends on the server. ${default} by default."`

	Certificate bool          `help:"Record what the server knows besides: from its log the order in which rows were written, and what each predicate saw, by a second transaction on the same snapshot. PostgreSQL with wal_level=logical only."`
	Serial      bool          `help:"Record the order in which the server says that transactions happened, by the timestamps of their commits, and decide whether the history is what comes of that order: CockroachDB and YugabyteDB with --iso=ser, and TiDB with --iso=si."`
	Faults      []string      `placeholder:"WHAT" help:"What goes wrong meanwhile, several with commas: cut, connections that break in the middle of a COMMIT; of a throw-away server kill, stop, which is SIGSTOP for a second, and restore, which goes back to an older copy of its files as after the crash of a machine that has lied about its disk."`
	FaultEvery  time.Duration `default:"2s" placeholder:"D" help:"How often something goes wrong; ${default} by default."`

	Order string `kong:"-"` // with Serial: the level that the order is to be one of, ser or si

	level        string
	distribution workload.Distribution
	work         workloads
	onFault      func() bool // for tests: whether there are to be more; may be nil
}

// Levels are the names of isolation levels in SQL.
var levels = []string{"READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"}

// orders are the levels that the timestamps of databases are of.
var orders = map[database.Product]string{database.Cockroach: "ser", database.TiDB: "si", database.Yugabyte: "ser"}

// Faults.
const (
	faultCut     = "cut"
	faultKill    = "kill"
	faultStop    = "stop"
	faultRestore = "restore"
)

// Check says what is wrong with the options.
func (o *Options) Check() (err error) {
	if err := o.checkNumbers(); err != nil {
		return err
	}
	if o.Begin != "" {
		o.level = strings.ToUpper(strings.Join(strings.Fields(strings.NewReplacer("-", " ", "_", " ").Replace(o.Begin)), " "))
		if !slices.Contains(levels, o.level) {
			return fmt.Errorf("--begin=%q is no isolation level of SQL: they are %s", o.Begin, strings.ToLower(strings.Join(levels, ", ")))
		}
	}
	if o.distribution, err = workload.ParseDistribution(o.Distribution); err != nil {
		return fmt.Errorf("--distribution: %w", err)
	}
	if o.work, err = o.workloadNamed(); err != nil {
		return fmt.Errorf("--workload: %w", err)
	}
	return o.checkFaults()
}

func (o *Options) checkNumbers() error {
	if o.DSN == "" {
		return errors.New("--dsn: " + database.Usage)
	}
	for _, n := range []struct {
		name     string
		is, most int
	}{{"sessions", o.Sessions, 1000}, {"txns", o.Txns, 1 << 30}, {"ops", o.Ops, 1000}, {"keys", o.Keys, 1 << 20}} {
		if n.is < 1 || n.is > n.most {
			return fmt.Errorf("--%s is %d: it must be from 1 to %d", n.name, n.is, n.most)
		}
	}
	switch {
	case o.Time < 0:
		return errors.New("--time is negative: give a time such as 30s, or leave it out for no limit")
	case o.FaultEvery <= 0:
		return errors.New("--fault-every must be more than zero, such as 2s")
	}
	return nil
}

func (o *Options) checkFaults() error {
	for _, f := range o.Faults {
		switch f {
		case faultCut:
		case faultKill, faultStop, faultRestore:
			if !strings.Contains(o.DSN, ":temp") {
				return fmt.Errorf("--faults=%s needs a throw-away server, such as --dsn=postgres:temp: the server is killed, stopped or set back", f)
			}
		default:
			return fmt.Errorf("--faults=%s: the faults are cut, kill, stop and restore", f)
		}
	}
	if w, ok := o.work.(*templates); o.Certificate && ok {
		if err := w.checkCertificate(); err != nil {
			return err
		}
	}
	if o.Certificate && o.Serial {
		return errors.New("--certificate and --serial are of different databases: give one")
	}
	if o.Certificate && slices.Contains(o.Faults, faultRestore) {
		return errors.New("--certificate does not go with --faults=restore, after which the server's log is another one")
	}
	return nil
}

// supported says why a database cannot run the options.
func (o *Options) supported(d *database.Database) error {
	switch {
	case o.Certificate && d.Product != "":
		return fmt.Errorf("--certificate is for PostgreSQL: of %s ask for the order of transactions, with --serial --iso=%s", d.Version, orders[d.Product])
	case o.Certificate && d.Kind != scratch.Postgres:
		return fmt.Errorf("--certificate is for PostgreSQL: %s does not tell the order of versions", d.Version)
	case o.Serial && orders[d.Product] == "":
		return fmt.Errorf("--serial is for CockroachDB, TiDB and YugabyteDB: %s does not tell the order of its transactions", d.Version)
	case o.Serial && o.Order != orders[d.Product]:
		return fmt.Errorf("--serial: the timestamps of %s are those of --iso=%s, not of %s", d.Version, orders[d.Product], o.Order)
	case o.Serial && d.Product == database.Yugabyte && unordered(o.work):
		return fmt.Errorf("--serial: of %s the order is known by what transactions have written, which is not known of %s", d.Version, o.work.name())
	case o.Serial && o.Order == "si" && slices.Contains(o.Faults, faultCut):
		return fmt.Errorf("--serial does not go with --faults=cut: %s tells no timestamps of a transaction whose connection broke", d.Version)
	}
	return nil
}
