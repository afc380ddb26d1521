package harness_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// TestMain is a harness when it is started as one.
func TestMain(m *testing.M) {
	if _, child := os.LookupEnv("TXMC_TEST_CHILD"); child {
		harness.Main(harness.Program{Name: "ExploreOne", Explore: one}, harness.Program{Name: "ExploreBad", Explore: func(*program.Program) {}})
	}
	os.Exit(m.Run())
}

func one(p *program.Program) {
	x := program.NewVar(p, "x", 0)
	for _, name := range []string{"a", "b"} {
		p.Session(name, func(s *program.Session) {
			s.Txn("inc", func(tx *program.Tx) error {
				x.Set(tx, x.Get(tx)+1)
				return nil
			})
		})
	}
}

func options() harness.Request {
	return harness.Request{Version: harness.Version, Package: "example.com/one", Options: explore.Options{
		Levels: []isolation.Level{isolation.CC, isolation.SER}, MaxOps: 10, Patience: time.Second, Unasserted: explore.UnassertedNothing,
	}}
}

// child runs the harness and returns the types of its lines, all of them, and
// what it says and how it ends.
func child(t *testing.T, config string) (types []string, lines, said string, err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TXMC_TEST_CHILD=")
	if config != "" {
		cmd.Env = append(cmd.Env, harness.Variable+"="+config)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.ExtraFiles = []*os.File{w}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	d := json.NewDecoder(r)
	for {
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			break
		}
		var v struct{ Type string }
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		lines += string(raw) + "\n"
		if v.Type != harness.TypeProgress {
			types = append(types, v.Type)
		}
	}
	err = cmd.Wait()
	return types, lines, out.String(), err
}

func encode(t *testing.T, o harness.Request) string {
	t.Helper()
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A result for every level, an error for the program that is none, and the end.
func TestMainReports(t *testing.T) {
	types, lines, said, err := child(t, encode(t, options()))
	if err != nil || said != "" {
		t.Errorf("%v: %s", err, said)
	}
	if got := strings.Join(types, " "); got != "result result error end" {
		t.Errorf("%s\n%s", got, lines)
	}
	if !strings.Contains(lines, `"iso":"cc","base":"cc","engine":"swap","histories":3,"end_states":3,`) || !strings.Contains(lines, `"iso":"ser","base":"cc","engine":"swap","histories":2,"end_states":3,`) {
		t.Error(lines)
	}
}

// Of the harness's programs those that are named are explored.
func TestMainPrograms(t *testing.T) {
	o := options()
	for want, names := range map[string][]string{"result result end": {"ExploreOne"}, "error end": {"ExploreBad"}, "end": {}} {
		o.Programs = names
		types, lines, _, err := child(t, encode(t, o))
		if got := strings.Join(types, " "); err != nil || got != want {
			t.Errorf("%q: %v: %s; want %s\n%s", names, err, got, want, lines)
		}
	}
}

func TestMainList(t *testing.T) {
	o := options()
	o.List, o.All = true, true
	types, lines, _, err := child(t, encode(t, o))
	if got := strings.Join(types, " "); err != nil || got != "history history history result history history result error end" {
		t.Errorf("%v: %s\n%s", err, got, lines)
	}
}

// A command of another release is told so, instead of being misunderstood.
func TestMainOtherVersion(t *testing.T) {
	o := options()
	o.Version++
	types, lines, _, err := child(t, encode(t, o))
	if got := strings.Join(types, " "); err != nil || got != "error end" || !strings.Contains(lines, "install the command in the version that go.mod names") {
		t.Errorf("%v: %s\n%s", err, got, lines)
	}
}

func TestMainUnknownLevel(t *testing.T) {
	config := strings.Replace(encode(t, options()), `"cc"`, `"cr"`, 1)
	if _, _, said, err := child(t, config); err == nil || !strings.Contains(said, `unknown isolation level "cr"`) {
		t.Errorf("%v: %s", err, said)
	}
}

// Started by hand it says what it is.
func TestMainAlone(t *testing.T) {
	for config, want := range map[string]string{"": "it does nothing by itself", "nonsense": "does not hold the options"} {
		if _, _, said, err := child(t, config); err == nil || !strings.Contains(said, want) {
			t.Errorf("%q: %v: %s", config, err, said)
		}
	}
}
