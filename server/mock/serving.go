package mock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/txmc/txmc/isolation"
)

// Serving says what to serve. The command has it as flags.
type Serving struct {
	Iso              string        `placeholder:"LEVEL" help:"Answer with everything that this level allows: rc, ra, cc, pc, si or ser. With --db=postgres: the level of transactions that ask for none, such as 'repeatable read'."`
	DB               string        `name:"db" enum:",postgres" default:"" placeholder:"DATABASE" help:"postgres: answer as PostgreSQL does, by its model, and delay statements at random. So it is without --iso."`
	Weak             Weak          `default:"on" placeholder:"WHAT" help:"With --iso: what reads may miss. on: what overlaps their transaction; always: everything that the level lets them miss; off: nothing, where the level has such an answer. ${default} by default. A client changes it by SET txmc.weak."`
	Delay            time.Duration `placeholder:"D" help:"As PostgreSQL: the mean of the delays, 5ms by default; half of the statements have none."`
	Schema           []string      `placeholder:"PATH" help:"Make the schema and the first rows by the SQL of these files, dumps and directories of migrations, in their order. Several with commas."`
	Listen           string        `placeholder:"ADDR" help:"Listen on this address; port 0 picks one. Without a password it has to be a loopback address. 127.0.0.1:5432 by default, with --protocol=mysql 127.0.0.1:3306."`
	Password         string        `env:"TXMC_SERVE_PASSWORD" placeholder:"WORD" help:"Clients have to know this password, which they prove by SCRAM-SHA-256; with --kv by HTTP's basic authentication. Better given by the environment's TXMC_SERVE_PASSWORD."`
	Connections      int           `default:"1000" placeholder:"N" help:"Serve so many connections at a time, or sessions with --kv; ${default} by default."`
	MaxMessage       int           `default:"16777216" placeholder:"BYTES" help:"Refuse larger messages; ${default} by default."`
	StatementTimeout time.Duration `default:"5m" placeholder:"D" help:"End statements that take longer, also those that wait for a lock; ${default} by default, 0: none."`
	Protocol         string        `default:"postgres" enum:"postgres,mysql" placeholder:"PROTOCOL" help:"postgres, or mysql, which a command of its own serves: go run github.com/txmc/txmc/mysql/cmd/txmc-mysql@latest. ${default} by default."`
	KV               bool          `name:"kv" help:"Serve keys and values over HTTP, with JSON, instead of PostgreSQL."`
	Seed             uint64        `default:"1" placeholder:"N" help:"Answers are the same for equal seeds, as far as clients do the same in the same order; ${default} by default."`
	Bias             string        `default:"uniform" placeholder:"BIAS" help:"How answers are drawn: uniform: any version that is allowed; latest=P: the newest one with probability P, 0 to 1, else any; fresh: rather those that have been served least; fresh=P: so with probability P, else any; sessions: any session that has written one, and any of its versions; ${default} by default."`
	NoLocks          bool          `name:"no-locks" help:"UPDATE, DELETE and SELECT FOR UPDATE read any version that is allowed, and wait for nobody, as in stores without locks."`
	Window           int           `placeholder:"N" help:"Remember at least so many transactions, and about twice as many at most; 32 by default. A larger window serves older versions, and takes longer."`
	Record           string        `placeholder:"FILE" help:"Record what was served as a history for txmc check, compressed if the name ends in .gz or .zst."`

	// MySQL makes a server of MySQL's, of a schema by files; nil where there is none.
	MySQL func(o Options, a Admission, files []string) (Front, error) `kong:"-"`

	level  isolation.Level
	latest float64
	fresh  float64
	by     bool // sessions
}

// Front is a server of another protocol.
type Front interface {
	KV() *KV
	// Serve answers clients until hard ends. From the end of soft on it listens no more, and
	// closes connections whose transaction has ended: see Drain.
	Serve(soft, hard context.Context, l net.Listener) error
}

