package check_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	_ "github.com/txmc/txmc/program/deadlinetest" // its threads
)

// parse makes a recording of transactions like "1 wx1 ry0 rz1,2": the session, then
// operations. An operation is read, write or append, a key of one letter, and a value.
// 0 is the initial value. A list has commas, and [] is the empty list. A session
// followed by ! has the transaction aborted, by ? its fate is unknown.
func parse(txns ...string) *check.Recording {
	r := check.NewRecording()
	for _, line := range txns {
		add(r, 0, line)
	}
	return r
}

func add(r *check.Recording, base int, line string) int {
	fields := strings.Fields(line)
	fate := history.Committed
	switch fields[0][len(fields[0])-1] {
	case '!':
		fate = history.Aborted
	case '?':
		fate = history.Unknown
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
			r.Write(check.Version{Key: k, Value: values[0], Initial: values[0] == 0})
		default:
			r.Read(check.Version{Key: k, Value: values[0], Initial: values[0] == 0})
		}
	}
	return n
}

func decide(t *testing.T, r *check.Recording, l isolation.Level, o check.Options) *check.Verdict {
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
		options   check.Options
		strongest isolation.Level
		fault     check.Fault
	}{
		{"aborted read", []string{"1! wx1", "2 rx1"}, check.Options{}, no, check.AbortedRead},
		{"a retry has written the same", []string{"1! wx1", "1 wx1", "2 rx1"}, check.Options{}, ser, 0},
		{"what an aborted transaction read is of no interest", []string{"1! rx7 wx1", "2 rx0"}, check.Options{}, ser, 0},
		{"intermediate read", []string{"1 wx1 wx2", "2 rx1"}, check.Options{}, no, check.IntermediateRead},
		{"garbage read", []string{"1 wx1", "2 rx2"}, check.Options{}, no, check.GarbageRead},
		{"future read", []string{"1 rx1 wx1"}, check.Options{}, no, check.FutureRead},
		{"another value than the own", []string{"1 wx1", "2 wx2 rx1"}, check.Options{}, no, check.InternalRead},
		{"the own value again", []string{"1 wx1 rx1 wx2 rx2"}, check.Options{}, ser, 0},
		{"the same twice", []string{"1 wx1", "2 rx1 rx1"}, check.Options{}, ser, 0},
		{"non-repeatable read", []string{"1 wx1", "2 rx0 rx1"}, check.Options{}, isolation.RC, 0},
		{"non-monotonic read", []string{"1 wx1", "2 rx1 rx0"}, check.Options{}, no, 0},
		{"circular information flow", []string{"1 rx1 wy1", "2 ry1 wx1"}, check.Options{}, no, 0},
		{"unknown, and read", []string{"1? wx1", "2 rx1"}, check.Options{}, ser, 0},
		{"unknown, not read", []string{"1? rx9 wx1", "2 rx0"}, check.Options{}, ser, 0},
		{"unknown, read by unknown", []string{"1? rz9 wx1", "2? rx1 wy1", "3 rx0"}, check.Options{}, ser, 0},
		{"unknown, read by unknown that is read", []string{"1? rz9 wx1", "2? rx1 wy1", "3 ry1"}, check.Options{}, no, check.GarbageRead},
		{"unknown takes part when read", []string{"1? rx0 wx1", "2 rx0 wx2", "3 rx1"}, check.Options{}, isolation.PC, 0},
		{"duplicate, either will do", []string{"1 wx1", "2 wx1", "3 rx1"}, check.Options{}, ser, 0},
		{"duplicate, one will do", []string{"1 wx1", "1 wx2", "2 rx2", "2 rx1", "3 wx1"}, check.Options{}, ser, 0},
		{"duplicate, none will do", []string{"1 wx1 wy1", "2 wx1 wy1", "3 ry0 rx1"}, check.Options{}, isolation.RC, 0},
		{"duplicate of the initial value", []string{"1 wx1", "1 rx0", "2 wx0"}, check.Options{}, ser, 0},
		{"duplicate, a fault", []string{"1 wx1", "2 wx1"}, check.Options{UniqueValues: true}, no, check.DuplicateWrite},
		{"initial value after the first write", []string{"1 wx1", "1 rx0"}, check.Options{}, isolation.RC, 0},
		{"initial value in any place", []string{"1 wx1", "1 rx0"}, check.Options{InitFree: true}, ser, 0},
		{"initial value in no place", []string{"1 wx1", "1 rx0", "2 rx0 rx0", "2 rx1"}, check.Options{InitFree: true}, isolation.RA, 0},
		{"the initial transaction is written down", []string{"1 wx0 wy0", "2 rx0 wy1", "3 ry0 wx1"}, check.Options{}, isolation.SI, 0},
		{"initial values are written later", []string{"4 wz1", "1 wx0 wy0", "2 rx0 wy1", "3 ry0 wx1"}, check.Options{}, ser, 0},
		{"session order", []string{"1 wx1", "1 wx2", "2 rx2", "2 rx1"}, check.Options{}, isolation.RA, 0},
		{"no session order", []string{"1 wx1", "1 wx2", "2 rx2", "2 rx1"}, check.Options{NoSessionOrder: true}, ser, 0},
		{"lists", []string{"1 ax1", "2 ax2 rx[1,2]", "3 rx[1]", "3 rx[1,2]"}, check.Options{}, ser, 0},
		{"lists of two orders", []string{"1 ax1", "2 ax2", "3 rx[1,2]", "4 rx[2]"}, check.Options{}, no, check.IncompatibleOrder},
		{"a list with an element twice", []string{"1 ax1", "3 rx[1,1]"}, check.Options{}, no, check.IncompatibleOrder},
		{"a list with an aborted element", []string{"1! ax1", "2 ax2", "3 rx[1,2]"}, check.Options{}, no, check.AbortedRead},
		{"a list with an unknown element", []string{"1? ax1", "2 ax2", "3 rx[1,2]"}, check.Options{}, ser, 0},
		{"a list with half a transaction", []string{"1 ax1 ax2", "3 rx[1]"}, check.Options{}, no, check.IntermediateRead},
		{"lists that tell a write cycle", []string{"1 ax1 ay1", "2 ax2 ay2", "3 rx[1,2]", "4 ry[2,1]"}, check.Options{}, no, 0},
		{"an append that is in no list comes last", []string{"1 ax1", "1 ax2", "2 rx[1]", "3 ry0"}, check.Options{}, ser, 0},
		{"a lost append", []string{"1 ax1", "2 rx[1] ax2", "3 rx[1] ax3", "4 rx[1,2]"}, check.Options{}, isolation.PC, 0},
		{"an own append is not there", []string{"1 ax1 ax2 rx[2]"}, check.Options{}, no, check.InternalRead},
		{"own appends in another order", []string{"1 ax1 ax2 rx[2,1]"}, check.Options{}, no, check.InternalRead},
		{"an own append too many", []string{"1 ax1 rx[1,1]"}, check.Options{}, no, check.InternalRead},
		{"own appends so far", []string{"1 ax1 rx[1] ax2 rx[1,2]", "2 rx[1,2]"}, check.Options{}, ser, 0},
		{"own appends do not stand together", []string{"1 ax1 rx[1] ax2", "2 rx[1,3,2]", "3 ax3"}, check.Options{}, no, check.IncompatibleOrder},
		{"own appends of two transactions", []string{"1 ax1 rx[1]", "2 ax2 rx[2]"}, check.Options{}, no, check.IncompatibleOrder},
		{"what stands before own appends is read", []string{"1 ax1 wy1", "2 ry0 ax2 rx[1,2]"}, check.Options{}, isolation.RC, 0},
		{"a later state before own appends", []string{"1 ax1", "2 rx0 ax2 rx[1,2]"}, check.Options{}, isolation.RC, 0},
		{"half a transaction before own appends", []string{"1 ax1 ax3", "2 ax2 rx[1,2]"}, check.Options{}, no, check.IntermediateRead},
		{"a later own append before own appends", []string{"1 ax1 rx[2,1] ax2"}, check.Options{}, no, check.FutureRead},
		{"appends of a transaction in another order", []string{"1 ax1 ax2 ax3", "2 rx[2,1,3]"}, check.Options{}, no, check.IncompatibleOrder},
		{"an append that is not there, and the next one", []string{"1 ax1 ax2 ax3", "2 rx[1,3]"}, check.Options{}, no, check.LostAppend},
		{"the first append is not there", []string{"1 ax1 ax2", "2 rx[2]"}, check.Options{}, no, check.LostAppend},
		{"an append that is not there, and one of others", []string{"1 ax1 ax2", "2 ax3", "3 rx[1,3]"}, check.Options{}, no, check.LostAppend},
		{"unknown, both seen", []string{"1? ax1", "2? ax2 rx[1,2]", "3 rx[2,1]"}, check.Options{}, no, check.IncompatibleOrder},
		{"unknown, seen by a list in the middle", []string{"1? ax1 ry7", "2 ax2", "3 rx[1,2]"}, check.Options{}, no, check.GarbageRead},
		{"unknown, seen by an unknown that is seen", []string{"1? ax1 ry7", "2? ax2 rx[1,2] wz1", "3 rz1"}, check.Options{}, no, check.GarbageRead},
		{"unknown, seen by an unknown that is not", []string{"1? ax1 ry7", "2? ax2 rx[1,2] wz1", "3 rz0"}, check.Options{}, ser, 0},
		{"unknown, one of two that wrote the same, with another list", []string{"1? wz1 rx[2]", "2? wz1", "3 ax1", "4 ax2", "5 rz1 rx[1,2]"}, check.Options{}, ser, 0},
		{"unknown, both with another list", []string{"1? wz1 rx[2]", "2? wz1 rx[2]", "3 ax1", "4 ax2", "5 rz1 rx[1,2]"}, check.Options{}, no, 0},
		{"an append again after it aborted", []string{"1! ax1", "1 ax1", "2 ax2", "3 rx[1,2]"}, check.Options{}, ser, 0},
		{"an append that was said to be unknown, again", []string{"1? ax1", "1 ax1", "2 ax2 rx[1,2]"}, check.Options{}, ser, 0},
		{"two appends of a value", []string{"1 ax1", "2 ax1", "3 rx[1,1]"}, check.Options{}, ser, 0},
		{"two appends of a value, neither sees the other", []string{"1 ax1 rx[1]", "2 ax1 rx[1]", "3 rx[1,1]"}, check.Options{}, no, 0},
		{"two appends of a value, one lost", []string{"1 rx0 ax1 rx[1]", "2 rx0 ax1", "3 rx[1,1]"}, check.Options{}, isolation.PC, 0},
		{"write skew", []string{"1 rx0 wy1", "2 ry0 wx1"}, check.Options{}, isolation.SI, 0},
		{"nothing", nil, check.Options{}, ser, 0},
	} {
		for _, l := range isolation.Levels() {
			v := decide(t, parse(c.txns...), l, c.options)
			want := check.Violated
			if l <= c.strongest {
				want = check.Satisfied
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
		v := decide(t, parse(append(txns, noise...)...), isolation.SER, check.Options{})
		if v.Violation == nil || len(v.Violation.Txns) != len(txns)+1 {
			t.Errorf("%s: %+v", name, v)
			continue
		}
		if got := anomaly.Explain(v.Violation.History).Anomaly.Name; got != name {
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
func TestCertificates(t *testing.T) {
	t.Parallel()
	serial := func(order []int, txns ...string) string {
		r := parse(txns...)
		r.Serial(order)
		c, _ := r.Checker(check.Options{Certificate: true})
		v, err := c.Serial()
		return claim(v, err)
	}
	for _, c := range []struct{ got, want string }{
		{serial([]int{0, 1, 2}, "1 wx1", "2 rx1 wx2", "3 rx2"), "satisfied [-1 0 1 2]"},
		{serial([]int{0, 2, 1}, "1 wx1", "2 rx1 wx2", "3 rx2"), "violated wrong read of x in 2: 1, 0"},
		{serial([]int{0, 1}, "1 wx1", "2 rx1 wy1", "3 rx1 wx2"), "violated not in the order once of  in 2: -1, -1"},
		{serial([]int{0, 1}, "1 wx1", "2 wx2", "3 rx1", "4 rx2", "4 rx2", "5 rx0"), "satisfied [-1 5 0 2 1 3 4]"},
		{serial([]int{0, 1}, "1 wx1", "2 wx2", "3 rx2", "3 rx1"), "violated wrong read of x in 3: 0, 1"},
		{serial([]int{0, 1}, "1 wx1 wy1", "2 wx2", "3 rx1 ry1", "3 ry1 rx2"), "satisfied [-1 0 2 1 3]"},
		{serial([]int{1, 0}, "1 wx1", "2 wy2", "3 rx1 ry0"), "violated wrong read of y in 2: -1, 1"},
		{serial([]int{0, 2}, "1 wx1", "2 rx2", "2 wx2"), "violated session order of  in 2: -1, 1"},
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
		r := check.NewRecording()
		for i, line := range txns {
			add(r, 0, line)
			r.Timestamps(at[2*i], at[2*i+1])
		}
		c, _ := r.Checker(check.Options{Certificate: true})
		v, err := c.Timestamps(l)
		return claim(v, err)
	}
	for _, c := range []struct{ got, want string }{
		{times(isolation.SI, []int64{1, 4, 2, 3}, "1 rx0 wy1", "2 ry0 wx1"), "satisfied [-1 1 0]"},
		{times(isolation.SER, []int64{1, 4, 2, 3}, "1 rx0 wy1", "2 ry0 wx1"), "violated wrong read of x in 0: -1, 1"},
		{times(isolation.SI, []int64{1, 4, 2, 3}, "1 wx1", "2 wx2"), "violated overlapping writers of x in 0: 0, 1"},
		{times(isolation.SI, []int64{1, 2, 3, 4}, "1 wx1", "2 rx0"), "violated wrong read of x in 1: -1, 0"},
		{times(isolation.SI, []int64{1, 3, 3, 3, 3, 5}, "1 wx1", "2 rx1", "3 rx1 wx2"), "satisfied [-1 0 1 2]"},
		// A transaction whose start is its commit reads before it writes.
		{times(isolation.SI, []int64{1, 1, 2, 2}, "1 rx0 wx1", "2 rx1 wx2"), "satisfied [-1 0 1]"},
		{times(isolation.SI, []int64{1, 3, 3, 3, 3, 4}, "1 wx1", "2 rx1 wx2", "3 rx2"), "satisfied [-1 0 1 2]"},
		{times(isolation.SI, []int64{1, 1, 2, 2}, "1 rx0 wx1", "2 rx0 wx2"), "violated wrong read of x in 1: -1, 0"},
		{times(isolation.SI, []int64{1, 3, 2, 4}, "1 wx1", "1 wy2"), "violated session order of  in 1: -1, 0"},
		{times(isolation.SER, []int64{1, 3, 2, 4}, "1 wx1", "2 rx1 wx2"), "satisfied [-1 0 1]"},
		{times(isolation.CC, []int64{1, 3}, "1 wx1"), "timestamps are checked for si and ser, not for cc"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func claim(v *check.Verdict, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case v.Mismatch != nil:
		return fmt.Sprintf("%v %v of %s in %d: %d, %d", v.Outcome, v.Mismatch.Kind, v.Mismatch.Key, v.Mismatch.Txn, v.Mismatch.Read, v.Mismatch.Other)
	}
	return fmt.Sprint(v.Outcome, " ", v.Order)
}

// Keys are different when their names are, also where these are the same number.
func TestKeys(t *testing.T) {
	t.Parallel()
	r := check.NewRecording()
	seen := make(map[check.Key]string)
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
