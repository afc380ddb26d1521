package anomaly

// The anomalies by name. Variables of the definitions: T reads, U writes. "New"
// and "old" are relative to U: a value is old when U has overwritten it.
//
// Sources: Adya: A. Adya, "Weak consistency", MIT 1999. Berenson: Berenson et al.,
// SIGMOD 1995. Terry: Terry et al., "Session guarantees for weakly consistent
// replicated data", PDIS 1994. Bailis: Bailis et al., "Highly available
// transactions", VLDB 2013, and "Scalable atomic visibility with RAMP
// transactions", SIGMOD 2014. Lamport: "Time, clocks, …", CACM 1978. Sovran: Sovran
// et al., "Transactional storage for geo-replicated systems" (Walter), SOSP 2011.
// Fekete: Fekete, O'Neil, O'Neil, "A read-only transaction anomaly under snapshot
// isolation", SIGMOD Record 2004. Kingsbury and Alvaro: "Elle", VLDB 2020.

var (
	abortedRead = Anomaly{
		Name: "aborted read", Aka: "dirty read, G1a, A1",
		Definition: "a transaction reads what a transaction wrote that did not commit",
		Source:     "Adya 4.2.2, Berenson A1",
	}
	thinAirRead = Anomaly{
		Name:       "read of nothing",
		Definition: "a transaction reads from a transaction that has not written the variable",
	}
	circular = Anomaly{
		Name:       "circular information flow",
		Definition: "transactions come after one another in a circle, each reading from the one before or following it in its session",
		Source:     "Adya 4.2.2; Lamport for session order",
	}
	nonMonotonicRead = Anomaly{
		Name: "non-monotonic read", Aka: "G-monotonic",
		Definition: "a transaction reads U's value of a variable, reads it again, and gets an old one",
		Source:     "Adya 4.2.4 (G-monotonic)",
	}
	nonMonotonicSession = Anomaly{
		Name: "non-monotonic read", Aka: "monotonic-reads violation, N-MR",
		Definition: "a session reads U's value of a variable and, in a later transaction, an old one",
		Source:     "Terry (monotonic reads), Bailis 2013 (N-MR)",
	}
	nonRepeatableRead = Anomaly{
		Name: "non-repeatable read", Aka: "fuzzy read, P2, A2",
		Definition: "a transaction reads an old value of a variable, reads it again, and gets U's",
		Source:     "Berenson A2",
	}
	eitherHalf = Anomaly{
		Name: "fractured read", Aka: "read skew, A5A",
		Definition: "two transactions write two variables, and T reads one from each: whichever comes later, T misses half of it",
		Source:     "Bailis 2014; Berenson A5A",
	}
	fracturedRead = Anomaly{
		Name: "fractured read", Aka: "read skew, A5A",
		Definition: "U writes two variables; T reads U's value of one and an old value of the other",
		Source:     "Bailis 2014; Berenson A5A",
	}
	ownWriteMissed = Anomaly{
		Name: "read-your-writes violation", Aka: "N-RYW",
		Definition: "U comes before T in a session and writes a variable, of which T reads an old value",
		Source:     "Terry (read your writes), Bailis 2013",
	}
	staleRead = Anomaly{
		Name:       "stale read",
		Definition: "T reads an old value although U must come before T, as T or its session follows something that U precedes",
	}
	causalityViolation = Anomaly{
		Name:       "causality violation",
		Definition: "T reads an old value of what U wrote, although it has read something that came about after U",
		Source:     "Lamport; Terry; Adya 4.2.3 (G-single)",
	}
	monotonicWrites = Anomaly{
		Name: "causality violation", Aka: "monotonic-writes violation",
		Definition: "a session writes in one transaction, U, and again in a later one; T reads the later write, and an old value of what U wrote",
		Source:     "Terry (monotonic writes), Bailis 2013 (N-MW)",
	}
	writesFollowReads = Anomaly{
		Name: "causality violation", Aka: "writes-follow-reads violation",
		Definition: "a transaction reads what U wrote and writes; T reads that write, and an old value of what U wrote",
		Source:     "Terry (writes follow reads), Bailis 2013 (MRWD)",
	}
	writeCycle = Anomaly{
		Name: "write cycle", Aka: "dirty write, P0",
		Definition: "of transactions that write several variables each comes before the next for one variable, in a circle",
		Source:     "Adya 4.2.1 (G0), Berenson P0",
	}
	informationCycle = Anomaly{
		Name:       "circular information flow",
		Definition: "transactions come before one another in a circle, by what is read from whom and whose write came first",
		Source:     "Adya 4.2.2 (G1c)",
	}
	readSkew = Anomaly{
		Name: "read skew", Aka: "inconsistent snapshot",
		Definition: "T reads an old value, and from a transaction whose writes come after U's: there is no single moment at which both could be read",
		Source:     "Berenson A5A, generalised as Adya's G-single",
	}
	longFork = Anomaly{
		Name:       "long fork",
		Definition: "two transactions write different variables; one reader sees only the one write, another only the other, so that each is before the other",
		Source:     "Sovran; Kingsbury and Alvaro (G-nonadjacent)",
	}
	storeBuffering = Anomaly{
		Name: "long fork", Aka: "store buffering",
		Definition: "two sessions each write, and then do not see what the other wrote, so that each is before the other",
		Source:     "Sovran; Owens, Sarkar, Sewell, TPHOLs 2009 (store buffering)",
	}
	prefixViolation = Anomaly{
		Name:       "prefix violation",
		Definition: "there is no one order of commits of which every transaction reads a prefix",
		Source:     "Burckhardt et al., ECOOP 2015; Biswas and Enea (prefix consistency)",
	}
	lostUpdate = Anomaly{
		Name: "lost update", Aka: "P4, G-cursor",
		Definition: "T reads a variable and writes it, and between the two U writes it, whose write is overwritten unseen",
		Source:     "Berenson P4, Adya 4.2.4 (G-cursor)",
	}
	writeConflict = Anomaly{
		Name: "write conflict", Aka: "G-SIa, first committer wins",
		Definition: "two transactions write the same variable, and neither reads from a state that has the other's write",
		Source:     "Berenson 4.2 (first committer wins), Adya 4.3 (G-SIa, interference)",
	}
	snapshotViolation = Anomaly{
		Name:       "snapshot violation",
		Definition: "there is no order of commits in which every transaction reads a prefix and sees all earlier writers of what it writes",
		Source:     "Berenson 4.2, Biswas and Enea (snapshot isolation)",
	}
	writeSkew = Anomaly{
		Name: "write skew", Aka: "A5B",
		Definition: "transactions each read what the next one, and the last one what the first one, overwrites",
		Source:     "Berenson A5B",
	}
	phantom = Anomaly{
		Name: "phantom", Aka: "P3, A3",
		Definition: "T reads what a predicate selects without seeing that U has made a row match it, or no longer match, and sees U or what came after U all the same",
		Source:     "Berenson P3 and A3, Adya 4.4.2 (predicate anti-dependency)",
	}
	phantomSkew = Anomaly{
		Name: "phantom write skew", Aka: "P3, A5B",
		Definition: "transactions each read what a predicate selects, and the next one, and after the last one the first, changes what it selects",
		Source:     "Adya 4.2.3 (G2), Berenson P3",
	}
	readOnlyAnomaly = Anomaly{
		Name:       "read-only transaction anomaly",
		Definition: "a transaction that only reads sees U's write but not that of a transaction that comes before U, as that has not seen U's",
		Source:     "Fekete",
	}
	serializationCycle = Anomaly{
		Name:       "serialization cycle",
		Definition: "in every serial order some transaction reads a value that has been overwritten",
		Source:     "Adya 4.2.3 (G2-item)",
	}
)
