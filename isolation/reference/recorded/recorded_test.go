package recorded_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference/recorded"
)

// parse makes a history of transactions like "1? ax1 lx[2,1] rq0 ws2". First comes the
// session, with ! when the transaction has aborted and ? when nobody knows. Then come
// operations: w and r on a register, a and l on a list, + and s on a set.
func parse(txns []string) (h recorded.Recorded) {
	for _, text := range txns {
		words := strings.Fields(text)
		t := recorded.Transaction{Session: int(words[0][0])}
		switch strings.TrimLeft(words[0], "0123456789") {
		case "!":
			t.Fate = recorded.Aborted
		case "?":
			t.Fate = recorded.Unknown
		}
		for _, w := range words[1:] {
			o := recorded.Op{Object: w[1:2], Kind: recorded.Kind(strings.IndexByte("wral+s", w[0]))}
			for v := range strings.SplitSeq(strings.Trim(w[2:], "[]"), ",") {
				if n, err := strconv.Atoi(v); err == nil {
					o.Values = append(o.Values, n)
				}
			}
			if !strings.Contains(w, "[") {
				o.Value, o.Values = o.Values[0], nil
			}
			t.Ops = append(t.Ops, o)
		}
		h = append(h, t)
	}
	return h
}

// The strongest level of histories that are known, or none.
func TestKnownHistories(t *testing.T) {
	t.Parallel()
	const none = isolation.True
	for _, c := range []struct {
		name      string
		txns      []string
		strongest isolation.Level
	}{
		{"nothing", nil, isolation.SER},
		{"aborted read", []string{"1! wq1", "2 rq1"}, none},
		{"intermediate read", []string{"1 wq1 wq2", "2 rq1"}, none},
		{"future read", []string{"1 rq1 wq1"}, none},
		{"circular information flow", []string{"1 rq1 wr1", "2 rr1 wq1"}, none},
		{"non-monotonic read", []string{"1 wq1", "2 rq1 rq0"}, none},
		{"non-repeatable read", []string{"1 wq1", "2 rq0 rq1"}, isolation.RC},
		{"fractured read", []string{"1 wq1 wr1", "2 rr0 rq1"}, isolation.RC},
		{"conflict on what nobody reads", []string{"1 ax5 wq6 rr0", "2 lx[] wr1 wq2"}, isolation.PC},
		{"the own session missed", []string{"1 wq1", "1 rq0"}, isolation.RC},
		{"causality violation", []string{"1 wq1", "2 rq1 wr1", "3 rr1 rq0"}, isolation.RA},
		{"long fork", []string{"1 wq1", "2 wr1", "3 rq1 rr0", "4 rr1 rq0"}, isolation.CC},
		{"lost update", []string{"1 rq0 wq1", "2 rq0 wq2"}, isolation.PC},
		{"write skew", []string{"1 rq0 wr1", "2 rr0 wq1"}, isolation.SI},
		{"repeated values", []string{"1 wq1 wr1", "2 wq1", "3 rq1 rr0"}, isolation.SER},
		{"unknown, not seen", []string{"1? rq9 wr1", "2 rr0"}, isolation.SER},
		{"unknown, seen", []string{"1? rq9 wr1", "2 rr1"}, none},
		{"own append missing", []string{"1 ay1 ay2 ly[2]"}, none},
		{"appends exchanged", []string{"1 ax1 ax2 ax3", "2 lx[2,1,3]"}, none},
		{"append lost", []string{"1 ax1 ax2 ax3", "2 lx[1,3]"}, none},
		{"both seen", []string{"1? ax1", "2? ax2 lx[1,2]", "3 lx[2,1]"}, none},
		{"seen elsewhere", []string{"1 lx[] ax1", "2? ax2 lx[2] ay3", "3 ly[3]"}, isolation.PC},
		{"not seen elsewhere", []string{"1 lx[] ax1", "2? ax2 lx[2] ay3", "3 ly[]"}, isolation.SER},
		{"half a transaction", []string{"1 ax1 ax2", "2 lx[1]"}, none},
		{"half of the own transaction", []string{"1 ax1 lx[1] ax2", "2 lx[1,2]"}, isolation.SER},
		{"others between own appends", []string{"1 ax1 ax3", "2 ax2", "3 lx[1,2,3]"}, none},
		{"a later state before own appends", []string{"1 ax1", "2 lx[] ax2 lx[1,2]"}, isolation.RC},
		{"what stands before own appends is read", []string{"1 ax1 wq1", "2 rq0 ax2 lx[1,2]"}, isolation.RC},
		{"another order before own appends", []string{"1 ax1 lx[1]", "2 ax2 lx[2]"}, none},
		{"a set", []string{"1 +s1", "2 +s2", "3 ss[1,2]", "3 ss[1,2]"}, isolation.SER},
		{"a set without an element", []string{"1 +s1 +s2", "3 ss[2]"}, isolation.RC},
		{"sets that fork", []string{"1 +s1", "2 +s2", "3 ss[1]", "4 ss[2]"}, isolation.CC},
		{"a set without the own element", []string{"1 +s1 ss[]"}, none},
	} {
		for l, ok := range parse(c.txns).Satisfied() {
			if ok != (l <= c.strongest) {
				t.Errorf("%s, %v: %v", c.name, l, ok)
			}
		}
	}
}
