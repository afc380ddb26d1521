package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/checkpoint"
	"github.com/txmc/txmc/explore/cluster"
	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/explore/replay"
	"github.com/txmc/txmc/explore/spec"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/report/output"
	"github.com/txmc/txmc/server/database"
)

// cli is the command line.
type cli struct {
	VersionFlag kong.VersionFlag `name:"version" help:"Print the version."`
	Explore     exploreCmd       `cmd:"" help:"Explore every func ExploreXxx(p *txmc.Program) of the packages."`
	Levels      levelsCmd        `cmd:"" help:"Say at which levels assertions hold, and the weakest for all."`
	Advise      adviseCmd        `cmd:"" help:"Look for the weakest level of each transaction, and its cost."`
	Replay      replayCmd        `cmd:"" help:"Run a saved violation again, step by step, in today's code."`
	Compare     compareCmd       `cmd:"" help:"Look for histories that only the weaker of two levels allows."`
	Vet         vetCmd           `cmd:"" help:"Look for code that cannot be explored, without running it."`
	Find        findCmd          `cmd:"" help:"Look for anomalies in an application without a program for txmc."`
	Overlay     overlayCmd       `cmd:"" help:"Write the overlay that makes code repeat itself in go test."`
	Check       checkCmd         `cmd:"" help:"Decide whether recorded histories are what levels promise."`
	Explain     explainCmd       `cmd:"" help:"Show why a recorded history breaks a level, as a counterexample."`
	Convert     convertCmd       `cmd:"" help:"Write a recorded history in another format."`
	Generate    generateCmd      `cmd:"" help:"Make a recorded history by a simulated store, with a bug or not."`
	Stress      stressCmd        `cmd:"" help:"Run a workload on a real server, and decide its levels."`
	Worker      workerCmd        `cmd:"" help:"Explore for others: do the tasks of txmc explore --cluster."`
	Serve       serveCmd         `cmd:"" help:"Mock PostgreSQL that returns stale but legal reads."`
	Record      recordCmd        `cmd:"" help:"Record the requests to an application, for txmc find."`
	Bench       benchCmd         `cmd:"" help:"Run the experiments of the paper behind txmc on five applications."`
	Version     versionCmd       `cmd:"" help:"Print the version."`
	Help        helpCmd          `cmd:"" help:"Say more about a command."`
	Completion  completionCmd    `cmd:"" help:"Print completions for a shell, or a man page."`
}

// exploreCmd is the command line of txmc explore.
type exploreCmd struct {
	Iso string `placeholder:"LEVEL" help:"Isolation levels: si by default, and for programs in SQL what their code asks of PostgreSQL or MySQL, and where it asks for nothing, READ COMMITTED or REPEATABLE READ; or rc, ra, cc, pc, si, ser, several with commas, or all. Levels of PostgreSQL: pg-rc, pg-rr, pg-ser; of MySQL and MariaDB: innodb-rc, innodb-rr, innodb-rr-si, innodb-ser."`
	DB  string `name:"db" enum:",postgres,postgres:13,postgres:14,postgres:15,postgres:16,postgres:17,postgres:18,mysql,mysql:8.4,mariadb,mariadb:10.11,mariadb:11.8" default:"" placeholder:"DATABASE" help:"postgres, mysql or mariadb, or postgres:15, mysql:8.4 or mariadb:10.11, which answers as that version does where versions differ: --iso names the database's levels by its own words, as in --iso='repeatable read'; the database's default without --iso, and all are its levels."`
	explore.Scope
	Save   string `placeholder:"DIR" help:"Save the first violation of each program and level there, for txmc replay; none saves nothing. A directory in the user's cache by default."`
	Vet    string `default:"warn" enum:"warn,off" placeholder:"WHAT" help:"warn: first look for code that cannot be explored, as txmc vet does, and print warnings; off: do not. ${default} by default."`
	Format string `default:"text" enum:"text,json,html,dot,sarif,github,junit" placeholder:"FORMAT" help:"text; json: one object a line; html: a page with diagrams; dot: for Graphviz; for continuous integration: sarif, junit, or github, text with annotations. ${default} by default."`

	Checkpoint      string        `placeholder:"FILE" help:"Keep in that file how far the exploration has come, so that it can be resumed."`
	CheckpointEvery time.Duration `default:"30s" placeholder:"D" help:"How often the checkpoint is written; ${default} by default. An interrupt and the limits write it as well."`
	Resume          string        `placeholder:"FILE" help:"Go on where that checkpoint was written, and go on writing it."`

	database.Flags
	Compare  comparison `placeholder:"free" help:"With --dsn: run the program under the model as well, and print the outcomes that only one of them has; free: let the sessions run on the server with nobody to hold them, many times, and print the outcomes that the model lacks."`
	Runs     int64      `default:"1000" placeholder:"N" help:"With --compare=free: how many runs; 0: until --timeout. ${default} by default."`
	Seed     uint64     `placeholder:"N" help:"With --compare=free: decides the delays of the first run, and the ones that follow decide those of the others; by chance by default."`
	Expected string     `placeholder:"FILE" help:"Of files of isolationtester: compare what their permutations print with that file, or with NAME.out of that directory."`
	Confirm  string     `placeholder:"DSN" help:"Run each violation that is shown on a real server: --dsn says what to give."`

	driver.Options
	Many cluster.Options `embed:""`

	resumed *checkpoint.File
}

