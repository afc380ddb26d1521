package bench

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// config is a run that ends soon.
func config(format string) Config {
	return Config{Apps: []string{"courseware"}, Algorithms: []string{"CC", "cc+ser", "RA+CC"},
		Experiments: []string{Applications}, Timeout: time.Minute, Format: format}
}

func TestRunText(t *testing.T) {
	t.Parallel()
	var out, progress bytes.Buffer
	if err := Run(context.Background(), config("text"), &out, &progress); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"courseware/case1", "CC+SER", "median", "summary"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if n := strings.Count(progress.String(), "\n"); n != 15 {
		t.Errorf("%d lines of progress, want 15", n)
	}
}

func TestRunCSVAndJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := Run(context.Background(), config("csv"), &out, nil); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(records) != 16 {
		t.Errorf("%d records, want 16 (%v)", len(records), err)
	}
	cfg := config("json")
	cfg.Output = filepath.Join(t.TempDir(), "results.json")
	if err := Run(context.Background(), cfg, &out, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(cfg.Output)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var object struct {
			Type      string
			Histories int64 `json:"histories"`
			EndStates int64 `json:"end_states"`
		}
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatal(err)
		}
		types[object.Type]++
		if object.Histories > object.EndStates {
			t.Errorf("more histories than end states: %s", line)
		}
	}
	if types["run"] != 15 || types["summary"] != 3 {
		t.Errorf("objects %v, want 15 runs and 3 summaries", types)
	}
}

// TestCSV: the form of the file that the plots are drawn of.
func TestCSV(t *testing.T) {
	run := func(experiment, algorithm string, sessions, transactions int, ends int64, seconds float64, megabytes uint64, timeout bool) Result {
		return Result{Experiment: experiment, App: "a", Client: "b", Sessions: sessions, Transactions: transactions, Algorithm: algorithm,
			Histories: ends - 1, EndStates: ends, Explored: 2 * ends, Blocked: 1, Seconds: seconds, PeakBytes: megabytes * 1e6, Timeout: timeout}
	}
	var out bytes.Buffer
	w := &writer{w: &out, format: "csv"}
	err := w.begin()
	for _, r := range []Result{
		run(Applications, "CC", 3, 3, 4, 0.5, 2, false), run(Applications, "CC", 3, 3, 3, 0.25, 1, false),
		run(Applications, "DFS(CC)", 3, 3, 40, 2, 3, false), run(Applications, "DFS(CC)", 3, 3, 50, 60, 3, true),
		run(Sessions, "CC", 2, 3, 9, 1, 2, false), run(Sessions, "CC", 1, 3, 1, 0.001, 1, false), run(Sessions, "CC", 2, 3, 9, 5, 8, true),
		run(Transactions, "CC", 3, 4, 9, 7, 8, false),
	} {
		if err == nil {
			err = w.add(r)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/runs.csv", out.String())
}

func TestTimeoutIsSaid(t *testing.T) {
	var out bytes.Buffer
	cfg := Config{Apps: []string{"tpcc"}, Algorithms: []string{"true+CC"}, Experiments: []string{Applications}, Timeout: time.Millisecond, Format: "text"}
	if err := Run(context.Background(), cfg, &out, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), ">0") {
		t.Errorf("no timeout in\n%s", &out)
	}
}

func TestInterruptShowsWhatThereIs(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out bytes.Buffer
	if err := Run(ctx, config("text"), &out, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(out.String(), "summary") {
		t.Errorf("no summary in\n%s", &out)
	}
}

func TestConfigErrors(t *testing.T) {
	for want, change := range map[string]func(*Config){
		`unknown application "chess"`: func(c *Config) { c.Apps = []string{"chess"} },
		`unknown experiment "x"`:      func(c *Config) { c.Experiments = []string{"x"} },
		`unknown algorithm "SI+CC"`:   func(c *Config) { c.Algorithms = []string{"SI+CC"} },
		`unknown format "xml"`:        func(c *Config) { c.Format = "xml" },
		"a run needs time":            func(c *Config) { c.Timeout = 0 },
		"no clients":                  func(c *Config) { c.Clients = t.TempDir() },
		"nothing to run":              func(c *Config) { c.Experiments = []string{Sessions} },
		"no such file or directory":   func(c *Config) { c.Output = filepath.Join(t.TempDir(), "none", "x") },
	} {
		cfg := config("text")
		change(&cfg)
		if err := Run(context.Background(), cfg, &bytes.Buffer{}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestSummary: medians, timeouts as the limit, ratios client by client.
func TestSummary(t *testing.T) {
	run := func(client, algorithm string, seconds float64, timeout bool) Result {
		return Result{Experiment: Applications, App: "a", Client: client, Algorithm: algorithm, Seconds: seconds, Timeout: timeout, EndStates: 2, PeakBytes: 4}
	}
	got := Summarize([]Result{
		run("1", "CC", 1, false), run("1", "DFS(CC)", 5, false),
		run("2", "CC", 2, false), run("2", "DFS(CC)", 11, true),
		run("3", "CC", 4, false), run("3", "DFS(CC)", 10.5, true),
	}, 10*time.Second)
	if len(got) != 2 {
		t.Fatalf("%v", got)
	}
	cc, dfs := got[0], got[1]
	if cc.MedianSeconds != 2 || cc.Timeouts != 0 || cc.Slower != 0 || cc.MeanEndStates != 2 {
		t.Errorf("CC: %+v", cc)
	}
	if dfs.MedianSeconds != 10 || dfs.Timeouts != 2 || dfs.Slower != 5 || dfs.Runs != 3 {
		t.Errorf("DFS: %+v", dfs)
	}
}

// The experiment mock has options of its own.
func TestMockOptions(t *testing.T) {
	for _, test := range []struct {
		cfg  Config
		want string
	}{
		{Config{Experiments: []string{Mock, Engines}, Seeds: 1}, "stands alone"},
		{Config{Experiments: []string{Mock}, Seeds: 1, Apps: []string{"tpcc"}}, "leave out"},
		{Config{Experiments: []string{Mock}}, "at least one seed"},
		{Config{Experiments: []string{Mock}, Seeds: 1}, ""},
	} {
		got := ""
		if err := test.cfg.Check(); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%+v: %q, want %q", test.cfg, got, test.want)
		}
	}
}
