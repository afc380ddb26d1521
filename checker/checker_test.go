package checker_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/txmc/txmc/checker"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report/explain"
)

// parse makes a recording of transactions like "1 wx1 ry0 rz1,2": the session, then
// operations: read, write or append, a key of one letter, a value, where 0 is the
// initial one; a list has commas, and [] is the empty one. A session followed by !
// has the transaction aborted, by ? its fate is unknown.
func parse(txns ...string) *checker.Recording {
	r := checker.NewRecording()
	for _, line := range txns {
		add(r, 0, line)
	}
	return r
}

func add(r *checker.Recording, base int, line string) int {
	fields := strings.Fields(line)
	fate := checker.Committed
	switch fields[0][len(fields[0])-1] {
	case '!':
		fate = checker.Aborted
	case '?':
		fate = checker.Unknown
	}
	session, _ := strconv.Atoi(strings.TrimRight(fields[0], "!?"))
	n := r.Begin(base+session, fate)
	for _, f := range fields[1:] {
		k := r.Key(f[1:2])
		var values []int64
		for s := range strings.SplitSeq(strings.Trim(f[2:], "[]"), ",") {
			if n, err := strconv.ParseInt(s, 10, 64); err == nil {
				values = append(values, n)
			}
		}
		switch {
		case f[0] == 'a':
			r.Append(k, values[0])
		case f[2] == '[':
			r.ReadList(k, values)
		case f[0] == 'w':
			r.Write(checker.Version{Key: k, Value: values[0], Initial: values[0] == 0})
		default:
			r.Read(checker.Version{Key: k, Value: values[0], Initial: values[0] == 0})
		}
	}
	return n
}

