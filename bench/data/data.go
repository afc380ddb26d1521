// Package data holds the project's own client files and initial rows, in the
// published format. The rows are written by hand; the clients are made by the
// package generate.
package data

import "embed"

// FS has the clients of the experiments: clients (three sessions of three
// transactions, with the initial rows), sessions (five of three) and transactions
// (three of five).
//
//go:embed clients sessions transactions
var FS embed.FS
