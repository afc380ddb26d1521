package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/checkpoint"
	"github.com/txmc/txmc/explore/replay"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report/output"
)

// cli is the command line.
type cli struct {
	VersionFlag kong.VersionFlag `name:"version" help:"Print the version."`
	Explore     exploreCmd       `cmd:"" help:"Explore every func ExploreXxx(p *txmc.Program) of the packages."`
	Levels      levelsCmd        `cmd:"" help:"Say which assertions hold at which levels, and the weakest level at which all hold."`
	Replay      replayCmd        `cmd:"" help:"Run a saved violation again, step by step, in today's code."`
	Compare     compareCmd       `cmd:"" help:"Look for histories that one level allows and a stronger one forbids."`
	Vet         vetCmd           `cmd:"" help:"Look for code that cannot be explored, without running it."`
	Overlay     overlayCmd       `cmd:"" help:"Write the overlay that makes code repeat itself, for go test -overlay."`
	Check       checkCmd         `cmd:"" help:"Decide whether recorded histories keep the promise of isolation levels."`
	Convert     convertCmd       `cmd:"" help:"Write a recorded history in another format."`
	Generate    generateCmd      `cmd:"" help:"Make a recorded history: a workload on a simulated store that keeps an isolation level, or has a bug."`
	Stress      stressCmd        `cmd:"" help:"Run a workload on a real database server, and decide whether it keeps the promise of an isolation level."`
	Serve       serveCmd         `cmd:"" help:"Serve a PostgreSQL database that answers with everything that an isolation level allows."`
	Bench       benchCmd         `cmd:"" help:"Run the experiments of the paper behind txmc: histories, time and memory of its algorithms on five applications."`
	Version     versionCmd       `cmd:"" help:"Print the version."`
	Help        helpCmd          `cmd:"" help:"Say more about a command."`
	Completion  completionCmd    `cmd:"" help:"Print completions for a shell, or a man page."`
}

// exploreCmd is the command line of txmc explore.
type exploreCmd struct {
	Iso string `placeholder:"LEVEL" help:"Isolation levels: si by default, and for programs in SQL what their code asks of PostgreSQL, READ COMMITTED where it asks for nothing; or rc, ra, cc, pc, si, ser, several with commas, or all. Levels of PostgreSQL: pg-rc, pg-rr, pg-ser; of MySQL and MariaDB: innodb-rc, innodb-rr, innodb-rr-si, innodb-ser."`
	DB  string `name:"db" enum:",postgres,mysql,mariadb" default:"" placeholder:"DATABASE" help:"postgres, mysql or mariadb: --iso names the database's levels by its own words, as in --iso='repeatable read'; the database's default without --iso, and all are its levels."`
	explore.Scope
	Save   string `placeholder:"DIR" help:"Save the first violation of each program and level there, for txmc replay; none saves nothing. A directory in the user's cache by default."`
	Vet    string `default:"warn" enum:"warn,off" placeholder:"WHAT" help:"warn: first look for code that cannot be explored, as txmc vet does, and print warnings; off: do not. ${default} by default."`
	Format string `default:"text" enum:"text,json,html,dot,sarif,github,junit" placeholder:"FORMAT" help:"text; json: one object a line; html: a page with diagrams; dot: for Graphviz; for continuous integration: sarif, junit, or github, text with annotations. ${default} by default."`

	Checkpoint      string        `placeholder:"FILE" help:"Keep in that file how far the exploration has come, so that it can be resumed."`
	CheckpointEvery time.Duration `default:"30s" placeholder:"D" help:"How often the checkpoint is written; ${default} by default. An interrupt and the limits write it as well."`
	Resume          string        `placeholder:"FILE" help:"Go on where that checkpoint was written, and go on writing it."`

	shared

	resumed *checkpoint.File
}

// Help is what txmc explore --help says beyond the flags.
func (*exploreCmd) Help() string {
	return `Compiles the packages with a generated main function, without writing into their directories, and runs
every Explore function through every history that the level allows.

Exit status: 0 explored completely and clean; 1 a violation; 2 usage, build, nondeterminism or unsupported code;
3 incomplete: --timeout, --max-histories or an interrupt. Of several, 2 counts before 1 before 3.`
}

// check rejects what can be rejected before anything is built.
func (x *exploreCmd) check() error {
	var err error
	if x.Levels, err = x.levels(); err != nil {
		return err
	}
	if err := x.shared.check(); err != nil {
		return err
	}
	if x.List && x.Format != "text" && x.Format != "json" {
		return errors.New("--list goes with --format=text and --format=json: only violations are drawn")
	}
	if x.Iso == "" && x.DB == "" && x.Checkpoint == "" && x.Resume == "" && x.Base == "" && (x.Engine == "" || x.Engine == "auto") {
		x.InSQL = []isolation.Level{isolation.PgRC}
	}
	x.All = x.All || x.List
	x.Group = x.All && x.Format != "json"
	return x.checkCheckpoint()
}

// levels are the levels that --iso and --db name.
func (x *exploreCmd) levels() ([]isolation.Level, error) {
	db := isolation.DatabaseNamed(x.DB)
	levels, err := isolation.ParseListAt(db, cmp.Or(x.Iso, db.Default().String()))
	if err != nil {
		return nil, fmt.Errorf("--iso: %w", err)
	}
	return levels, nil
}

func (x *exploreCmd) checkCheckpoint() error {
	switch {
	case x.CheckpointEvery <= 0:
		return errors.New("--checkpoint-every must be more than zero, such as 30s")
	case (x.Checkpoint != "" || x.Resume != "") && strings.EqualFold(x.Base, "none"):
		return errors.New("--checkpoint and --resume do not go with --base=none: the baseline without reduction has none")
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
	var iso []string
	for _, l := range x.Levels {
		iso = append(iso, l.String())
	}
	file := x.Output
	if abs, err := filepath.Abs(file); err == nil && file != "" {
		file = abs
	}
	yes := map[bool]string{true: "true"}
	return &checkpoint.File{Txmc: version(), Packages: map[string]string{}, Options: []checkpoint.Option{
		{Name: "iso", Value: strings.Join(iso, ",")}, {Name: "base", Value: strings.ToLower(x.Base)}, {Name: "engine", Value: strings.ToLower(x.Engine)},
		{Name: "run", Value: x.Run}, {Name: "tags", Value: x.Tags}, {Name: "max-ops", Value: fmt.Sprint(x.MaxOps)},
		{Name: "all", Value: yes[x.All]}, {Name: "list", Value: yes[x.List]}, {Name: "determinism", Value: x.Determinism}, {Name: "format", Value: x.Format}, {Name: "output", Value: file},
	}}
}

// keeper keeps the checkpoint that is asked for; nil when none is.
func (x *exploreCmd) keeper() *checkpoint.Keeper {
	if x.Checkpoint == "" {
		return nil
	}
	return checkpoint.NewKeeper(x.Checkpoint, x.CheckpointEvery, x.described(), x.resumed, output.AtEnd(x.Format))
}

// saveNothing is the value of --save that saves nothing.
const saveNothing = "none"

// saver saves violations where they are wanted.
func (x *exploreCmd) saver() *replay.Saver {
	s := &replay.Saver{Dir: x.Save, Forced: x.Save != "", Tags: x.Tags, MaxOps: x.MaxOps}
	switch x.Save {
	case saveNothing:
		s.Dir = ""
	case "":
		s.Dir = replay.DefaultDir()
	}
	return s
}
