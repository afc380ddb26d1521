package anomaly

// Term is a word of reports that papers use and others need not know.
type Term struct {
	Word    string
	Meaning string
}

// Terms is the glossary of the words in reports, those of edges first. The page
// docs/anomalies.md says more.
func Terms() []Term {
	return []Term{
		{"so", "session order: the one transaction comes before the other in its session"},
		{"wr", "write-read: the other transaction reads what the one wrote"},
		{"ww", "write-write: both write the variable, and the one's write comes first"},
		{"rw", "read-write, or anti-dependency: the one reads a value that the other overwrites"},
		{"G0", "a cycle of ww edges only (Adya)"},
		{"G1a", "an aborted read (Adya)"},
		{"G1c", "a cycle of ww and wr edges (Adya)"},
		{"G-single", "a cycle with exactly one rw edge (Adya)"},
		{"G2-item", "a cycle with two or more rw edges, two of them in a row (Adya)"},
		{"G2", "as G2-item, where a rw edge is from the read of a predicate to a write that changes what it selects (Adya)"},
		{"G-nonadjacent", "a cycle with several rw edges of which no two follow each other (Kingsbury and Alvaro)"},
		{"G-monotonic", "a transaction that reads a newer and then an older state (Adya)"},
		{"G-cursor", "a lost update (Adya)"},
		{"G-SIa", "two concurrent transactions write the same variable (Adya)"},
		{"P0", "a dirty write: two transactions overwrite each other before they end (Berenson)"},
		{"P2", "a non-repeatable read (Berenson)"},
		{"P3", "a phantom: what a predicate selects is changed before the transaction that has read it ends (Berenson)"},
		{"P4", "a lost update: what was read is overwritten before it is written back (Berenson)"},
		{"A1", "a dirty read: of what is not committed, and then aborts (Berenson)"},
		{"A2", "a non-repeatable read, in the strict sense (Berenson)"},
		{"A3", "a phantom, in the strict sense (Berenson)"},
		{"A5A", "read skew: two variables are read from different moments (Berenson)"},
		{"A5B", "write skew: each transaction overwrites what the other one has read (Berenson)"},
		{"N-MR", "a session that reads an older value after a newer one (Bailis)"},
		{"N-MW", "a session's writes that are seen out of order (Bailis)"},
		{"N-RYW", "a session that does not see its own write (Bailis)"},
	}
}
