// Package engine evaluates MySQL's statements, by go-mysql-server, on the tables of
// package storage.
//
// Where go-mysql-server differs from a server, this package puts its own rules in place.
// They concern whole numbers that overflow, codes and texts of errors, GROUP BY on the
// goroutine of the caller, the clock and random numbers, transaction control, and locks.
// What stays different is in docs/mysql.md.
//
// Build it with the tag gms_pure_go: see the package puretag.
package engine

import _ "github.com/txmc/txmc/mysql/puretag" // says which tag is missing
