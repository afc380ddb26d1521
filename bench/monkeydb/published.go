package monkeydb

import "github.com/txmc/txmc/isolation"

// published are the figures to compare with. Those of the micro-benchmarks are mean
// iterations of the paper's table 1, which has causal consistency only; they are quoted
// without the text at hand. Those of OLTP-Bench are of the paper's artifact
// (github.com/rnbguy/oopsla21artifact, oltp/output_example.txt). It has the number of
// runs, of 20, that broke an assertion. The iterations are 20 divided by that number. The
// paper shows them as plots, its figures 14 and 15.
func published(assertion string, level isolation.Level, sessions int) (iterations float64, ok bool) {
	if n, ok := table1[assertion]; ok && level == isolation.CC {
		return n, true
	}
	broke, ok := artifact[assertion]
	if !ok {
		return 0, false
	}
	at := sessions - 2
	if level == isolation.RC {
		at += 2
	}
	if broke[at] == 0 {
		return 0, false
	}
	return 20 / float64(broke[at]), true
}

var table1 = map[string]float64{
	"element popped more than once": 3.7,
	"course registration overflow":  10.6,
	"removed course registration":   57.5,
	"item reappears after deletion": 20.2,
	"missing tweets in feed":        6.3,
}

// artifact has runs of 20 that broke an assertion: at CC with 2 and 3 terminals, at RC
// with 2 and 3.
var artifact = map[string][4]int{
	"A1": {17, 18, 20, 18}, "A2": {0, 6, 20, 19}, "A3": {0, 0, 17, 16}, "A4": {0, 13, 20, 19}, "A5": {},
	"A6": {0, 12, 0, 5}, "A7": {0, 0, 11, 3}, "A8": {17, 17, 19, 19}, "A9": {0, 16, 20, 19}, "A10": {17, 16, 19, 18},
	"A11": {0, 0, 20, 18}, "A12": {4, 6, 19, 18}, "A13": {20, 19, 19, 19}, "A14": {7, 17, 17, 17},
	"A15": {15, 20, 16, 19}, "A16": {15, 20, 16, 19}, "A17": {2, 2, 11, 14},
}
