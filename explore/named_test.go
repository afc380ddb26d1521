package explore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// of makes a client of a program whose statements run under the model of a database.
func of(t *testing.T, model string) *program.Client {
	t.Helper()
	c, err := program.NewClient("Of"+model, func(p *program.Program) {
		if model != "" {
			p.HasModel(model)
			p.UseBackend()
		}
		p.Session("s", func(*program.Session) {})
	}, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Words of databases are the levels of the program's own database; short names, and words
// beside them, are axiomatic levels. Whoever has no database is asked which one is meant.
func TestNamed(t *testing.T) {
	t.Parallel()
	models := []string{"postgres", "mysql", ""}
	for _, test := range []struct {
		list string
		want [3]string // by model; "?" is the question
	}{
		{"repeatable read", [3]string{"[pg-rr]", "[innodb-rr]", "?"}},
		{"rr", [3]string{"[pg-rr]", "[innodb-rr]", "?"}},
		{"Read-Committed, SERIALIZABLE", [3]string{"[pg-rc pg-ser]", "[innodb-rc innodb-ser]", "[rc ser]"}},
		{"serializable", [3]string{"[pg-ser]", "[innodb-ser]", "[ser]"}},
		{"rc", [3]string{"[rc]", "[rc]", "[rc]"}},
		{"ser,si", [3]string{"[ser si]", "[ser si]", "[ser si]"}},
		{"si,serializable", [3]string{"[si ser]", "[si ser]", "[si ser]"}},
		{"pg-rr", [3]string{"[pg-rr]", "[pg-rr]", "[pg-rr]"}},
	} {
		o := explore.Defaults()
		if err := o.Named(test.list); err != nil {
			t.Errorf("%s: %v", test.list, err)
		}
		for i, model := range models {
			got := "?"
			var ambiguous *isolation.AmbiguousLevelError
			if levels, err := o.LevelsOf(of(t, model)); err == nil {
				got = fmt.Sprint(levels)
			} else if !errors.As(err, &ambiguous) {
				got = err.Error()
			}
			if got != test.want[i] {
				t.Errorf("%s, a program of %q: %s, want %s", test.list, model, got, test.want[i])
			}
		}
	}
}

// What no program can answer is asked at once.
func TestNamedAsks(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"si,repeatable read", "repeatable read,pg-rc"} {
		o := explore.Defaults()
		var ambiguous *isolation.AmbiguousLevelError
		if err := o.Named(list); !errors.As(err, &ambiguous) {
			t.Errorf("%s: %v", list, err)
		}
	}
	searched := explore.Defaults()
	searched.Base = "cc" // which levels of databases have not
	var ambiguous *isolation.AmbiguousLevelError
	if err := searched.Named("repeatable read"); !errors.As(err, &ambiguous) {
		t.Error(err)
	}
	if err := searched.Named("serializable"); err != nil || len(searched.InSQL) > 0 || !slices.Equal(searched.Levels, []isolation.Level{isolation.SER}) {
		t.Errorf("%v, %v and %v", err, searched.Levels, searched.InSQL)
	}
	o := explore.Defaults()
	var unknown *isolation.UnknownLevelError
	if err := o.Named("repeatable reed"); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

// mistakes keeps the errors of a run.
type mistakes struct{ list []*report.Error }

func (m *mistakes) Turn(string, string, *dpor.Exploration) {}

func (m *mistakes) Event(event any) {
	if e, ok := event.(*report.Error); ok {
		m.list = append(m.list, e)
	}
}

// A program without a database asks which one is meant, and the others are explored.
func TestNamedRun(t *testing.T) {
	t.Parallel()
	o := explore.Defaults()
	if err := o.Named("repeatable read"); err != nil {
		t.Fatal(err)
	}
	o.MaxOps, o.Dir = 10, t.TempDir()
	var said mistakes
	r := &explore.Run{Options: o, Sink: &said}
	r.Programs(t.Context(), []explore.Program{{Name: "Busy", Explore: busy(2)}})
	if len(said.list) != 1 || said.list[0].Program != "Busy" || said.list[0].Kind != behaviour.Misuse.String() ||
		!strings.HasPrefix(said.list[0].Message, `--iso: "repeatable read": which database is meant?`) || !strings.HasSuffix(said.list[0].Message, "; --db=postgres or --db=mysql says it") {
		t.Errorf("%+v", said.list)
	}
}
