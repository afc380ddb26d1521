// Package clotho holds the benchmarks of CLOTHO (Rahmani, Nagar, Delaware and
// Jagannathan, OOPSLA 2019, table 2), written as a Go developer would write them on
// database/sql, each in a package of its own. They know nothing of txmc, which finds
// what is wrong with them: bench/FIND.md has the figures.
package clotho
