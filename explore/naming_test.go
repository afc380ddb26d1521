package explore

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
)

// Another engine is advised to whom it would help.
func TestAdvice(t *testing.T) {
	t.Parallel()
	vain := dpor.Stats{Engine: dpor.Swap, Stopped: work.ByTimeout, Counts: work.Counts{Histories: 3, EndStates: 31}}
	for name, test := range map[string]struct {
		opts   dpor.Options
		change func(*dpor.Stats)
		want   string
	}{
		"stopped":      {dpor.Options{Level: isolation.SER, Base: isolation.CC}, func(*dpor.Stats) {}, "ser forbids 28 of the 31 histories of cc found so far; --engine=auto explores ser alone"},
		"weaker base":  {dpor.Options{Level: isolation.SER, Base: isolation.RA}, func(*dpor.Stats) {}, ""},
		"weaker level": {dpor.Options{Level: isolation.CC, Base: isolation.CC}, func(*dpor.Stats) {}, ""},
		"baseline":     {dpor.Options{Level: isolation.SER, Base: isolation.CC, DFS: true}, func(*dpor.Stats) {}, ""},
		"worth it":     {dpor.Options{Level: isolation.SI, Base: isolation.CC}, func(s *dpor.Stats) { s.Histories = 4 }, ""},
		"serial":       {dpor.Options{Level: isolation.SI, Base: isolation.CC}, func(s *dpor.Stats) { s.Engine = dpor.Serial }, ""},
		"a violation":  {dpor.Options{Level: isolation.SI, Base: isolation.CC}, func(s *dpor.Stats) { s.Stopped = work.ByViolation }, ""},
		"complete":     {dpor.Options{Level: isolation.SI, Base: isolation.CC}, func(s *dpor.Stats) { s.Complete = true }, ""},
	} {
		st := vain
		test.change(&st)
		got := ""
		if a := advise(test.opts, st); a != nil {
			got = a.Words(Flags)
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// A limit is named as the user has typed it.
func TestLimits(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		time.Minute: "1m", time.Hour: "1h", 90 * time.Second: "1m30s", 20 * time.Minute: "20m", 10 * time.Hour: "10h",
		200 * time.Millisecond: "200ms", time.Hour + time.Second: "1h0m1s", 10 * time.Second: "10s",
	} {
		o := Options{Timeout: d, MaxHistories: 7}
		limits := o.Limits(Flags)
		if limits["timeout"] != "--timeout="+want || limits["max-histories"] != "--max-histories=7" {
			t.Errorf("%v: %v", d, limits)
		}
	}
}

// What is wrong with options is a type, and is worded as the options are given.
func TestOptionError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		options Options
		level   isolation.Level
		want    OptionError
	}{
		{Options{Base: "si"}, isolation.SER, OptionError{Wrong: UnknownBase, Value: "si"}},
		{Options{Base: "CC"}, isolation.RA, OptionError{Wrong: StrongBase, Value: "cc", Level: isolation.RA}},
		{Options{Engine: "fast"}, isolation.SI, OptionError{Wrong: UnknownEngine, Value: "fast"}},
		{Options{Engine: "serial", Base: "ra"}, isolation.SI, OptionError{Wrong: BaseOfSerial, Value: "ra"}},
		{Options{Engine: "serial"}, isolation.CC, OptionError{Wrong: LevelOfSerial, Level: isolation.CC}},
	} {
		_, err := test.options.At(test.level)
		var wrong *OptionError
		if !errors.As(err, &wrong) || *wrong != test.want {
			t.Errorf("%+v at %v: %v", test.options, test.level, err)
			continue
		}
		if strings.Contains(wrong.Error(), "--") {
			t.Errorf("an error without a naming names a flag: %v", wrong)
		}
	}
}

// Options are the same after a way through JSON.
func TestOptionsAsJSON(t *testing.T) {
	t.Parallel()
	want := Options{
		Levels: []isolation.Level{isolation.RC, isolation.SER}, InSQL: []isolation.Level{isolation.PgRC}, Base: "ra", Unasserted: "nothing", Engine: "swap", Symmetry: "find", Shown: true, MaxValue: 7, Dir: "/src", Timeout: time.Minute, MaxHistories: 1, Interruptions: new(int),
		MaxOps: 2, MaxTreeBytes: 3, Patience: time.Second, Workers: 4, Recheck: 5, DatabaseVersion: 15, Clock: time.Unix(7, 0).UTC(), Prints: true,
	}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Options
	if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %+v, want %+v", err, got, want)
	}
	v := reflect.ValueOf(want)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the test leaves out %s", v.Type().Field(i).Name)
		}
	}
}