// Help is what txmc explore --help says beyond the flags.
func (*exploreCmd) Help() string {
	return `Compiles the packages with a generated main function, without writing into their directories, and runs
every Explore function through every history that the level allows.

Exit status: 0 explored completely and clean; 1 a violation; 2 usage, build, nondeterminism or unsupported code;
3 incomplete, by --timeout, --max-histories or an interrupt, or nothing was checked. Of several, 2 counts before 1 before 3.`
}

func (x *exploreCmd) run(stdout, stderr *os.File) int {
	c := driver.Config{Options: x.Options, Scope: x.Scope, Format: x.Format, Vet: x.Vet, Saver: x.saver(), Keeper: x.keeper(), Cluster: x.Many}
	c.Server.Compare, c.Server.Confirm = x.Compare != "", x.Confirm != ""
	switch x.Compare {
	case freely:
		c.Server.Free = x.freeRuns()
		c.Task = &driver.FreeRuns{DSN: x.DSN, Tags: x.Tags}
	case bySchedules:
		c.Task = &driver.Outcomes{}
	}
	if slices.ContainsFunc(x.Packages, spec.Is) {
		return x.specs(c, stdout, stderr)
	}
	return driveOn(x.server(), c, stdout, stderr)
}

// server names the database of --dsn or --confirm.
func (x *exploreCmd) server() database.Flags {
	return database.Flags{DSN: cmp.Or(x.DSN, x.Confirm), YesScratch: x.YesScratch}
}

// check rejects what can be rejected before anything is built.
func (x *exploreCmd) check() error {
	if err := asked(&x.Options.Options, x.DB, cmp.Or(x.Iso, isolation.DatabaseNamed(databaseOf(x.DB)).Default().String())); err != nil {
		return err
	}
	if err := x.Options.Check(); err != nil {
		return err
	}
	if x.List && x.Format != "text" && x.Format != "json" {
		return errors.New("--list goes with --format=text and --format=json: only violations are drawn")
	}
	if x.Iso == "" && x.DB == "" && x.SearchLeftOpen() {
		x.InSQL = explore.UsualInSQL()
	}
	if err := x.checkServer(); err != nil {
		return err
	}
	x.All = x.All || x.List
	x.Group = x.All && x.Format != "json"
	if err := x.Many.Check(); err != nil {
		return err
	}
	return x.checkCheckpoint()
}

// asked sets the levels that --iso and --db name.
func asked(o *explore.Options, db, iso string) (err error) {
	if isolation.DatabaseNamed(databaseOf(db)) == isolation.InnoDB {
		product, err := access.ProductNamed(db)
		if err != nil {
			return err
		}
		o.DatabaseVersion = int(product)
	} else if _, version, ok := strings.Cut(db, ":"); ok {
		o.DatabaseVersion, _ = strconv.Atoi(version)
	}
	if db == "" {
		err = o.Named(iso)
	} else {
		o.Levels, err = isolation.ParseListAt(isolation.DatabaseNamed(databaseOf(db)), iso)
	}
	if err == nil {
		return nil
	}
	var ambiguous *isolation.AmbiguousLevelError
	if errors.As(err, &ambiguous) {
		err = fmt.Errorf("%w; --db=postgres or --db=mysql says it", err)
	}
	return fmt.Errorf("--iso: %w", err)
}

// databaseOf is the database that --db names, without its version.
func databaseOf(db string) string {
	name, _, _ := strings.Cut(db, ":")
	return name
}

func (x *exploreCmd) checkCheckpoint() error {
	if x.CheckpointEvery <= 0 {
		return errors.New("--checkpoint-every must be more than zero, such as 30s")
	}
	if x.Interruptions != nil && (x.Checkpoint != "" || x.Resume != "" || x.Many.Cluster != "" || x.DSN != "") {
		return errors.New("--interruptions goes with one process and the model of a database: leave out --checkpoint, --resume, --cluster and --dsn")
	}
	if x.Resume == "" {
		return nil
	}
	var err error
	if x.resumed, err = checkpoint.Read(x.Resume); err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	if err := x.resumed.Same(x.described()); err != nil {
		return fmt.Errorf("--resume: %s: %w", x.Resume, err)
	}
	if x.Checkpoint == "" {
		x.Checkpoint = x.Resume
	}
	return nil
}

// described is a checkpoint of nothing, with the options that must not change.
func (x *exploreCmd) described() *checkpoint.File {
	return driver.Described(version(), x.Format, &x.Options, x.Scope, x.Iso != "")
}

// keeper keeps the checkpoint that is asked for; nil when none is.
func (x *exploreCmd) keeper() *checkpoint.Keeper {
	if x.Checkpoint == "" {
		return nil
	}
	return checkpoint.NewKeeper(x.Checkpoint, x.CheckpointEvery, x.described(), x.resumed, output.AtEnd(x.Format))
}

// saver saves violations where they are wanted.
func (x *exploreCmd) saver() *replay.Saver {
	s := &replay.Saver{Dir: x.Save, Forced: x.Save != "", Tags: x.Tags, MaxOps: x.MaxOps}
	switch x.Save {
	case "none":
		s.Dir = ""
	case "":
		s.Dir = replay.DefaultDir()
	}
	return s
}
