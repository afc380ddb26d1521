package vet

import (
	"fmt"
	"go/token"
)

// Check is a kind of finding.
type Check struct {
	Name string // as in //txmc:ignore NAME, and the flags of go vet -vettool
	Doc  string // what it reports; one line
}

// Checks lists all checks.
func Checks() []Check {
	return []Check{
		{mapOrder, "report maps whose random order decides an operation"},
		{clock, "report the time, and waiting, in code that is explored"},
		{random, "report random numbers in code that is explored"},
		{concurrency, "report goroutines, channels and select in code that is explored"},
		{outside, "report files, the network and processes in code that is explored"},
		{global, "report package-level variables that code which is explored writes"},
		{shared, "report Go variables that one session writes and another one uses"},
		{unbounded, "report loops around transactions that have no visible bound"},
		{dropped, "report errors of Txn that are dropped where the session goes on"},
		{strayTx, "report a Tx that is used outside its transaction or by another session"},
	}
}

// The names of the checks.
const (
	mapOrder    = "maporder"
	clock       = "clock"
	random      = "random"
	concurrency = "concurrency"
	outside     = "outside"
	global      = "global"
	shared      = "shared"
	unbounded   = "unbounded"
	dropped     = "dropped"
	strayTx     = "straytx"
)

// Finding is one place that a check complains about.
type Finding struct {
	Check string    // name of the check
	Pos   token.Pos // in the inspected package
	Problem
}

// Problem says what is wrong somewhere.
type Problem struct {
	What    string // what the code does
	Effect  string // what that does to exploration
	Instead string // how to write it instead
}

// Text is the problem on one line.
func (p Problem) Text() string { return fmt.Sprintf("%s: %s; %s", p.What, p.Effect, p.Instead) }
