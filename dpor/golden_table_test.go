package dpor_test

import "github.com/txmc/txmc/isolation"

// goldenLevels are the columns of golden.
var goldenLevels = []isolation.Level{isolation.RC, isolation.RA, isolation.CC, isolation.SI, isolation.SER}

// golden pins the number of complete histories of small programs.
var golden = []struct {
	program string
	counts  [5]int
}{
	{"inc x | inc x", [5]int{3, 3, 3, 2, 2}},
	{"inc x | inc x | inc x", [5]int{16, 16, 16, 6, 6}},
	{"inc x | inc x | inc x | inc x", [5]int{125, 125, 125, 24, 24}},
	{"inc x | inc x | r x", [5]int{9, 9, 9, 6, 6}},
	{"r x r y w x | r x r y w y", [5]int{3, 3, 3, 3, 2}}, // write skew
	{"w x w y | r x r y", [5]int{3, 2, 2, 2, 2}},         // fractured read
	{"w x w y | r x | r y", [5]int{4, 4, 4, 4, 4}},
	{"w x | r x r x", [5]int{3, 2, 2, 2, 2}},                      // non-repeatable read
	{"w x ; w y | r y ; r x", [5]int{4, 4, 3, 3, 3}},              // message passing
	{"w x ; r y | w y ; r x", [5]int{4, 4, 4, 3, 3}},              // store buffering
	{"w x | w y | r x r y | r y r x", [5]int{16, 16, 16, 14, 14}}, // long fork
	{"w x | inc x ; w y | r y r x", [5]int{12, 12, 9, 9, 9}},      // causality
	{"r x w y | r y w x", [5]int{3, 3, 3, 3, 2}},                  // load buffering
	{"r x w y | r y w z | r z w x", [5]int{7, 7, 7, 7, 6}},        // the same in a ring
	{"w x ; w x | r x ; r x", [5]int{9, 9, 6, 6, 6}},              // monotonic reads
	{"w x w y | w x w y | r x r y", [5]int{7, 3, 3, 3, 3}},        // two writers of both
	{"inc x ; inc y | inc y ; inc x", [5]int{8, 8, 6, 3, 3}},
	{"inc x ; inc y ; inc x | inc y ; inc x ; inc y", [5]int{108, 34, 28, 7, 7}},
	{"inc x ; r y | inc y ; r x | r x r y", [5]int{16, 16, 16, 10, 10}},
	{"w x | w x | w x | r x ; r x", [5]int{16, 16, 13, 13, 13}},
	{"inc x ; inc x | inc x ; inc x | inc x ; inc x", [5]int{6268, 1318, 1318, 90, 90}},
}
