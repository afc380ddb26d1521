package check_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/isolation"
)

// Version orders decide what reads leave open.
func TestVersions(t *testing.T) {
	t.Parallel()
	txns := []string{"1 wx1 wy1", "2 wx2 wy2"}
	for _, c := range []struct {
		x, y      []int64
		strongest isolation.Level
	}{
		{nil, nil, isolation.SER},
		{[]int64{1, 2}, []int64{1, 2}, isolation.SER},
		{[]int64{2, 1}, []int64{2, 1}, isolation.SER},
		{[]int64{1, 2}, []int64{2, 1}, isolation.True},
	} {
		for _, l := range isolation.Levels() {
			r := parse(txns...)
			r.Versions(r.Key("x"), c.x)
			r.Versions(r.Key("y"), c.y)
			if v := decide(t, r, l, check.Options{}); (v.Outcome == check.Satisfied) != (l <= c.strongest) {
				t.Errorf("%v %v, %v: %v", c.x, c.y, l, v.Outcome)
			}
		}
	}
}

// A version order against session order, against what a reader has seen, and one
// that makes a write skew of two blind writes.
func TestVersionsAndReads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		txns      []string
		x         []int64
		strongest isolation.Level
	}{
		{"session", []string{"1 wx1", "1 wx2"}, []int64{2, 1}, isolation.True},
		{"lost update", []string{"1 rx0 wx1", "2 wx2"}, []int64{2, 1}, isolation.PC},
		{"no lost update", []string{"1 rx0 wx1", "2 wx2"}, []int64{1, 2}, isolation.SER},
		{"write skew", []string{"1 wx1 ry0", "2 wy1", "2 rx0"}, []int64{1}, isolation.SI},
	} {
		for _, l := range isolation.Levels() {
			r := parse(c.txns...)
			r.Versions(r.Key("x"), c.x)
			if v := decide(t, r, l, check.Options{}); (v.Outcome == check.Satisfied) != (l <= c.strongest) {
				t.Errorf("%s, %v: %v", c.name, l, v.Outcome)
			}
		}
	}
}

// Predicate reads: of even values. Without predicates all of these are
// serializable.
func TestPredicates(t *testing.T) {
	t.Parallel()
	even := func(v check.Version) bool { return !v.Initial && v.Value%2 == 0 }
	version := func(r *check.Recording, key string, value int64) check.Version {
		return check.Version{Key: r.Key(key), Value: value, Initial: value == 0}
	}
	for _, c := range []struct {
		name      string
		txns      []string // a p begins a predicate read: pkv … sees version v of key k
		versions  map[string][]int64
		strongest isolation.Level
	}{
		// Both look for rows, find none, and insert one.
		{"phantom skew", []string{"1 px0 py0 wx2", "2 px0 py0 wy2"}, map[string][]int64{"x": {2}, "y": {2}}, isolation.SI},
		{"a key that is not in the set is not there", []string{"1 px0 wx2", "2 py0 wy2"}, map[string][]int64{"x": {2}, "y": {2}}, isolation.SI},
		{"what does not match is no phantom", []string{"1 px0 py0 wx1", "2 px0 py0 wy1"}, map[string][]int64{"x": {1}, "y": {1}}, isolation.SER},
		// It sees y's new version, and not x's, of the same transaction.
		{"half of a transaction", []string{"1 wx2 wy2", "2 px0 py2"}, map[string][]int64{"x": {2}, "y": {2}}, isolation.CC},
		{"half of one that does not match", []string{"1 wx1 wy2", "2 px0 py2"}, map[string][]int64{"x": {1}, "y": {2}}, isolation.SER},
		{"no longer matching", []string{"1 wx2", "2 wx1 wy2", "3 px2 py2"}, map[string][]int64{"x": {2, 1}, "y": {2}}, isolation.CC},
		{"still matching", []string{"1 wx2", "2 wx4 wy2", "3 px2 py2"}, map[string][]int64{"x": {2, 4}, "y": {2}}, isolation.SER},
	} {
		for _, l := range isolation.Levels() {
			r, named := check.NewRecording(), check.NewRecording()
			named.Matches("even", []check.Version{version(named, "x", 2), version(named, "x", 4), version(named, "y", 2)})
			for _, line := range c.txns {
				predicateTxn(r, line, even, version, func(set, result []check.Version) { r.Predicate(set, result, even) })
				predicateTxn(named, line, even, version, func(set, result []check.Version) { named.Where("even", set, result, nil) })
			}
			for k, vs := range c.versions {
				r.Versions(r.Key(k), vs)
				named.Versions(named.Key(k), vs)
			}
			v := decide(t, r, l, check.Options{})
			if v2 := decide(t, named, l, check.Options{}); v2.Outcome != v.Outcome {
				t.Errorf("%s, %v: %v, and %v by name", c.name, l, v.Outcome, v2.Outcome)
			}
			if l <= isolation.CC {
				continue // predicates are about points in time
			}
			if (v.Outcome == check.Satisfied) != (l <= c.strongest) {
				t.Errorf("%s, %v: %v", c.name, l, v.Outcome)
			}
		}
	}

	r := check.NewRecording()
	r.Begin(1, history.Committed)
	r.Write(version(r, "x", 2))
	r.Begin(2, history.Committed)
	r.Predicate([]check.Version{version(r, "x", 2)}, nil, even)
	if v := decide(t, r, isolation.RC, check.Options{}); len(v.Faults) != 1 || v.Faults[0].Fault != check.WrongResult {
		t.Errorf("a row is missing: %+v", v)
	}
}

