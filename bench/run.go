package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/txmc/txmc/bench/client"
)

// Config is what to run and how to show it. The tags are those of the command
// txmc bench, for the package kong.
type Config struct {
	Apps        []string      `name:"app" placeholder:"NAME" help:"Of courseware, shoppingCart, tpcc, twitter and wikipedia, with commas; all by default."`
	Clients     string        `placeholder:"DIR" help:"Client files in the published format, instead of the project's own."`
	Experiments []string      `name:"experiment" enum:"applications,sessions,transactions,engines,mock,all" default:"all" help:"applications: all algorithms on the clients; sessions and transactions: CC on more and more of them; all of these by default. engines: the engines swap and serial at SI and SER, in one core. mock: how soon the mock server breaks assertions, as in MonkeyDB's paper; alone."`
	Algorithms  []string      `name:"algorithm" placeholder:"NAME" help:"Of the experiment applications: CC, CC+SI, CC+SER, CC+PC, RA+CC, RC+CC, true+CC, DFS(CC), with commas; all by default."`
	Timeout     time.Duration `default:"1m" placeholder:"D" help:"Time limit of a run; ${default} by default."`
	Seeds       int           `default:"100" placeholder:"N" help:"Of the experiment mock: seeds of each row; ${default} by default."`
	Real        int           `default:"100" placeholder:"N" help:"Of the experiment mock: iterations on a throw-away PostgreSQL; 0: none; ${default} by default."`
	Format      string        `enum:"text,csv,json" default:"text" placeholder:"FORMAT" help:"text; csv: a line a run; json: an object a run and a summary; ${default} by default."`
	Output      string        `short:"o" placeholder:"FILE" help:"Where to write the results instead of the standard output."`
	Quiet       bool          `help:"No progress."`
}

// Check reports what is wrong with the configuration, as far as that can be told before
// anything is run. It finds names of applications, experiments and algorithms that do
// not exist, and client files that cannot be read.
func (cfg Config) Check() error {
	if cfg.mock() {
		return cfg.checkMock()
	}
	_, err := cfg.jobs()
	return err
}

// Run runs the experiments one run after another, writes the results to stdout or
// to Config.Output, csv and json as the runs end, and a line for each run to progress.
// When ctx ends it shows what there is and returns the context's error.
func Run(ctx context.Context, cfg Config, stdout, progress io.Writer) error {
	if cfg.Quiet || progress == nil {
		progress = io.Discard
	}
	out := stdout
	if cfg.Output != "" {
		file, err := os.Create(cfg.Output)
		if err != nil {
			return fmt.Errorf("results: %w", err)
		}
		defer file.Close()
		out = file
	}
	if cfg.mock() {
		return cfg.runMock(ctx, out, progress)
	}
	list, err := cfg.jobs()
	if err != nil {
		return err
	}
	w := &writer{w: out, format: cfg.Format, timeout: cfg.Timeout}
	runErr := runJobs(ctx, list, w, progress)
	if runErr != nil && !errors.Is(runErr, ctx.Err()) {
		return runErr
	}
	if err := w.end(); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return runErr
}

func runJobs(ctx context.Context, list []job, w *writer, progress io.Writer) error {
	if err := w.begin(); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	for i, j := range list {
		r, err := one(ctx, j.program, j.algorithm, w.timeout)
		if err != nil {
			return err
		}
		r.Experiment = j.experiment
		if err := w.add(r); err != nil {
			return fmt.Errorf("results: %w", err)
		}
		fmt.Fprintf(progress, "%*d/%d  %-12s %-10s %-8s %s\n", len(fmt.Sprint(len(list))), i+1, len(list), r.App, r.Client, r.Algorithm, brief(r))
	}
	return nil
}

// brief is a result in a few words.
func brief(r Result) string {
	if r.Timeout {
		return fmt.Sprintf("timeout after %d histories, %d end states, %s", r.Histories, r.EndStates, seconds(r.Seconds))
	}
	return fmt.Sprintf("%d histories, %d end states, %s, %s", r.Histories, r.EndStates, seconds(r.Seconds), megabytes(r.PeakBytes))
}

// jobs checks the configuration and lists the runs.
func (cfg Config) jobs() ([]job, error) {
	if cfg.Timeout <= 0 {
		return nil, fmt.Errorf("--timeout=%v: a run needs time", cfg.Timeout)
	}
	if !slices.Contains([]string{"text", "csv", "json"}, cfg.Format) {
		return nil, fmt.Errorf("unknown format %q: the formats are text, csv and json", cfg.Format)
	}
	apps, err := cfg.apps()
	if err != nil {
		return nil, err
	}
	clients := Own()
	if cfg.Clients != "" {
		if _, err := os.ReadDir(cfg.Clients); err != nil {
			return nil, fmt.Errorf("--clients: %w", err)
		}
		clients = os.DirFS(cfg.Clients)
	}
	experiments := cfg.Experiments
	if slices.Contains(experiments, "all") {
		experiments = []string{Applications, Sessions, Transactions}
	}
	var list []job
	for _, e := range experiments {
		if !slices.Contains([]string{Applications, Sessions, Transactions, Engines}, e) {
			return nil, fmt.Errorf("unknown experiment %q: the experiments are applications, sessions, transactions, engines and all", e)
		}
		more, err := jobs(e, apps, clients)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	if list, err = cfg.algorithms(list); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errors.New("nothing to run: the scaling experiments have clients of tpcc and wikipedia only")
	}
	return list, nil
}

// algorithms keeps the runs of the algorithms asked for.
func (cfg Config) algorithms(list []job) ([]job, error) {
	if len(cfg.Algorithms) == 0 {
		return list, nil
	}
	for _, name := range cfg.Algorithms {
		if !slices.ContainsFunc(allAlgorithms(), func(a Algorithm) bool { return strings.EqualFold(a.Name, name) }) {
			return nil, fmt.Errorf("unknown algorithm %q: the algorithms are %s", name, strings.Join(algorithmNames(), ", "))
		}
	}
	return slices.DeleteFunc(list, func(j job) bool {
		return !slices.ContainsFunc(cfg.Algorithms, func(name string) bool { return strings.EqualFold(name, j.algorithm.Name) })
	}), nil
}

func (cfg Config) apps() ([]*client.App, error) {
	all := Apps()
	for _, name := range cfg.Apps {
		if !slices.ContainsFunc(all, func(a *client.App) bool { return strings.EqualFold(a.Name, name) }) {
			return nil, fmt.Errorf("unknown application %q: the applications are %s", name, names(all))
		}
	}
	if len(cfg.Apps) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(a *client.App) bool {
		return !slices.ContainsFunc(cfg.Apps, func(name string) bool { return strings.EqualFold(a.Name, name) })
	}), nil
}

func allAlgorithms() []Algorithm { return append(Algorithms(), engineAlgorithms()...) }

func algorithmNames() []string {
	var list []string
	for _, a := range allAlgorithms() {
		if !slices.Contains(list, a.Name) {
			list = append(list, a.Name)
		}
	}
	return list
}