func decide(t *testing.T, r *checker.Recording, l isolation.Level, o checker.Options) *checker.Verdict {
	t.Helper()
	c, err := r.Checker(o)
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.Decide(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Every rule for what is no plain read of a committed write, with the strongest
// level that it leaves, or the fault.
func TestRules(t *testing.T) {
	t.Parallel()
	const no = isolation.True
	ser := isolation.SER
	for _, c := range []struct {
		name      string
		txns      []string
		options   checker.Options
		strongest isolation.Level
		fault     checker.Fault
	}{
		{"aborted read", []string{"1! wx1", "2 rx1"}, checker.Options{}, no, checker.AbortedRead},
		{"a retry has written the same", []string{"1! wx1", "1 wx1", "2 rx1"}, checker.Options{}, ser, 0},
		{"what an aborted transaction read is of no interest", []string{"1! rx7 wx1", "2 rx0"}, checker.Options{}, ser, 0},
		{"intermediate read", []string{"1 wx1 wx2", "2 rx1"}, checker.Options{}, no, checker.IntermediateRead},
		{"garbage read", []string{"1 wx1", "2 rx2"}, checker.Options{}, no, checker.GarbageRead},
		{"future read", []string{"1 rx1 wx1"}, checker.Options{}, no, checker.FutureRead},
		{"another value than the own", []string{"1 wx1", "2 wx2 rx1"}, checker.Options{}, no, checker.InternalRead},
		{"the own value again", []string{"1 wx1 rx1 wx2 rx2"}, checker.Options{}, ser, 0},
		{"the same twice", []string{"1 wx1", "2 rx1 rx1"}, checker.Options{}, ser, 0},
		{"non-repeatable read", []string{"1 wx1", "2 rx0 rx1"}, checker.Options{}, isolation.RC, 0},
		{"non-monotonic read", []string{"1 wx1", "2 rx1 rx0"}, checker.Options{}, no, 0},
		{"circular information flow", []string{"1 rx1 wy1", "2 ry1 wx1"}, checker.Options{}, no, 0},
		{"unknown, and read", []string{"1? wx1", "2 rx1"}, checker.Options{}, ser, 0},
		{"unknown, not read", []string{"1? rx9 wx1", "2 rx0"}, checker.Options{}, ser, 0},
		{"unknown, read by unknown", []string{"1? rz9 wx1", "2? rx1 wy1", "3 rx0"}, checker.Options{}, ser, 0},
		{"unknown, read by unknown that is read", []string{"1? rz9 wx1", "2? rx1 wy1", "3 ry1"}, checker.Options{}, no, checker.GarbageRead},
		{"unknown takes part when read", []string{"1? rx0 wx1", "2 rx0 wx2", "3 rx1"}, checker.Options{}, isolation.PC, 0},
		{"duplicate, either will do", []string{"1 wx1", "2 wx1", "3 rx1"}, checker.Options{}, ser, 0},
		{"duplicate, one will do", []string{"1 wx1", "1 wx2", "2 rx2", "2 rx1", "3 wx1"}, checker.Options{}, ser, 0},
		{"duplicate, none will do", []string{"1 wx1 wy1", "2 wx1 wy1", "3 ry0 rx1"}, checker.Options{}, isolation.RC, 0},
		{"duplicate of the initial value", []string{"1 wx1", "1 rx0", "2 wx0"}, checker.Options{}, ser, 0},
		{"duplicate, a fault", []string{"1 wx1", "2 wx1"}, checker.Options{UniqueValues: true}, no, checker.DuplicateWrite},
		{"initial value after the first write", []string{"1 wx1", "1 rx0"}, checker.Options{}, isolation.RC, 0},
		{"initial value in any place", []string{"1 wx1", "1 rx0"}, checker.Options{InitFree: true}, ser, 0},
		{"initial value in no place", []string{"1 wx1", "1 rx0", "2 rx0 rx0", "2 rx1"}, checker.Options{InitFree: true}, isolation.RA, 0},
		{"the initial transaction is written down", []string{"1 wx0 wy0", "2 rx0 wy1", "3 ry0 wx1"}, checker.Options{}, isolation.SI, 0},
		{"initial values are written later", []string{"4 wz1", "1 wx0 wy0", "2 rx0 wy1", "3 ry0 wx1"}, checker.Options{}, ser, 0},
		{"session order", []string{"1 wx1", "1 wx2", "2 rx2", "2 rx1"}, checker.Options{}, isolation.RA, 0},
		{"no session order", []string{"1 wx1", "1 wx2", "2 rx2", "2 rx1"}, checker.Options{NoSessionOrder: true}, ser, 0},
		{"lists", []string{"1 ax1", "2 ax2 rx[1,2]", "3 rx[1]", "3 rx[1,2]"}, checker.Options{}, ser, 0},
		{"lists of two orders", []string{"1 ax1", "2 ax2", "3 rx[1,2]", "4 rx[2]"}, checker.Options{}, no, checker.IncompatibleOrder},
		{"a list with an element twice", []string{"1 ax1", "3 rx[1,1]"}, checker.Options{}, no, checker.IncompatibleOrder},
		{"a list with an aborted element", []string{"1! ax1", "2 ax2", "3 rx[1,2]"}, checker.Options{}, no, checker.AbortedRead},
		{"a list with an unknown element", []string{"1? ax1", "2 ax2", "3 rx[1,2]"}, checker.Options{}, ser, 0},
		{"a list with half a transaction", []string{"1 ax1 ax2", "3 rx[1]"}, checker.Options{}, no, checker.IntermediateRead},
		{"lists that tell a write cycle", []string{"1 ax1 ay1", "2 ax2 ay2", "3 rx[1,2]", "4 ry[2,1]"}, checker.Options{}, no, 0},
		{"an append that is in no list comes last", []string{"1 ax1", "1 ax2", "2 rx[1]", "3 ry0"}, checker.Options{}, ser, 0},
		{"a lost append", []string{"1 ax1", "2 rx[1] ax2", "3 rx[1] ax3", "4 rx[1,2]"}, checker.Options{}, isolation.PC, 0},
		{"write skew", []string{"1 rx0 wy1", "2 ry0 wx1"}, checker.Options{}, isolation.SI, 0},
		{"nothing", nil, checker.Options{}, ser, 0},
	} {
		for _, l := range isolation.Levels() {
			v := decide(t, parse(c.txns...), l, c.options)
			want := checker.Violated
			if l <= c.strongest {
				want = checker.Satisfied
			}
			if v.Outcome != want {
				t.Errorf("%s, %v: %v", c.name, l, v.Outcome)
			}
			if c.fault != 0 && (len(v.Faults) != 1 || v.Faults[0].Fault != c.fault) {
				t.Errorf("%s, %v: %+v", c.name, l, v.Faults)
			}
		}
	}
}

// A violation is a minimal part of the history, of which report/explain tells the
// anomaly.
func TestViolation(t *testing.T) {
	t.Parallel()
	noise := []string{"7 wz1", "8 rz1 wu1", "9 ru1"}
	for name, txns := range map[string][]string{
		"lost update":               {"1 rx0 wx1", "2 rx0 wx2"},
		"long fork":                 {"1 wx1", "2 wy1", "3 rx1 ry0", "4 ry1 rx0"},
		"write skew":                {"1 rx0 wy1", "2 ry0 wx1"},
		"fractured read":            {"1 wx1 wy1", "2 rx1 ry0"},
		"causality violation":       {"1 wx1", "2 rx1 wy1", "3 ry1 rx0"},
		"circular information flow": {"1 rx1 wy1", "2 ry1 wx1"},
	} {
		v := decide(t, parse(append(txns, noise...)...), isolation.SER, checker.Options{})
		if v.Violation == nil || len(v.Violation.Txns) != len(txns)+1 {
			t.Errorf("%s: %+v", name, v)
			continue
		}
		if got := explain.Explain(v.Violation.History).Anomaly.Name; got != name {
			t.Errorf("%s is called %s", name, got)
		}
		for i, u := range v.Violation.Txns {
			if i > 0 && u >= len(txns) {
				t.Errorf("%s: transaction %d is not part of it", name, u)
			}
		}
	}
}

// A serialization order and timestamps that are right, and wrong in every way.
func TestClaims(t *testing.T) {
	t.Parallel()
	serial := func(order []int, txns ...string) string {
		r := parse(txns...)
		r.Serial(order)
		c, _ := r.Checker(checker.Options{Certificate: true})
		v, err := c.Serial()
		return claim(v, err)
	}
	for _, c := range []struct{ got, want string }{
		{serial([]int{0, 1, 2}, "1 wx1", "2 rx1 wx2", "3 rx2"), "satisfied [-1 0 1 2]"},
		{serial([]int{0, 2, 1}, "1 wx1", "2 rx1 wx2", "3 rx2"), "violated wrong read of x in 2: 1, 0"},
		{serial([]int{0, 1}, "1 wx1", "2 rx1", "3 rx1"), "violated not in the order once of  in 2: -1, -1"},
		{serial([]int{0, 0, 1}, "1 wx1", "2 rx1"), "violated not in the order once of  in 0: -1, -1"},
		{serial([]int{1, 0}, "1 wx1", "1 wx2"), "violated session order of  in 1: -1, 0"},
		{serial([]int{0, 1}, "1! wx1", "2 rx0"), "satisfied [-1 1]"},
		{serial([]int{9}, "1 wx1"), "the serialization order has a transaction 9, of 1"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	times := func(l isolation.Level, at []int64, txns ...string) string {
		r := checker.NewRecording()
		for i, line := range txns {
			add(r, 0, line)
			r.Timestamps(at[2*i], at[2*i+1])
		}
		c, _ := r.Checker(checker.Options{Certificate: true})
		v, err := c.Timestamps(l)
		return claim(v, err)
	}
	for _, c := range []struct{ got, want string }{
		{times(isolation.SI, []int64{1, 4, 2, 3}, "1 rx0 wy1", "2 ry0 wx1"), "satisfied [-1 1 0]"},
		{times(isolation.SER, []int64{1, 4, 2, 3}, "1 rx0 wy1", "2 ry0 wx1"), "violated wrong read of x in 0: -1, 1"},
		{times(isolation.SI, []int64{1, 4, 2, 3}, "1 wx1", "2 wx2"), "violated overlapping writers of x in 0: 0, 1"},
		{times(isolation.SI, []int64{1, 2, 3, 4}, "1 wx1", "2 rx0"), "violated wrong read of x in 1: -1, 0"},
		{times(isolation.SI, []int64{1, 3, 3, 3, 3, 5}, "1 wx1", "2 rx1", "3 rx1 wx2"), "satisfied [-1 0 1 2]"},
		{times(isolation.SI, []int64{1, 3, 2, 4}, "1 wx1", "1 wy2"), "violated session order of  in 1: -1, 0"},
		{times(isolation.SER, []int64{1, 3, 2, 4}, "1 wx1", "2 rx1 wx2"), "satisfied [-1 0 1]"},
		{times(isolation.CC, []int64{1, 3}, "1 wx1"), "timestamps are checked for si and ser, not for cc"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func claim(v *checker.Verdict, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case v.Claim != nil:
		return fmt.Sprintf("%v %v of %s in %d: %d, %d", v.Outcome, v.Claim.Kind, v.Claim.Key, v.Claim.Txn, v.Claim.Read, v.Claim.Other)
	}
	return fmt.Sprint(v.Outcome, " ", v.Order)
}

// Keys are different when their names are, also where these are the same number.
func TestKeys(t *testing.T) {
	t.Parallel()
	r := checker.NewRecording()
	seen := make(map[checker.Key]string)
	for range 2 {
		for _, name := range []string{"7", "07", "x", "99999", "0", "", "00", "100000", "-7", "+7"} {
			k := r.Key(name)
			if before, ok := seen[k]; ok && before != name {
				t.Errorf("%q and %q are both %d", before, name, k)
			}
			seen[k] = name
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d keys", len(seen))
	}
}
