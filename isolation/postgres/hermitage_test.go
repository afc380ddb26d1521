package postgres

import "testing"

// Hermitage: Martin Kleppmann's cases of isolation anomalies, those for
// PostgreSQL (github.com/ept/hermitage, postgres.md). The table starts with
// (1, 10) and (2, 20). Where the original has a predicate that statements cannot
// express, a bound on v with the same candidates stands for it; values are
// increments.

// hermitage is a case: the sessions, the order of their steps, and for each
// level what every step returns: session:result, or - when it blocks.
type hermitage struct {
	name     string
	sessions []string // statements of one transaction, see parse
	schedule string
	want     map[string]string
}

func at(rc, rr, ser string) map[string]string {
	return map[string]string{"rc": rc, "rr": rr, "ser": ser}
}

func everywhere(s string) map[string]string { return at(s, s, s) }

var hermitageCases = []hermitage{
	{"G0: write cycles", []string{"upd 1 +1; upd 2 +1", "upd 1 +2; upd 2 +2; scan"}, "0100111",
		at("0:1 - 0:1 0:C,1:1 1:1 1:1=13,2=23 1:C", "0:1 - 0:1 0:C,1:!40001", "0:1 - 0:1 0:C,1:!40001")},
	{"G1a: aborted reads", []string{"upd 1 +91; abort", "scan; scan"}, "01011",
		everywhere("0:1 1:1=10,2=20 0:R 1:1=10,2=20 1:C")},
	{"G1b: intermediate reads", []string{"upd 1 +91; upd 1 -90", "scan; scan"}, "010011",
		at("0:1 1:1=10,2=20 0:1 0:C 1:2=20,1=11 1:C", "0:1 1:1=10,2=20 0:1 0:C 1:1=10,2=20 1:C", "0:1 1:1=10,2=20 0:1 0:C 1:1=10,2=20 1:C")},
	{"G1c: circular information flow", []string{"upd 1 +1; get 2", "upd 2 +2; get 1"}, "010101",
		at("0:1 1:1 0:2=20 1:1=10 0:C 1:C", "0:1 1:1 0:2=20 1:1=10 0:C 1:C", "0:1 1:1 0:2=20 1:1=10 0:C 1:!40001")},
	{"OTV: observed transaction vanishes", []string{"upd 1 +1; upd 2 -1", "upd 1 +1; upd 2 -1", "get 1; get 2; get 2; get 1"}, "00102121222",
		at("0:1 0:1 - 0:C,1:1 2:1=11 1:1 2:2=19 1:C 2:2=18 2:1=12 2:C",
			"0:1 0:1 - 0:C,1:!40001 2:1=11 2:2=19 2:2=19 2:1=11 2:C",
			"0:1 0:1 - 0:C,1:!40001 2:1=11 2:2=19 2:2=19 2:1=11 2:C")},
	{"PMP: predicate-many-preceders", []string{"scan 30; scan 30", "ins 3 30"}, "01100",
		at("0:- 1:1 1:C 0:3=30 0:C", "0:- 1:1 1:C 0:- 0:C", "0:- 1:1 1:C 0:- 0:C")},
	{"PMP: write predicate", []string{"upd all +10", "delfrom 20; scan"}, "01011",
		at("0:2 - 0:C,1:1 1:1=20 1:C", "0:2 - 0:C,1:!40001", "0:2 - 0:C,1:!40001")},
	{"PMP: write predicate, the row no longer matches", []string{"upd all -5", "delfrom 20; scan"}, "01011",
		at("0:2 - 0:C,1:0 1:1=5,2=15 1:C", "0:2 - 0:C,1:!40001", "0:2 - 0:C,1:!40001")},
	{"P4: lost update", []string{"get 1; set 1 +1", "get 1; set 1 +1"}, "010101",
		at("0:1=10 1:1=10 0:1 - 0:C,1:1 1:C", "0:1=10 1:1=10 0:1 - 0:C,1:!40001", "0:1=10 1:1=10 0:1 - 0:C,1:!40001")},
	{"G-single: read skew", []string{"get 1; get 2", "get 1; get 2; upd 1 +2; upd 2 -2"}, "01111100",
		at("0:1=10 1:1=10 1:2=20 1:1 1:1 1:C 0:2=18 0:C", "0:1=10 1:1=10 1:2=20 1:1 1:1 1:C 0:2=20 0:C", "0:1=10 1:1=10 1:2=20 1:1 1:1 1:C 0:2=20 0:C")},
	{"G-single: predicate dependencies", []string{"scan 20; scan 20", "upd 1 +11"}, "01100",
		at("0:2=20 1:1 1:C 0:2=20,1=21 0:C", "0:2=20 1:1 1:C 0:2=20 0:C", "0:2=20 1:1 1:C 0:2=20 0:C")},
	{"G-single: write predicate", []string{"get 1; delfrom 20", "scan; upd 1 +2; upd 2 -2"}, "0111100",
		at("0:1=10 1:1=10,2=20 1:1 1:1 1:C 0:0 0:C", "0:1=10 1:1=10,2=20 1:1 1:1 1:C 0:!40001", "0:1=10 1:1=10,2=20 1:1 1:1 1:C 0:!40001")},
	{"G-single: write predicate, rolled back", []string{"get 1; delfrom 20", "scan; upd 1 +2; upd 2 -2; abort"}, "0111010",
		everywhere("0:1=10 1:1=10,2=20 1:1 1:1 - 1:R,0:1 0:C")},
	{"G2-item: write skew", []string{"get 1; get 2; upd 1 +1", "get 1; get 2; upd 2 +1"}, "00110101",
		at("0:1=10 0:2=20 1:1=10 1:2=20 0:1 1:1 0:C 1:C", "0:1=10 0:2=20 1:1=10 1:2=20 0:1 1:1 0:C 1:C", "0:1=10 0:2=20 1:1=10 1:2=20 0:1 1:1 0:C 1:!40001")},
	{"G2: anti-dependency cycles", []string{"scan 30; ins 3 30", "scan 30; ins 4 42"}, "010101",
		at("0:- 1:- 0:1 1:1 0:C 1:C", "0:- 1:- 0:1 1:1 0:C 1:C", "0:- 1:- 0:1 1:1 0:C 1:!40001")},
	{"G2: two edges (Fekete et al.)", []string{"scan; upd 1 -10", "upd 2 +5", "scan"}, "0112200",
		at("0:1=10,2=20 1:1 1:C 2:1=10,2=25 2:C 0:1 0:C", "0:1=10,2=20 1:1 1:C 2:1=10,2=25 2:C 0:1 0:C", "0:1=10,2=20 1:1 1:C 2:1=10,2=25 2:C 0:!40001")},
}

// TestHermitage runs each case at each level and shows the table.
func TestHermitage(t *testing.T) {
	t.Parallel()
	for _, h := range hermitageCases {
		for _, level := range levels[:3] {
			got := trace(t, sessionsOf(t, level, h.sessions...), h.schedule)
			t.Logf("%-48s %-3s expected %s", h.name, level, h.want[level])
			if got != h.want[level] {
				t.Errorf("%-48s %-3s got      %s", h.name, level, got)
			}
		}
	}
}
