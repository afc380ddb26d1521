package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/alecthomas/kong"
	"github.com/txmc/txmc/checkpoint"
	"github.com/txmc/txmc/isolation"
)

// cli is the command line.
type cli struct {
	Version  kong.VersionFlag `help:"Print the version."`
	Explore  explore          `cmd:"" help:"Explore every func ExploreXxx(p *txmc.Program) of the packages."`
	Levels   levels           `cmd:"" help:"Say which assertions hold at which levels, and the weakest level at which all hold."`
	Replay   again            `cmd:"" help:"Run a saved violation again, step by step, in today's code."`
	Compare  compare          `cmd:"" help:"Look for histories that one level allows and a stronger one forbids."`
	Vet      vetting          `cmd:"" help:"Look for code that cannot be explored, without running it."`
	Check    check            `cmd:"" help:"Decide whether recorded histories keep the promise of isolation levels."`
	Convert  convert          `cmd:"" help:"Write a recorded history in another format."`
	Generate generate         `cmd:"" help:"Make a recorded history: a workload on a simulated store that keeps an isolation level, or has a bug."`
	Bench    experiments      `cmd:"" help:"Run the experiments of the paper behind txmc: histories, time and memory of its algorithms on five applications."`
}

// explore is the command line of txmc explore.
type explore struct {
	Iso    string `default:"si" placeholder:"LEVEL" help:"Isolation levels: ${default} by default, or rc, ra, cc, pc, si, ser, several with commas, or all."`
	All    bool   `help:"Do not stop at the first violation."`
	List   bool   `help:"Print every history; implies --all."`
	Save   string `placeholder:"DIR" help:"Save the first violation of each program and level there, for txmc replay; none saves nothing. A directory in the user's cache by default."`
	Vet    string `default:"warn" enum:"warn,off" placeholder:"WHAT" help:"warn: first look for code that cannot be explored, as txmc vet does, and print warnings; off: do not. ${default} by default."`
	Format string `default:"text" enum:"text,json,html,dot" placeholder:"FORMAT" help:"text; json: one object a line; html: a page with diagrams; dot: for Graphviz. ${default} by default."`

	Checkpoint      string        `placeholder:"FILE" help:"Keep in that file how far the exploration has come, so that it can be resumed."`
	CheckpointEvery time.Duration `default:"30s" placeholder:"D" help:"How often the checkpoint is written; ${default} by default. An interrupt and the limits write it as well."`
	Resume          string        `placeholder:"FILE" help:"Go on where that checkpoint was written, and go on writing it."`

	shared

	levels  []isolation.Level
	resumed *checkpoint.File
}

// Help is what txmc explore --help says beyond the flags.
func (*explore) Help() string {
	return `Compiles the packages with a generated main function, without writing into their directories, and runs
every Explore function through every history that the level allows.

Exit status: 0 explored completely and clean; 1 a violation; 2 usage, build, nondeterminism or unsupported code;
3 incomplete: --timeout, --max-histories or an interrupt. Of several, 2 counts before 1 before 3.`
}

// check rejects what can be rejected before anything is built.
func (x *explore) check() error {
	var err error
	if x.levels, err = isolation.ParseList(x.Iso); err != nil {
		return fmt.Errorf("--iso: %w", err)
	}
	if err := x.shared.check(x.levels); err != nil {
		return err
	}
	if x.List && (x.Format == "html" || x.Format == "dot") {
		return errors.New("--list goes with --format=text and --format=json: only violations are drawn")
	}
	x.All = x.All || x.List
	return x.checkCheckpoint()
}
