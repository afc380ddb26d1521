// Package anomaly says why an isolation level forbids a history. The answer has the
// cycle of dependencies that no commit order can have, the anomaly's common name, and a
// few sentences. It also has an order of the operations that a reader can follow.
//
// Everything here is a pure function of a semantics.History. Transactions are
// named by their index in History.Txns, 0 being the initial one; names for people
// come in by a [Namer] and only in [Words].
//
// Sources: Adya, "Weak consistency", MIT 1999, for dependencies and phenomena;
// Berenson et al., "A critique of ANSI SQL isolation levels", SIGMOD 1995, for
// the older names; Biswas and Enea, OOPSLA 2019, for the axioms; Cerone and
// Gotsman, "Analysing snapshot isolation", JACM 2018, for the cycles that
// characterise prefix consistency and snapshot isolation.
package anomaly