// predicateTxn adds a transaction like "1 px0 py2 wx1": a predicate read of what
// matches among the versions said, and writes.
func predicateTxn(r *check.Recording, line string, match func(check.Version) bool,
	version func(*check.Recording, string, int64) check.Version, read func(set, result []check.Version)) {
	fields := strings.Fields(line)
	session, _ := strconv.Atoi(fields[0])
	r.Begin(session, history.Committed)
	var set, result []check.Version
	for _, f := range fields[1:] {
		n, _ := strconv.ParseInt(f[2:], 10, 64)
		v := version(r, f[1:2], n)
		if f[0] == 'w' {
			r.Write(v)
			continue
		}
		set = append(set, v)
		if match(v) {
			result = append(result, v)
		}
	}
	if set != nil {
		read(set, result)
	}
}

// A predicate that finds nothing saw a deleted version or the initial one: its snapshot
// tells which. A transaction deletes what another one has counted: then it comes after
// that one. It comes before a transaction that finds the row gone.
func TestDeletions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		snapshot  []int64 // of the reader
		strongest isolation.Level
	}{
		{[]int64{3}, isolation.CC},     // it saw the deletion, and not what the same transaction wrote
		{[]int64{2}, isolation.SER},    // the deletion is still to come
		{[]int64{3, 2}, isolation.SER}, // it is not one of those that were seen
		{nil, isolation.SER},
	} {
		for _, l := range []isolation.Level{isolation.PC, isolation.SI, isolation.SER} {
			r := check.NewRecording()
			x := func(v int64) check.Version { return check.Version{Key: r.Key("x"), Value: v, Initial: v == 0} }
			y := func(v int64) check.Version { return check.Version{Key: r.Key("y"), Value: v, Initial: v == 0} }
			r.Matches("there", []check.Version{x(1)})
			r.Begin(1, history.Committed) // inserts
			r.Write(x(1))
			r.Begin(2, history.Committed) // deletes and writes y
			r.Write(x(2))
			r.Write(y(1))
			r.Begin(3, history.Committed) // does not find it, and writes y without having seen that
			r.Where("there", nil, nil, c.snapshot)
			r.Read(y(0))
			r.Write(y(2))
			r.Versions(r.Key("x"), []int64{1, 2})
			r.Deleted(x(2), 2)
			if v := decide(t, r, l, check.Options{}); (v.Outcome == check.Satisfied) != (l <= c.strongest) {
				t.Errorf("snapshot %v, %v: %v", c.snapshot, l, v.Outcome)
			}
		}
	}
}