// Check says what is wrong with the options.
func (o *Serving) Check() (err error) {
	if err := o.checkLevel(); err != nil {
		return err
	}
	if o.Connections < 1 || o.MaxMessage < 1 || o.StatementTimeout < 0 {
		return fmt.Errorf("--connections=%d --max-message=%d --statement-timeout=%v: give positive numbers", o.Connections, o.MaxMessage, o.StatementTimeout)
	}
	if o.Protocol == "mysql" && o.MySQL == nil {
		return errors.New("--protocol=mysql is served by a command of its own, as its engine is no part of txmc: go run github.com/txmc/txmc/mysql/cmd/txmc-mysql@latest, with the same flags")
	}
	if o.Protocol == "mysql" && o.KV {
		return errors.New("--protocol=mysql has no --kv")
	}
	if err := o.parseBias(); err != nil {
		return err
	}
	if o.KV && len(o.Schema) > 0 {
		return errors.New("--kv has no schema: leave out --schema")
	}
	options := o.options()
	return options.check()
}

// address is where to listen: by default where clients of the protocol look.
func (o *Serving) address() string {
	if o.Protocol == "mysql" {
		return cmp.Or(o.Listen, "127.0.0.1:3306")
	}
	return cmp.Or(o.Listen, "127.0.0.1:5432")
}

// checkLevel understands --iso and --db.
func (o *Serving) checkLevel() (err error) {
	db := isolation.DatabaseNamed(o.DB)
	if o.Iso == "" && db == isolation.NoDatabase {
		switch {
		case o.KV || o.Protocol == "mysql":
			return errors.New("give --iso=LEVEL: rc, ra, cc, pc, si or ser")
		case o.Bias != "" && o.Bias != "uniform" || o.NoLocks || o.Window != 0 || o.Weak != WeakOn:
			return errors.New("give --iso=LEVEL: rc, ra, cc, pc, si or ser. Without it the server answers as PostgreSQL does (--db=postgres), where --weak, --bias, --no-locks and --window have no meaning")
		}
		db = isolation.PostgreSQL
	}
	if o.level, err = isolation.ParseAt(db, cmp.Or(o.Iso, db.Default().String())); err != nil {
		return fmt.Errorf("--iso: %w", err)
	}
	switch {
	case o.level.Database() != db && db != isolation.NoDatabase:
		return fmt.Errorf("--iso=%s: with --db=%s give 'read committed', 'repeatable read' or serializable", o.Iso, o.DB)
	case o.level.Database() == isolation.PostgreSQL && (o.KV || o.Protocol == "mysql"):
		return errors.New("PostgreSQL's own levels have neither --kv nor --protocol=mysql")
	}
	return nil
}

func (o *Serving) options() Options {
	return Options{Level: o.level, Seed: o.Seed, Latest: o.latest, Fresh: o.fresh, BySession: o.by, NoLocks: o.NoLocks, Window: o.Window, Weak: o.Weak, Delay: o.Delay, Refused: once(os.Stderr, 1000)}
}

// parseBias reads --bias.
func (o *Serving) parseBias() (err error) {
	name, p, ok := strings.Cut(o.Bias, "=")
	switch {
	case name == "latest" && ok:
		o.latest, err = o.probability(p)
	case name == "fresh" && ok:
		o.fresh, err = o.probability(p)
	case ok:
		return o.noBias()
	case name == "fresh":
		o.fresh = 1
	case name == "sessions":
		o.by = true
	case name != "" && name != "uniform":
		return o.noBias()
	}
	return err
}

func (o *Serving) noBias() error {
	return fmt.Errorf("--bias=%s: give uniform, latest=P, fresh, fresh=P or sessions", o.Bias)
}

func (o *Serving) probability(text string) (float64, error) {
	p, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("--bias=%s: %q is not a probability: give a number from 0 to 1, as in latest=0.9", o.Bias, text)
	}
	return p, nil
}
